package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"sort"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// site is one build of the page: every file of it, by its path.
type site struct {
	index *file
	files map[string]*file

	// firstLoad are the scripts a browser needs before anything is drawn: the
	// entry and what it imports statically.
	firstLoad []string
	style     string
	locales   map[string]string // language -> path
}

// build bundles the sources in fsys. Equal sources give equal bytes.
func build(fsys fs.FS) (*site, error) {
	s := &site{files: map[string]*file{}, locales: map[string]string{}}
	if err := s.bundle(fsys); err != nil {
		return nil, err
	}
	if err := s.addLocales(fsys); err != nil {
		return nil, err
	}
	if err := s.addStatic(fsys); err != nil {
		return nil, err
	}
	return s, s.addIndex(fsys)
}

// bundle runs esbuild over src/main.ts and styles/main.css.
func (s *site) bundle(fsys fs.FS) error {
	result := api.Build(api.BuildOptions{
		EntryPointsAdvanced: []api.EntryPoint{
			{InputPath: "src/main.ts", OutputPath: "main"},
			{InputPath: "src/start.ts", OutputPath: "start"},
			{InputPath: "styles/main.css", OutputPath: "main"},
		},
		AbsWorkingDir:     "/", // nothing is read from there; it keeps names equal everywhere
		Outdir:            "/assets",
		EntryNames:        "[name]-[hash]",
		ChunkNames:        "[name]-[hash]",
		Bundle:            true,
		Splitting:         true, // what is imported by import() loads when needed
		Format:            api.FormatESModule,
		Platform:          api.PlatformBrowser,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsNone,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Metafile:          true,
		Plugins:           []api.Plugin{sources(fsys)},
		LogLevel:          api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		return buildError(result.Errors)
	}
	for _, out := range result.OutputFiles {
		name := strings.ReplaceAll(out.Path, `\`, "/")
		s.files[name] = newFile(name, cacheForever, out.Contents)
	}
	return s.readMetafile(result.Metafile)
}

// startScript is the address of what looks after a page whose assets another
// release is asked for.
const startScript = "/start.js"

// readMetafile finds out which outputs the entries became.
func (s *site) readMetafile(text string) error {
	var meta struct {
		Outputs map[string]struct {
			EntryPoint string
			Imports    []struct{ Path, Kind string }
		}
	}
	if err := json.Unmarshal([]byte(text), &meta); err != nil {
		return fmt.Errorf("esbuild's metafile: %w", err)
	}
	var script string
	for name, out := range meta.Outputs {
		switch out.EntryPoint {
		case namespace + ":src/main.ts":
			script = name
		case namespace + ":src/start.ts":
			// Every release must have it at the same address.
			if len(out.Imports) > 0 {
				return errors.New("src/start.ts must stand alone")
			}
			built := s.files["/"+name]
			delete(s.files, "/"+name)
			s.files[startScript] = newFile(startScript, cacheAsk, built.plain)
		case namespace + ":styles/main.css":
			s.style = "/" + name
		}
	}
	if script == "" || s.style == "" || s.files[startScript] == nil {
		return errors.New("esbuild made no main script, no start script or no main style")
	}
	seen := map[string]bool{}
	var walk func(name string)
	walk = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		s.firstLoad = append(s.firstLoad, "/"+name)
		for _, im := range meta.Outputs[name].Imports {
			if im.Kind == "import-statement" {
				walk(im.Path)
			}
		}
	}
	walk(script)
	return nil
}

// namespace is the one in which esbuild sees our files. They exist nowhere
// on a disk as far as it is concerned, so no path of the machine gets in.
const namespace = "oxo"

// sources lets esbuild read from fsys, and from nowhere else.
func sources(fsys fs.FS) api.Plugin {
	return api.Plugin{Name: namespace, Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `.*`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			name := a.Path
			if a.Importer != "" {
				if !strings.HasPrefix(name, ".") {
					return api.OnResolveResult{}, fmt.Errorf("%s: only relative imports, there are no packages here", name)
				}
				name = path.Join(path.Dir(a.Importer), name)
			}
			if _, err := fs.Stat(fsys, name); err != nil {
				return api.OnResolveResult{}, err
			}
			return api.OnResolveResult{Path: name, Namespace: namespace}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: namespace}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			data, err := fs.ReadFile(fsys, a.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			text, loader := string(data), api.LoaderTS
			if path.Ext(a.Path) == ".css" {
				loader = api.LoaderCSS
			}
			return api.OnLoadResult{Contents: &text, Loader: loader}, nil
		})
	}}
}

func buildError(messages []api.Message) error {
	var lines []string
	for _, m := range messages {
		if m.Location != nil {
			lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", m.Location.File, m.Location.Line, m.Location.Column+1, m.Text))
		} else {
			lines = append(lines, m.Text)
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}

// addLocales gives each language's strings a hashed name of its own.
func (s *site) addLocales(fsys fs.FS) error {
	names, err := fs.Glob(fsys, "locales/*.json")
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		var strs map[string]string
		if err := json.Unmarshal(data, &strs); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		data, err = json.Marshal(strs) // sorted and without the spaces
		if err != nil {
			return err
		}
		lang := strings.TrimSuffix(path.Base(name), ".json")
		at := fmt.Sprintf("/assets/%s-%s.json", lang, hashOf(data)[:8])
		s.files[at] = newFile(at, cacheForever, data)
		s.locales[lang] = at
	}
	if s.locales["en"] == "" {
		return errors.New("locales/en.json is missing")
	}
	return nil
}

// addStatic serves the files that keep their names.
func (s *site) addStatic(fsys fs.FS) error {
	for _, name := range []string{"favicon.svg", "manifest.webmanifest"} {
		data, err := fs.ReadFile(fsys, "static/"+name)
		if err != nil {
			return err
		}
		s.files["/"+name] = newFile(name, cacheDay, data)
	}
	return nil
}

// addIndex fills in the names of the assets. The few words that stand in the
// page before any script runs come from the locale file like all others.
func (s *site) addIndex(fsys fs.FS) error {
	text, err := fs.ReadFile(fsys, "index.html")
	if err != nil {
		return err
	}
	en := map[string]string{}
	data, err := fs.ReadFile(fsys, "locales/en.json")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &en); err != nil {
		return err
	}
	t, err := template.New("index.html").Funcs(template.FuncMap{
		"t": func(key string) (string, error) {
			if s, ok := en[key]; ok {
				return s, nil
			}
			return "", fmt.Errorf("no string %q", key)
		},
	}).Parse(string(text))
	if err != nil {
		return err
	}
	later := append([]string{}, s.firstLoad[1:]...)
	sort.Strings(later)
	var b strings.Builder
	if err := t.Execute(&b, map[string]any{
		"Script": s.firstLoad[0], "Preload": later, "Style": s.style, "Locale": s.locales["en"],
	}); err != nil {
		return err
	}
	s.index = newFile("index.html", cacheAsk, []byte(b.String()))
	return nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
