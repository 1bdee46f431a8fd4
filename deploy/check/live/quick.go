package live

import (
	"regexp"
	"time"

	"sigs.k8s.io/yaml"

	"oxo/deploy/check/shown"
)

// Rules made for hours cannot be tried in minutes. In quick time every window,
// offset and for: lasts a twentieth, windows at least 10 s (five scrapes).
// Thresholds stay, as do the expressions. The rules as they are committed are
// tested by promtool, which can wait for hours.
const (
	quicker     = 20
	leastWindow = 10 * time.Second
)

var (
	windows = regexp.MustCompile(`\[(\d+[smh])(:\d*[smh]?)?\]`)
	offsets = regexp.MustCompile(`offset (\d+[smh])`)
)

// quickRules are the rules of a folder in quick time.
func quickRules(dir string) (string, error) {
	groups, err := shown.RuleFiles(dir)
	if err != nil {
		return "", err
	}
	for i := range groups {
		groups[i].Interval = "1s"
		for j := range groups[i].Rules {
			r := &groups[i].Rules[j]
			r.Expr = quickExpr(r.Expr)
			if r.For != "" {
				r.For = quick(r.For, time.Second)
			}
		}
	}
	text, err := yaml.Marshal(shown.Rules{Groups: groups})
	return string(text), err
}

func quickExpr(expr string) string {
	expr = windows.ReplaceAllStringFunc(expr, func(s string) string {
		return "[" + quick(windows.FindStringSubmatch(s)[1], leastWindow) + "]"
	})
	return offsets.ReplaceAllStringFunc(expr, func(s string) string {
		return "offset " + quick(offsets.FindStringSubmatch(s)[1], leastWindow)
	})
}

// quick is a twentieth of a duration, but no less than least.
func quick(d string, least time.Duration) string {
	long, err := time.ParseDuration(d)
	if err != nil {
		return d
	}
	return max(long/quicker, least).Truncate(time.Second).String()
}
