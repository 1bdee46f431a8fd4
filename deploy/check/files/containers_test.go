package files

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"sigs.k8s.io/yaml"
)

func compose(t *testing.T, profiles ...string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(deploy, "compose/compose.yaml")}, cli.WithProfiles(profiles))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func TestCompose(t *testing.T) {
	plain, watched := compose(t), compose(t, "monitoring")
	if got, want := plain.ServiceNames(), []string{"nginx", "oxo-1", "oxo-2", "redis"}; !slices.Equal(got, want) {
		t.Errorf("services %v, want %v", got, want)
	}
	if got := watched.ServiceNames(); len(got) != 8 {
		t.Errorf("services with monitoring: %v", got)
	}
	for _, s := range watched.Services {
		for _, v := range s.Volumes {
			if v.Type != types.VolumeTypeBind {
				continue
			}
			if _, err := os.Stat(v.Source); err != nil {
				t.Errorf("%s mounts what is not there: %v", s.Name, err)
			}
		}
		if strings.HasSuffix(s.Image, ":latest") || !strings.Contains(s.Image, ":") {
			t.Errorf("%s runs %q, want a release", s.Name, s.Image)
		}
	}
	redis := strings.Join(plain.Services["redis"].Command, " ")
	for _, want := range []string{"--appendonly yes", "--maxmemory-policy noeviction"} {
		if !strings.Contains(redis, want) {
			t.Errorf("redis runs as %q, without %q", redis, want)
		}
	}
	proxy := plain.Services["nginx"].Networks["front"].Ipv4Address
	for _, name := range []string{"oxo-1", "oxo-2"} {
		node := plain.Services[name]
		if trusted := node.Environment["OXO_TRUSTED_PROXIES"]; trusted == nil || *trusted != proxy {
			t.Errorf("%s does not trust nginx at %s", name, proxy)
		}
		if !strings.Contains(read(t, "nginx/oxo.conf"), "server "+name+":8080 max_fails=0;") {
			t.Errorf("nginx does not know %s", name)
		}
		if !strings.Contains(read(t, "prometheus/prometheus.yml"), name+":8081") {
			t.Errorf("Prometheus does not know %s", name)
		}
		if _, err := os.Stat(filepath.Join(node.Build.Context, "Dockerfile")); err != nil {
			t.Errorf("%s is built from %s: %v", name, node.Build.Context, err)
		}
	}
}

// Grafana finds the folder it is told to provision, under a uid that stays.
func TestGrafanaProvisioning(t *testing.T) {
	var sources struct {
		APIVersion  int `json:"apiVersion"`
		Datasources []struct {
			UID, Type, URL string
		}
	}
	var boards struct {
		APIVersion int `json:"apiVersion"`
		Providers  []struct {
			Options struct{ Path string }
		}
	}
	for name, into := range map[string]any{"datasources/prometheus.yml": &sources, "dashboards/oxo.yml": &boards} {
		if err := yaml.Unmarshal([]byte(read(t, "grafana/provisioning/"+name)), into); err != nil {
			t.Fatal(err)
		}
	}
	if len(sources.Datasources) != 1 || sources.Datasources[0].UID != "oxo-prometheus" || sources.Datasources[0].Type != "prometheus" {
		t.Errorf("data sources %+v", sources.Datasources)
	}
	mounted := false
	for _, v := range compose(t, "monitoring").Services["grafana"].Volumes {
		mounted = mounted || len(boards.Providers) == 1 && v.Target == boards.Providers[0].Options.Path
	}
	if !mounted {
		t.Errorf("nothing is mounted where dashboards are looked for: %+v", boards.Providers)
	}
}

// lintDockerfile parses a Dockerfile and every instruction in it.
func lintDockerfile(text []byte) ([]string, error) {
	var said []string
	lint := linter.New(&linter.Config{Warn: func(rule, _, _, message string, _ []parser.Range) {
		said = append(said, rule+": "+message)
	}})
	parsed, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	for _, w := range parsed.Warnings {
		said = append(said, w.Short)
	}
	_, _, err = instructions.Parse(parsed.AST, lint)
	return said, err
}

func TestDockerfile(t *testing.T) {
	text := []byte(read(t, "../Dockerfile"))
	if said, err := lintDockerfile(text); err != nil || len(said) > 0 {
		t.Errorf("%v %q", err, said)
	}
	for from, to := range map[string]string{"EXPOSE ": "EXPOSED ", "COPY go.mod go.sum ./": "COPY go.mod", "HEALTHCHECK --interval=10s": "HEALTHCHECK --intervall=10s"} {
		broken := bytes.Replace(text, []byte(from), []byte(to), 1)
		if said, err := lintDockerfile(broken); err == nil && len(said) == 0 {
			t.Errorf("with %q in the place of %q it passes too", to, from)
		}
	}
	for _, want := range []string{"CGO_ENABLED=0", "-trimpath", "-buildid=", "nonroot", `"healthcheck"`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("there is no %s in it", want)
		}
	}
}
