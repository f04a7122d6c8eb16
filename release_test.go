package portside_test

import (
	"os"
	"regexp"
	"testing"

	"portside/shared/web"
)

// TestChangelogHasTheRelease compares the newest release of the changelog with the version of the service.
func TestChangelogHasTheRelease(t *testing.T) {
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	newest := regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$`).FindStringSubmatch(string(text))
	if len(newest) != 2 || newest[1] != web.ReleaseVersion {
		t.Errorf("the newest release of CHANGELOG.md is %q, and the service has the version %s", newest, web.ReleaseVersion)
	}
}
