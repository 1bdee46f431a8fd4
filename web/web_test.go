package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/andybalholm/brotli"
)

// The weights a first visit may have, in bytes of gzip.
const (
	scriptBudget = 35 << 10
	styleBudget  = 10 << 10
	localeBudget = 3 << 10
)

// theSite is built once for all tests that only look at it.
var theSite = sync.OnceValues(func() (*Site, error) { return New(Options{}) })

func newSite(t *testing.T) *Site {
	t.Helper()
	s, err := theSite()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func get(h http.Handler, method, path string, header map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestBudgets(t *testing.T) {
	s := newSite(t).built
	weigh := func(what string, budget int, paths ...string) {
		t.Helper()
		total := 0
		for _, p := range paths {
			f := s.files[p]
			if f == nil {
				t.Fatalf("%s: %s is not served", what, p)
			}
			total += len(f.gzip)
			if f.gzip == nil {
				total += len(f.plain)
			}
		}
		t.Logf("%-7s %6d B gz of %d allowed", what, total, budget)
		if total == 0 || total > budget {
			t.Errorf("%s weighs %d B gz; allowed are 1 to %d", what, total, budget)
		}
	}
	weigh("script", scriptBudget, append([]string{startScript}, s.firstLoad...)...)
	weigh("style", styleBudget, s.style)
	for lang, p := range s.locales {
		weigh(lang, localeBudget, p)
	}
}

func TestBuildsAreEqual(t *testing.T) {
	again, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, b := newSite(t).built, again.built
	if len(a.files) != len(b.files) {
		t.Fatalf("%d files, then %d", len(a.files), len(b.files))
	}
	if !bytes.Equal(a.index.plain, b.index.plain) {
		t.Errorf("the index differs:\n%s\n%s", a.index.plain, b.index.plain)
	}
	for name, f := range a.files {
		g := b.files[name]
		if g == nil {
			t.Errorf("%s is missing from the second build", name)
			continue
		}
		if !bytes.Equal(f.plain, g.plain) || !bytes.Equal(f.gzip, g.gzip) || !bytes.Equal(f.br, g.br) || f.etag != g.etag {
			t.Errorf("%s differs", name)
		}
	}
}

// Nothing of the machine that built the page may show in it.
func TestNoPathsInside(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range newSite(t).built.files {
		if bytes.Contains(f.plain, []byte(dir)) {
			t.Errorf("%s contains %s", name, dir)
		}
	}
}

func TestHeaders(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct{ path, kind, cache string }{
		{"/", "text/html; charset=utf-8", cacheAsk},
		{"/r/k3v9qf2m7x4d", "text/html; charset=utf-8", cacheAsk},
		{s.built.firstLoad[0], "text/javascript; charset=utf-8", cacheForever},
		{s.built.style, "text/css; charset=utf-8", cacheForever},
		{s.built.locales["en"], "application/json; charset=utf-8", cacheForever},
		{startScript, "text/javascript; charset=utf-8", cacheAsk},
		{"/favicon.svg", "image/svg+xml", cacheDay},
		{"/manifest.webmanifest", "application/manifest+json", cacheDay},
	} {
		w := get(s, "GET", c.path, nil)
		h := w.Header()
		if w.Code != 200 || w.Body.Len() == 0 {
			t.Errorf("%s: %d with %d bytes", c.path, w.Code, w.Body.Len())
		}
		for name, want := range map[string]string{
			"Content-Type":            c.kind,
			"Cache-Control":           c.cache,
			"Content-Security-Policy": contentSecurityPolicy,
			"X-Content-Type-Options":  "nosniff",
			"Referrer-Policy":         "same-origin",
			"Vary":                    "Accept-Encoding",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", c.path, name, got, want)
			}
		}
		head := get(s, "HEAD", c.path, nil)
		if head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Length") != h.Get("Content-Length") {
			t.Errorf("HEAD %s: %d, %d bytes, length %q", c.path, head.Code, head.Body.Len(), head.Header().Get("Content-Length"))
		}
		tag := h.Get("ETag")
		if again := get(s, "GET", c.path, map[string]string{"If-None-Match": tag}); again.Code != 304 || again.Body.Len() != 0 {
			t.Errorf("%s with its own tag %s: %d", c.path, tag, again.Code)
		}
		if other := get(s, "GET", c.path, map[string]string{"If-None-Match": `"other"`}); other.Code != 200 {
			t.Errorf("%s with another tag: %d", c.path, other.Code)
		}
	}
	if !strings.HasPrefix(contentSecurityPolicy, "default-src 'self'") || strings.Contains(contentSecurityPolicy, "unsafe") {
		t.Error("the policy has become loose:", contentSecurityPolicy)
	}
}

func TestNotFound(t *testing.T) {
	s := newSite(t)
	for _, p := range []string{"/nothing", "/r/", "/r/a/b", "/r/with space", "/assets/", "/assets/main.js", "/index.html", "/src/main.ts", "/assets/../index.html", "/api/rooms"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.Path = p
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		want := http.StatusNotFound
		if strings.HasPrefix(p, "/assets/") {
			want = http.StatusServiceUnavailable // another release may have it
		}
		if w.Code != want || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
			t.Errorf("%s: %d %s", p, w.Code, w.Header().Get("Content-Type"))
		}
		r.Header.Set("Accept", "text/html,*/*;q=0.8")
		w = httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != want || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s for a browser: %d, kept %q", p, w.Code, w.Header().Get("Cache-Control"))
		}
	}
	for _, m := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		if w := get(s, m, "/", nil); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d, Allow %q", m, w.Code, w.Header().Get("Allow"))
		}
	}
}

func TestNegotiation(t *testing.T) {
	for _, c := range []struct{ accept, want string }{
		{"gzip, deflate, br, zstd", "br"},
		{"gzip, deflate", "gzip"},
		{"x-gzip", "gzip"},
		{"GZIP", "gzip"},
		{"", identity},
		{"identity", identity},
		{"deflate", identity},
		{"br;q=0.5, gzip;q=0.8", "gzip"},
		{"br;q=0.8, gzip;q=0.8", "br"},
		{"br;q=0, gzip", "gzip"},
		{"br;q=0, gzip;q=0", identity},
		{"gzip;q=0.5, identity", identity},
		{"identity;q=0.5, gzip;q=0.2", identity},
		{"*", "br"},
		{"*;q=0.5, br;q=0", "gzip"},
		{"*;q=0", ""},
		{"identity;q=0", ""},
		{"identity;q=0, gzip", "gzip"},
		{"*;q=0, identity", identity},
		{"br;q=nonsense, gzip;q=2", identity},
		{"br ; q=0.9 , gzip ; q=1.0", "gzip"},
		{"br;q=0.001", "br"},
	} {
		if got := negotiate([]string{c.accept}, true, true); got != c.want {
			t.Errorf("%q: %q, want %q", c.accept, got, c.want)
		}
	}
	if got := negotiate(nil, true, true); got != identity {
		t.Errorf("without the header: %q", got)
	}
	if got := negotiate([]string{"br", "gzip;q=0.1"}, false, true); got != "gzip" {
		t.Errorf("two lines, no br: %q", got)
	}
}

func TestEncodedBodiesAreTheSame(t *testing.T) {
	s := newSite(t)
	for path := range s.built.files {
		plain := get(s, "GET", path, nil)
		tags := map[string]bool{plain.Header().Get("ETag"): true}
		for coding, open := range map[string]func(io.Reader) (io.Reader, error){
			"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
			"br":   func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
		} {
			w := get(s, "GET", path, map[string]string{"Accept-Encoding": coding})
			if w.Header().Get("Content-Encoding") == "" {
				continue // too small to gain by it
			}
			r, err := open(w.Body)
			if err != nil {
				t.Fatal(path, coding, err)
			}
			got, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(got, plain.Body.Bytes()) {
				t.Errorf("%s as %s is another file (%v)", path, coding, err)
			}
			if tag := w.Header().Get("ETag"); tags[tag] {
				t.Errorf("%s: tag %s stands for two representations", path, tag)
			} else {
				tags[tag] = true
			}
		}
	}
	if w := get(s, "GET", "/", map[string]string{"Accept-Encoding": "*;q=0"}); w.Code != 406 {
		t.Errorf("nothing acceptable: %d", w.Code)
	}
}

// Whoever develops the page sees a change at the next request, and a mistake
// as a message with its place.
func TestDirIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, embedded); err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	first := get(s, "GET", "/", nil).Body.String()
	change := func(text string) {
		t.Helper()
		name := filepath.Join(dir, "src", "router.ts")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		later := time.Now().Add(time.Minute) // whatever the clock's grain
		if err := os.Chtimes(name, later, later); err != nil {
			t.Fatal(err)
		}
	}
	change("export type Route = {screen: 'lobby'}; export function route(): Route { return {screen: 'lobby'} }")
	if second := get(s, "GET", "/", nil).Body.String(); second == first {
		t.Error("the page did not change with its source")
	}
	change("export const = ;")
	if w := get(s, "GET", "/", nil); w.Code != 500 || !strings.Contains(w.Body.String(), "src/router.ts:1:") {
		t.Errorf("a mistake: %d %s", w.Code, w.Body)
	}
}

func TestBrokenSourcesFail(t *testing.T) {
	whole := func() fstest.MapFS {
		m := fstest.MapFS{}
		for name, text := range map[string]string{
			"index.html": `{{t "a"}}`, "src/main.ts": "console.log(1)", "src/start.ts": "console.log(0)", "styles/main.css": "a{b:c}",
			"locales/en.json": `{"a":"b"}`, "static/favicon.svg": "<svg/>", "static/manifest.webmanifest": "{}",
		} {
			m[name] = &fstest.MapFile{Data: []byte(text)}
		}
		return m
	}
	if _, err := build(whole()); err != nil {
		t.Fatal("the whole one:", err)
	}
	for name, text := range map[string]string{
		"index.html":      `{{t "missing"}}`,
		"src/main.ts":     "import 'left-pad'",
		"src/start.ts":    "import('./main.ts')", // it would have a hash in it
		"styles/main.css": "@import './gone.css';",
		"locales/en.json": "{",
	} {
		m := whole()
		m[name] = &fstest.MapFile{Data: []byte(text)}
		if _, err := build(m); err == nil {
			t.Errorf("%s as %q was built", name, text)
		}
	}
	for name := range whole() {
		m := whole()
		delete(m, name)
		if _, err := build(m); err == nil {
			t.Errorf("built without %s", name)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, embedded); err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, p := range []string{"/", "/r/abc", "/favicon.svg"} {
				if w := get(s, "GET", p, nil); w.Code != 200 {
					t.Errorf("%s: %d", p, w.Code)
				}
			}
		})
	}
	wg.Wait()
}
