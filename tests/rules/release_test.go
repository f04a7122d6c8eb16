package rules_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"portside/shared/web"
)

var releaseHeading = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$`)

func changelog(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(root + "/CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReleasesBeginWithTheUpgrade shows that a release says in one page what to do first, and that the section for
// further work is on top.
func TestReleasesBeginWithTheUpgrade(t *testing.T) {
	const page = 60
	before, rest, found := strings.Cut(changelog(t), "\n## [Unreleased]\n")
	if !found || strings.Contains(before, "\n## ") {
		t.Error("the section [Unreleased] is not the first one")
	}
	for _, place := range releaseHeading.FindAllStringIndex(rest, -1) {
		heading, section, _ := strings.Cut(rest[place[0]:], "\n")
		section, _, _ = strings.Cut(section, "\n## ")
		parts := strings.Split(section, "\n### ")
		if len(parts) < 2 || !strings.HasPrefix(parts[1], "Before you upgrade\n") {
			t.Errorf("%s does not begin with *Before you upgrade*", heading)
		} else if lines := strings.Count(parts[1], "\n"); lines > page {
			t.Errorf("%s: the upgrade has %d lines, more than a page of %d", heading, lines, page)
		}
	}
}

// TestChangelogHasTheRelease compares the newest release of the changelog with the version of the service.
func TestChangelogHasTheRelease(t *testing.T) {
	newest := releaseHeading.FindStringSubmatch(changelog(t))
	if len(newest) != 2 || newest[1] != web.ReleaseVersion {
		t.Errorf("the newest release of CHANGELOG.md is %q, and the service has the version %s", newest, web.ReleaseVersion)
	}
}
