package live

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// patience is how long anything may take to start or to notice.
const patience = 30 * time.Second

// Topology is everything that runs.
type Topology struct {
	Oxo    string // the binary
	Deploy string // the folder deploy
	Dir    string // for logs and data

	redis, exporter, nginx, prometheus *process
	nodes                              [2]*Node

	redisPort, exporterPort, nginxPort, prometheusPort int
}

// Node is one oxo.
type Node struct {
	Name        string
	port, admin int
	process     *process
}

// Instance is what Prometheus calls the node.
func (n *Node) Instance() string { return n.Name + ":8081" }

// target is the node as Prometheus finds it, under the name it has elsewhere.
func (n *Node) target() string {
	return fmt.Sprintf(`- {targets: ["127.0.0.1:%d"], labels: {instance: %q}}`, n.admin, n.Instance())
}

func (n *Node) url(path string) string { return fmt.Sprintf("http://127.0.0.1:%d%s", n.admin, path) }

// Start starts everything and waits until it is up.
func (t *Topology) Start(ctx context.Context) error {
	ports, err := freePorts(8)
	if err != nil {
		return err
	}
	t.redisPort, t.exporterPort, t.nginxPort, t.prometheusPort = ports[0], ports[1], ports[2], ports[3]
	for i := range t.nodes {
		t.nodes[i] = &Node{Name: fmt.Sprintf("oxo-%d", i+1), port: ports[4+i], admin: ports[6+i]}
	}
	for _, step := range []func(context.Context) error{t.startRedis, t.startExporter, t.startNodes, t.startNginx, t.startPrometheus} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Stop ends every process that was started.
func (t *Topology) Stop() {
	all := []*process{t.prometheus, t.nginx, t.exporter}
	for _, n := range t.nodes {
		if n != nil {
			all = append(all, n.process)
		}
	}
	for _, p := range append(all, t.redis) {
		if p != nil {
			p.kill()
		}
	}
}

// Tails is what each process said last, for whoever looks for a fault.
func (t *Topology) Tails() string {
	var out strings.Builder
	all := []*process{t.redis, t.nginx, t.prometheus}
	for _, n := range t.nodes {
		if n != nil {
			all = append(all, n.process)
		}
	}
	for _, p := range all {
		if p != nil {
			fmt.Fprintf(&out, "--- %s\n%s\n", p.name, p.tail())
		}
	}
	return out.String()
}

// startRedis starts Redis with the settings that compose gives it.
func (t *Topology) startRedis(ctx context.Context) (err error) {
	t.redis, err = start(t.Dir, "redis", "redis-server", "--port", fmt.Sprint(t.redisPort), "--bind", "127.0.0.1", "--dir", t.Dir,
		"--save", "", "--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory", "512mb", "--maxmemory-policy", "noeviction")
	return err
}

func (t *Topology) startExporter(context.Context) (err error) {
	t.exporter, err = start(t.Dir, "redis-exporter", "prometheus-redis-exporter",
		"-redis.addr", fmt.Sprintf("redis://127.0.0.1:%d", t.redisPort), "-web.listen-address", fmt.Sprintf("127.0.0.1:%d", t.exporterPort))
	return err
}

func (t *Topology) startNodes(ctx context.Context) error {
	for _, n := range t.nodes {
		if err := t.startNode(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// startNode starts a node, with more flags than usual if a fault wants them,
// and waits until it is ready.
func (t *Topology) startNode(ctx context.Context, n *Node, more ...string) (err error) {
	args := []string{"serve",
		"--addr", fmt.Sprintf("127.0.0.1:%d", n.port), "--admin-addr", fmt.Sprintf("127.0.0.1:%d", n.admin),
		"--store", fmt.Sprintf("redis://127.0.0.1:%d/0", t.redisPort), "--trusted-proxies", "127.0.0.1", "--log-format", "json",
		"--max-connections", "2000",
	}
	if n.process, err = start(t.Dir, n.Name, t.Oxo, append(args, more...)...); err != nil {
		return err
	}
	if err := eventually(ctx, patience, func() error { return answers(n.url("/readyz")) }); err != nil {
		return fmt.Errorf("%s is not ready: %w\n%s", n.Name, err, n.process.tail())
	}
	return nil
}

// replaced puts other texts in the place of some, each of which must be there.
func replaced(text string, pairs ...string) (string, error) {
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			return "", fmt.Errorf("there is no %q to replace", pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text, nil
}

// startNginx starts nginx with the committed file, its ports replaced.
func (t *Topology) startNginx(ctx context.Context) error {
	text, err := os.ReadFile(filepath.Join(t.Deploy, "nginx", "oxo.conf"))
	if err != nil {
		return err
	}
	conf, err := replaced(string(text),
		"oxo-1:8080", fmt.Sprintf("127.0.0.1:%d", t.nodes[0].port),
		"oxo-2:8080", fmt.Sprintf("127.0.0.1:%d", t.nodes[1].port),
		"listen 80;", fmt.Sprintf("listen 127.0.0.1:%d;", t.nginxPort))
	if err != nil {
		return fmt.Errorf("nginx/oxo.conf: %w", err)
	}
	dir := filepath.Join(t.Dir, "nginx")
	site, main := filepath.Join(dir, "oxo.conf"), filepath.Join(dir, "nginx.conf")
	for name, content := range map[string]string{site: conf, main: Wrapper(dir, site)} {
		if err := write(name, content); err != nil {
			return err
		}
	}
	if t.nginx, err = start(t.Dir, "nginx", "nginx", "-e", "stderr", "-p", dir, "-c", main); err != nil {
		return err
	}
	return eventually(ctx, patience, func() error { return answers(fmt.Sprintf("http://127.0.0.1:%d/api/variants", t.nginxPort)) })
}

func write(name, content string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(content), 0o644)
}

// alertmanagers is the part of the configuration for which nothing runs here.
var alertmanagers = regexp.MustCompile(`(?m)^alerting:\n(?: .*\n)+`)

// startPrometheus starts Prometheus with the committed configuration, its
// targets replaced, and with the rules in quick time (see quick).
func (t *Topology) startPrometheus(ctx context.Context) error {
	text, err := os.ReadFile(filepath.Join(t.Deploy, "prometheus", "prometheus.yml"))
	if err != nil {
		return err
	}
	conf, err := replaced(alertmanagers.ReplaceAllString(string(text), ""),
		`- targets: ["oxo-1:8081", "oxo-2:8081"]`, t.nodes[0].target()+"\n      "+t.nodes[1].target(),
		`- targets: ["redis-exporter:9121"]`, fmt.Sprintf(`- {targets: ["127.0.0.1:%d"], labels: {instance: "redis-exporter:9121"}}`, t.exporterPort),
		"localhost:9090", fmt.Sprintf("127.0.0.1:%d", t.prometheusPort),
		"evaluation_interval: 15s", "evaluation_interval: 1s",
		"rules/*.yml", "rules.yml")
	if err != nil {
		return fmt.Errorf("prometheus.yml: %w", err)
	}
	rules, err := quickRules(filepath.Join(t.Deploy, "prometheus", "rules"))
	if err != nil {
		return err
	}
	dir := filepath.Join(t.Dir, "prometheus")
	for name, content := range map[string]string{"prometheus.yml": conf, "rules.yml": rules} {
		if err := write(filepath.Join(dir, name), content); err != nil {
			return err
		}
	}
	t.prometheus, err = start(t.Dir, "prometheus", "prometheus", "--config.file="+filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path="+filepath.Join(dir, "data"), fmt.Sprintf("--web.listen-address=127.0.0.1:%d", t.prometheusPort))
	if err != nil {
		return err
	}
	return eventually(ctx, patience, func() error { return answers(t.prom("/-/ready")) })
}

func (t *Topology) prom(path string) string {
	return fmt.Sprintf("http://127.0.0.1:%d%s", t.prometheusPort, path)
}

// site is where players connect.
func (t *Topology) site() string { return fmt.Sprintf("127.0.0.1:%d", t.nginxPort) }

// terminate stops a node as systemd and Kubernetes do, and waits for its end.
func (n *Node) terminate(limit time.Duration) error {
	if err := n.process.signal(syscall.SIGTERM); err != nil {
		return err
	}
	return n.process.wait(limit)
}
