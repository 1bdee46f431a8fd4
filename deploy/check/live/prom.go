package live

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Series is one line of an answer.
type Series struct {
	Metric map[string]string `json:"metric"`
	Points [][2]any          `json:"values"`
}

// Value is the number of a point.
func Value(p [2]any) float64 {
	text, _ := p[1].(string)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return v
}

func ask(address string, into any) error {
	resp, err := plain.Get(address)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var answer struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return fmt.Errorf("%s: %w", resp.Status, err)
	}
	if answer.Status != "success" {
		return fmt.Errorf("%s: %s", resp.Status, answer.Error)
	}
	return json.Unmarshal(answer.Data, into)
}

// queryRange asks a question over a time.
func (t *Topology) queryRange(expr string, from, to time.Time, step time.Duration) ([]Series, error) {
	values := url.Values{
		"query": {expr}, "start": {fmt.Sprint(from.Unix())}, "end": {fmt.Sprint(to.Unix())}, "step": {step.String()},
	}
	var data struct{ Result []Series }
	err := ask(t.prom("/api/v1/query_range?"+values.Encode()), &data)
	return data.Result, err
}

// firing are the alerts that fire, each with its labels.
func (t *Topology) firing() ([]map[string]string, error) {
	var data struct {
		Alerts []struct {
			Labels map[string]string
			State  string
		}
	}
	if err := ask(t.prom("/api/v1/alerts"), &data); err != nil {
		return nil, err
	}
	var out []map[string]string
	for _, a := range data.Alerts {
		if a.State == "firing" {
			out = append(out, a.Labels)
		}
	}
	return out, nil
}

// fires tells whether an alert fires with these labels (as name, value, ...).
func (t *Topology) fires(alert string, labels ...string) error {
	all, err := t.firing()
	if err != nil {
		return err
	}
	var names []string
	for _, a := range all {
		names = append(names, a["alertname"])
		fits := a["alertname"] == alert
		for i := 0; i < len(labels); i += 2 {
			fits = fits && a[labels[i]] == labels[i+1]
		}
		if fits {
			return nil
		}
	}
	return fmt.Errorf("%s does not fire; what fires: [%s]", alert, strings.Join(names, " "))
}

// instant asks a question about now.
func (t *Topology) instant(expr string) ([]Series, error) {
	var data struct {
		Result []struct {
			Metric map[string]string
			Value  [2]any
		}
	}
	err := ask(t.prom("/api/v1/query?"+url.Values{"query": {expr}}.Encode()), &data)
	var out []Series
	for _, r := range data.Result {
		out = append(out, Series{r.Metric, [][2]any{r.Value}})
	}
	return out, err
}
