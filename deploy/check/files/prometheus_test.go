package files

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"oxo/deploy/check/shown"
)

func TestPrometheus(t *testing.T) {
	passes(t, "prometheus", "promtool", append([]string{"check", "rules", "--lint=all", "--lint-fatal"}, glob(t, "prometheus/rules/*.yml")...)...)
	for _, name := range glob(t, "prometheus/*.yml") {
		passes(t, "prometheus", "promtool", "check", "config", "--lint=all", "--lint-fatal", name)
	}
}

func TestAlertsInTime(t *testing.T) {
	for _, name := range glob(t, "prometheus/tests/*_test.yml") {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			passes(t, "prometheus", "promtool", "test", "rules", name)
		})
	}
}

func TestAlertmanager(t *testing.T) {
	name := filepath.Join(deploy, "alertmanager/alertmanager.yml")
	passes(t, "prometheus-alertmanager", "amtool", "check-config", name)
	for severity, want := range map[string]string{"page": "page", "ticket": "ticket"} {
		passes(t, "prometheus-alertmanager", "amtool", "config", "routes", "test", "--config.file="+name, "--verify.receivers="+want, "severity="+severity)
	}
}

// heading is the heading of a runbook.
var heading = regexp.MustCompile(`(?m)^### (\w+)$`)

// Every alert has its texts, a section in the runbooks, a test in which it
// fires, and one in which all is well and it does not.
func TestAlertsAreComplete(t *testing.T) {
	groups, err := shown.RuleFiles(filepath.Join(deploy, "prometheus/rules"))
	if err != nil {
		t.Fatal(err)
	}
	fires, rests := tested(t)
	runbooks := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(read(t, "runbooks.md"), -1) {
		runbooks[h[1]] = true
	}
	seen := map[string]bool{}
	for _, g := range groups {
		for _, r := range g.Rules {
			if r.Alert == "" {
				continue
			}
			if seen[r.Alert] {
				t.Errorf("%s is there twice", r.Alert)
			}
			seen[r.Alert] = true
			for _, text := range []string{"summary", "description", "runbook_url"} {
				if r.Annotations[text] == "" {
					t.Errorf("%s has no %s", r.Alert, text)
				}
			}
			if s := r.Labels["severity"]; "oxo-"+s != g.Name {
				t.Errorf("%s has the severity %q in the group %s", r.Alert, s, g.Name)
			}
			if want := "deploy/runbooks.md#" + strings.ToLower(r.Alert); r.Annotations["runbook_url"] != want || !runbooks[r.Alert] {
				t.Errorf("%s has the runbook %q, want %q, and a section there", r.Alert, r.Annotations["runbook_url"], want)
			}
			if !fires[r.Alert] || !rests[r.Alert] {
				t.Errorf("%s: tested to fire: %v, to be silent at rest: %v", r.Alert, fires[r.Alert], rests[r.Alert])
			}
		}
	}
	for name := range runbooks {
		if !seen[name] {
			t.Errorf("the runbooks have a section on %s, which no rule fires", name)
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d alerts were found", len(seen))
	}
}

// tested are the alerts that fire in some test, and those silent at rest.
func tested(t *testing.T) (fires, rests map[string]bool) {
	t.Helper()
	fires, rests = map[string]bool{}, map[string]bool{}
	for _, name := range glob(t, "prometheus/tests/*_test.yml") {
		var file struct {
			Tests []struct {
				AlertRuleTest []struct {
					Alertname string `json:"alertname"`
					ExpAlerts []any  `json:"exp_alerts"`
				} `json:"alert_rule_test"`
			} `json:"tests"`
		}
		text, err := os.ReadFile(name)
		if err == nil {
			err = yaml.Unmarshal(text, &file)
		}
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", name, err))
		}
		for _, test := range file.Tests {
			for _, a := range test.AlertRuleTest {
				switch {
				case len(a.ExpAlerts) > 0:
					fires[a.Alertname] = true
				case strings.HasSuffix(name, "rest_test.yml"):
					rests[a.Alertname] = true
				}
			}
		}
	}
	return fires, rests
}

// What the rules name is what Alertmanager's inhibitions name.
func TestInhibitionsNameAlerts(t *testing.T) {
	rules := ""
	for _, name := range glob(t, "prometheus/rules/*.yml") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rules += string(text)
	}
	for _, name := range regexp.MustCompile(`Oxo\w+`).FindAllString(read(t, "alertmanager/alertmanager.yml"), -1) {
		if !strings.Contains(rules, "alert: "+name+"\n") {
			t.Errorf("alertmanager.yml names %s, which no rule fires", name)
		}
	}
}
