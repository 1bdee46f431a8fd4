// Package web is the page of oxo: its sources are embedded in the binary,
// bundled once at start-up and served with hashed names, compressed and ready.
//
// Nobody needs node to build or run it: esbuild works inside the process. Two
// processes of one version serve the same bytes under the same names, so any
// node may answer for an asset that another node's page asked for.
package web

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"
	"sync"
)

//go:embed index.html src styles locales static
var embedded embed.FS

// contentSecurityPolicy forbids everything that is not one of our own files.
// Trusted Types make the browser itself refuse innerHTML and its kin, so a
// player's name can't become markup even by a slip of ours.
const contentSecurityPolicy = "default-src 'self'; object-src 'none'; base-uri 'none'; " +
	"form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// How long browsers may keep what they were given. Assets have their hash in
// the name and never change; the index names the assets and must be asked
// for every time (an answer of 304 costs nothing).
const (
	cacheForever = "public, max-age=31536000, immutable"
	cacheDay     = "public, max-age=86400"
	cacheAsk     = "no-cache"
)

// roomPath is what may stand behind /r/: the shape of a room id, generously.
var roomPath = regexp.MustCompile(`^/r/[0-9A-Za-z_-]{1,64}$`)

// Options tell New where the page comes from. The zero value serves the
// sources that were embedded when the binary was built.
type Options struct {
	// Dir, for development, is a folder to read the sources from instead (the
	// one that holds index.html). The page is built again when a file in it
	// has changed.
	Dir string
}

// Site serves the page. It is safe for concurrent use.
type Site struct {
	fsys  fs.FS
	watch bool // Dir was given: look for changes before each index

	mu    sync.Mutex // guards what follows
	built *site
	stamp string // of the sources that built was made from
}

// New builds the page. It fails where the sources do not compile, so a node
// with a broken page does not start.
func New(o Options) (*Site, error) {
	s := &Site{fsys: embedded}
	if o.Dir != "" {
		s.fsys, s.watch = os.DirFS(o.Dir), true
	}
	built, err := build(s.fsys)
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	s.built = built
	if s.watch {
		s.stamp = stampOf(s.fsys)
	}
	return s, nil
}

// ServeHTTP answers GET and HEAD for "/", "/r/{room}", "/assets/...",
// "/start.js", "/favicon.svg" and "/manifest.webmanifest"; everything else is not found.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", contentSecurityPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")

	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	}
	built, err := s.current()
	if err != nil { // only while developing; New has built it once
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	p := r.URL.Path
	switch {
	case p == "/" || roomPath.MatchString(p):
		built.index.serve(w, r, http.StatusOK)
	case built.files[p] != nil:
		built.files[p].serve(w, r, http.StatusOK)
	case wantsHTML(r) && !strings.HasPrefix(p, "/assets/"):
		// A person with a mistyped address sees the page say so, in their language.
		built.index.serve(w, r, http.StatusNotFound)
	case strings.HasPrefix(p, "/assets/"):
		// While two releases run side by side, another node may have what a
		// page of the other release asks for: a proxy that is told so tries it.
		h.Set("Cache-Control", "no-store")
		http.Error(w, "Not in this release", http.StatusServiceUnavailable)
	default:
		h.Set("Cache-Control", "no-store")
		http.Error(w, "Not found", http.StatusNotFound)
	}
}

// current is the built page, built anew when its sources have changed.
func (s *Site) current() (*site, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.watch {
		return s.built, nil
	}
	stamp := stampOf(s.fsys)
	if stamp == s.stamp {
		return s.built, nil
	}
	built, err := build(s.fsys)
	if err != nil {
		return nil, err
	}
	s.built, s.stamp = built, stamp
	return built, nil
}

// stampOf changes when any source file does.
func stampOf(fsys fs.FS) string {
	var b strings.Builder
	for _, root := range []string{"index.html", "src", "styles", "locales", "static"} {
		_ = fs.WalkDir(fsys, root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil // a file that went away shows by its absence
			}
			if info, err := d.Info(); err == nil {
				fmt.Fprintf(&b, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return b.String()
}

func wantsHTML(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}

// contentType knows the few kinds of file that the page consists of. It does
// not ask the machine's own table, which differs from one to the next.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json":
		return "application/json; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".webmanifest":
		return "application/manifest+json"
	case ".png":
		return "image/png"
	}
	return "application/octet-stream"
}
