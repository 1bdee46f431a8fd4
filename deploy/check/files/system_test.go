package files

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"oxo/deploy/check/live"
)

// nginx takes the file, with servers that exist and folders that may be
// written to.
func TestNginx(t *testing.T) {
	dir := t.TempDir()
	text := read(t, "nginx/oxo.conf")
	for from, to := range map[string]string{"oxo-1:8080": "127.0.0.1:8080", "oxo-2:8080": "127.0.0.1:8081", "listen 80;": "listen 127.0.0.1:8088;"} {
		if strings.Count(text, from) != 1 {
			t.Fatalf("oxo.conf has %q %d times, want it once", from, strings.Count(text, from))
		}
		text = strings.Replace(text, from, to, 1)
	}
	conf := write(t, filepath.Join(dir, "conf.d", "oxo.conf"), text)
	main := write(t, filepath.Join(dir, "nginx.conf"), live.Wrapper(dir, conf))
	out, err := run(t, "nginx-light", "nginx", "-t", "-q", "-e", "stderr", "-p", dir, "-c", main)
	if err != nil || strings.Contains(out, "[warn]") {
		t.Errorf("nginx -t: %v\n%s", err, out)
	}
}

// systemd takes the unit without a word: its exit code is 0 even where it
// ignores a key.
func TestSystemd(t *testing.T) {
	dir := t.TempDir()
	unit := read(t, "systemd/oxo.service")
	for from, to := range map[string]string{"/usr/local/bin/oxo": "/bin/true", "/etc/oxo.env": filepath.Join(dir, "oxo.env")} {
		unit = strings.ReplaceAll(unit, from, to)
	}
	write(t, filepath.Join(dir, "oxo.env"), read(t, "systemd/oxo.env"))
	out, err := run(t, "systemd", "systemd-analyze", "verify", write(t, filepath.Join(dir, "oxo.service"), unit))
	if err != nil || strings.TrimSpace(out) != "" {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	bad := write(t, filepath.Join(dir, "bad.service"), strings.Replace(unit, "PrivateTmp=", "PrivateTemp=", 1))
	if out, _ := run(t, "systemd", "systemd-analyze", "verify", bad); strings.TrimSpace(out) == "" {
		t.Error("systemd-analyze verify says nothing of an unknown key")
	}
}

// The environment file has names and values, and comments.
func TestEnvironmentFile(t *testing.T) {
	setting := regexp.MustCompile(`^(#.*|#?OXO_[A-Z_]+=\S+|)$`)
	for line := range strings.Lines(read(t, "systemd/oxo.env")) {
		if !setting.MatchString(strings.TrimRight(line, "\n")) {
			t.Errorf("oxo.env: %q", line)
		}
	}
}
