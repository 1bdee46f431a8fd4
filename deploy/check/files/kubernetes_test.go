package files

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// kinds has an empty object of each kind that the manifests use.
var kinds = map[string]func() any{
	"v1 Namespace":                           func() any { return new(core.Namespace) },
	"v1 ConfigMap":                           func() any { return new(core.ConfigMap) },
	"v1 Service":                             func() any { return new(core.Service) },
	"apps/v1 Deployment":                     func() any { return new(apps.Deployment) },
	"apps/v1 StatefulSet":                    func() any { return new(apps.StatefulSet) },
	"networking.k8s.io/v1 Ingress":           func() any { return new(networking.Ingress) },
	"networking.k8s.io/v1 NetworkPolicy":     func() any { return new(networking.NetworkPolicy) },
	"policy/v1 PodDisruptionBudget":          func() any { return new(policy.PodDisruptionBudget) },
	"autoscaling/v2 HorizontalPodAutoscaler": func() any { return new(autoscaling.HorizontalPodAutoscaler) },
}

// decode is strict: no field that the kind does not have.
func decode(text string) (any, error) {
	var head struct {
		APIVersion, Kind string
	}
	if err := yaml.Unmarshal([]byte(text), &head); err != nil {
		return nil, err
	}
	empty := kinds[head.APIVersion+" "+head.Kind]
	if empty == nil {
		return nil, os.ErrNotExist
	}
	plain, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return nil, err
	}
	object := empty()
	unknown, err := json.UnmarshalStrict(plain, object) // as the API server: aA is not aa
	return object, errors.Join(append(unknown, err)...)
}

// manifests are all objects, by file.
func manifests(t *testing.T) map[string][]any {
	t.Helper()
	out := map[string][]any{}
	for _, name := range glob(t, "kubernetes/*.yaml") {
		base := filepath.Base(name)
		if base == "kustomization.yaml" {
			continue
		}
		for _, text := range strings.Split(read(t, "kubernetes/"+base), "\n---\n") {
			object, err := decode(text)
			if err != nil {
				t.Errorf("%s: %v", base, err)
				continue
			}
			out[base] = append(out[base], object)
		}
	}
	return out
}

func TestKustomization(t *testing.T) {
	var k struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Namespace  string   `json:"namespace"`
		Resources  []string `json:"resources"`
		Labels     []struct {
			Pairs map[string]string `json:"pairs"`
		} `json:"labels"`
		Images []struct {
			Name    string `json:"name"`
			NewName string `json:"newName"`
			NewTag  string `json:"newTag"`
		} `json:"images"`
	}
	if err := yaml.UnmarshalStrict([]byte(read(t, "kubernetes/kustomization.yaml")), &k); err != nil {
		t.Fatal(err)
	}
	files := slices.Sorted(maps.Keys(manifests(t)))
	if got := slices.Sorted(slices.Values(k.Resources)); !slices.Equal(got, files) {
		t.Errorf("resources %v, want %v", got, files)
	}
}

func first[T any](t *testing.T, objects []any) T {
	t.Helper()
	for _, o := range objects {
		if found, ok := o.(T); ok {
			return found
		}
	}
	t.Fatalf("there is no %T", *new(T))
	panic("unreachable")
}

// What is promised of a deploy: a new node before an old one goes, time to
// drain, and a scale-down that hurts few.
func TestKubernetesDeploy(t *testing.T) {
	all := manifests(t)
	d := first[*apps.Deployment](t, all["deployment.yaml"])
	rolling := d.Spec.Strategy.RollingUpdate
	if rolling.MaxSurge.IntValue() != 1 || rolling.MaxUnavailable.IntValue() != 0 {
		t.Errorf("rolling update %v", rolling)
	}
	pod := d.Spec.Template.Spec
	node := pod.Containers[0]
	if *pod.TerminationGracePeriodSeconds != 75 || node.Lifecycle.PreStop.Sleep.Seconds != 10 {
		t.Errorf("grace %d s, preStop %+v", *pod.TerminationGracePeriodSeconds, node.Lifecycle.PreStop)
	}
	guard := node.SecurityContext
	if !*guard.ReadOnlyRootFilesystem || *guard.AllowPrivilegeEscalation || !*pod.SecurityContext.RunAsNonRoot || guard.Capabilities.Drop[0] != "ALL" {
		t.Errorf("it may too much: %+v", guard)
	}
	budget := first[*policy.PodDisruptionBudget](t, all["scaling.yaml"])
	if budget.Spec.MaxUnavailable.IntValue() != 1 {
		t.Errorf("disruption budget %v", budget.Spec.MaxUnavailable)
	}
	hpa := first[*autoscaling.HorizontalPodAutoscaler](t, all["scaling.yaml"])
	if hpa.Spec.ScaleTargetRef.Name != d.Name || *hpa.Spec.Behavior.ScaleDown.StabilizationWindowSeconds < 600 || *hpa.Spec.MinReplicas < 2 {
		t.Errorf("scaling %+v", hpa.Spec)
	}
	labels := d.Spec.Template.Labels
	ports := map[string]bool{}
	for _, p := range node.Ports {
		ports[p.Name] = true
	}
	headless := 0
	for _, o := range all["services.yaml"] {
		s := o.(*core.Service)
		for k, v := range s.Spec.Selector {
			if labels[k] != v {
				t.Errorf("%s selects %s=%s, which no pod has", s.Name, k, v)
			}
		}
		for _, p := range s.Spec.Ports {
			if !ports[p.TargetPort.StrVal] {
				t.Errorf("%s leads to the port %q, which no pod has", s.Name, p.TargetPort.StrVal)
			}
		}
		if s.Spec.ClusterIP == core.ClusterIPNone {
			headless++
		}
	}
	if headless != 1 {
		t.Errorf("%d headless services, want 1 for the metrics", headless)
	}
}

// The decoder finds what it is for.
func TestDecodingIsStrict(t *testing.T) {
	if _, err := decode("apiVersion: v1\nkind: Service\nspec: {clusterIp: None}\n"); err == nil {
		t.Error("clusterIp passes for clusterIP")
	}
	if _, err := decode("apiVersion: v2\nkind: Service\n"); err == nil {
		t.Error("v2 passes for v1")
	}
}
