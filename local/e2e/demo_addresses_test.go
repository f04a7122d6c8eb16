package e2e

import (
	"regexp"
	"strings"
	"testing"
)

// addressVariables matches the lines of docs/operations.md that set the addresses for publishing to a local stack.
var addressVariables = regexp.MustCompile(`(?m)^of_stack\(\) .*\n(?:export .*\n)+`)

// testDocumentedAddresses checks that these lines find each address once.
func testDocumentedAddresses(t *testing.T, m *customerStack) {
	lines := strings.ReplaceAll(addressVariables.FindString(fromRepository(t, "docs", "operations.md")), ".local/data", m.data)
	got := m.machine(t, login{}).shell(t, lines+`printf '%s %s %s' "$AWS_ENDPOINT_URL" "$CHARTS_BUCKET" "$REGISTRY"`)
	if want := m.info.S3 + " " + m.info.Buckets["ChartsBucket"] + " " + m.upstream; got.code != 0 || got.output != want {
		t.Errorf("exit code %d, output %q, want %q", got.code, got.output, want)
	}
}
