package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"

	"github.com/andybalholm/brotli"
)

// file is one answer, compressed beforehand in every way we offer.
type file struct {
	kind  string // content type
	cache string // Cache-Control
	etag  string // without the encoding's suffix and the quotes
	plain []byte
	gzip  []byte // nil where it would not be smaller
	br    []byte
}

func newFile(name, cache string, data []byte) *file {
	return &file{
		kind: contentType(name), cache: cache, etag: hashOf(data)[:16],
		plain: data, gzip: smaller(gzipped(data), data), br: smaller(brotlied(data), data),
	}
}

// serve writes the file in the best encoding that the request accepts.
func (f *file) serve(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", f.cache)
	if status != http.StatusOK {
		h.Set("Cache-Control", "no-store")
	}
	body, coding := f.plain, negotiate(r.Header.Values("Accept-Encoding"), f.br != nil, f.gzip != nil)
	tag := f.etag
	switch coding {
	case "br":
		body, tag = f.br, tag+"-br"
	case "gzip":
		body, tag = f.gzip, tag+"-gz"
	case "":
		http.Error(w, "No acceptable encoding", http.StatusNotAcceptable)
		return
	}
	if coding != identity {
		h.Set("Content-Encoding", coding)
	}
	h.Set("ETag", `"`+tag+`"`)
	if status == http.StatusOK && matches(r.Header.Values("If-None-Match"), tag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", f.kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the reader has gone: nobody is left to tell
	}
}

// matches tells whether an If-None-Match names our entity tag (RFC 9110 13.1.2,
// weak comparison).
func matches(header []string, tag string) bool {
	for _, line := range header {
		for part := range strings.SplitSeq(line, ",") {
			part = strings.TrimPrefix(strings.TrimSpace(part), "W/")
			if part == "*" || part == `"`+tag+`"` {
				return true
			}
		}
	}
	return false
}

const identity = "identity"

// negotiate chooses among what we have by the q-values of Accept-Encoding (RFC
// 9110 12.5.3). It returns "" where the client refuses even the plain bytes.
// Of equal values the smallest body wins: br, then gzip, then plain.
func negotiate(header []string, haveBr, haveGzip bool) string {
	if len(header) == 0 {
		return identity // says nothing: old and simple programs
	}
	q := map[string]float64{}
	for _, line := range header {
		for part := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(part, ";")
			name = strings.ToLower(strings.TrimSpace(name))
			if name == "" {
				continue
			}
			if name == "x-gzip" {
				name = "gzip"
			}
			q[name] = quality(params)
		}
	}
	of := func(name string, missing float64) float64 {
		if v, ok := q[name]; ok {
			return v
		}
		if v, ok := q["*"]; ok {
			return v
		}
		return missing
	}
	best, bestQ := "", 0.0
	for _, c := range []struct {
		name string
		have bool
		q    float64
	}{
		{"br", haveBr, of("br", 0)},
		{"gzip", haveGzip, of("gzip", 0)},
		// Plain bytes are acceptable unless they are refused by name or by "*",
		// but whoever did not name them likes any coding he named better.
		{identity, true, of(identity, 0.0001)},
	} {
		if c.have && c.q > bestQ {
			best, bestQ = c.name, c.q
		}
	}
	return best
}

// quality reads the q of "; q=0.5"; what can't be read counts as refused.
func quality(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(p, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || v < 0 || v > 1 {
			return 0
		}
		return v
	}
	return 1
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil // not with a constant level
	}
	if _, err := z.Write(data); err != nil {
		return nil // a buffer takes everything
	}
	if err := z.Close(); err != nil {
		return nil
	}
	return b.Bytes()
}

func brotlied(data []byte) []byte {
	var b bytes.Buffer
	z := brotli.NewWriterLevel(&b, brotli.BestCompression)
	if _, err := z.Write(data); err != nil {
		return nil
	}
	if err := z.Close(); err != nil {
		return nil
	}
	return b.Bytes()
}

// smaller is packed where packing paid.
func smaller(packed, data []byte) []byte {
	if packed == nil || len(packed) >= len(data) {
		return nil
	}
	return packed
}
