package chartshelm_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"pgregory.net/rapid"

	"portside/shared/charts"
	"portside/shared/charts/chartshelm"
	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
	"portside/testclient/scale"
)

// single matches names that scopes can contain: letters and digits, with the separators that scopes allow between them.
var single = regexp.MustCompile(`^[A-Za-z0-9]+((\.|_|__|-+)[A-Za-z0-9]+)*$`)

// TestNamesAreThoseOfHelmThatScopesCanName draws names of all kinds. A name is accepted if and only if it passes the
// validation that `helm package` and `helm pull` use, and a scope and an entitlement can contain it. For a name that
// only Helm accepts, the message says why it is refused.
func TestNamesAreThoseOfHelmThatScopesCanName(t *testing.T) {
	rapid.Check(scale.ChecksOf(t, 400), func(rt *rapid.T) {
		name := rapid.OneOf(
			rapid.StringMatching(`[A-Za-z0-9]{1,3}([._-]{1,2}[A-Za-z0-9]{1,3}){0,3}`),
			rapid.StringMatching(`[A-Za-z0-9._-]{1,8}`),
			rapid.StringMatching(`[ -~]{1,6}`), rapid.StringMatching(`[A-Z]{249,252}`), rapid.StringOfN(rapid.Rune(), 1, 4, -1),
		).Draw(rt, "name")
		metadata := &chart.Metadata{APIVersion: chart.APIVersionV2, Name: name, Version: "1.0.0"}
		isPackaged := metadata.Validate() == nil && metadata.Name == name // Helm replaces characters that are not printable
		want := isPackaged && len(name) <= 250 && single.MatchString(name)

		file := name + "-1.0.0.tgz"
		yaml := "apiVersion: v2\nversion: 1.0.0\nname: " + quoted(name) + "\n"
		version, err := chartshelm.New(maxBytes).
			Inspect(t.Context(), file, pack(t, member{name: "app/Chart.yaml", text: yaml}))
		if (err == nil) != want {
			rt.Fatalf("the name %q got %v; Helm accepts it: %v", name, err, isPackaged)
		}
		if err == nil {
			scope := principal.ReadCharts + ":" + principal.Scope(name)
			if version.Name != name || !scope.Known() || !scope.Permits(principal.ReadCharts, name) ||
				!entitlement.IsPattern(name) {
				rt.Fatalf("%q is accepted as %+v, but nothing can name it", name, version)
			}
			return
		}
		refusal, isRefusal := errors.AsType[*charts.Refusal](err)
		if !isRefusal || isPackaged &&
			!strings.Contains(refusal.Reason, "neither scopes nor entitlements could name the chart") {
			rt.Fatalf("%q is refused with %v", name, err)
		}
	})
}

// quoted returns a text as YAML, which JSON is.
func quoted(text string) string {
	encoded, _ := json.Marshal(text)
	return string(encoded)
}
