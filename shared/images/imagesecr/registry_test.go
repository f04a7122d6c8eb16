package imagesecr_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"portside/shared/images/imagesecr"
	"portside/testclient/scale"
)

// TestOffersMeansThePattern compares random patterns and names with the regular expression of the same meaning.
func TestOffersMeansThePattern(t *testing.T) {
	texts := rapid.StringOfN(rapid.SampledFrom([]rune("ab/*")), 0, 6, -1)
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		pattern := texts.Draw(t, "pattern")
		name := strings.ReplaceAll(texts.Draw(t, "name"), "*", "")
		want := regexp.MustCompile("^" + strings.ReplaceAll(pattern, "*", ".*") + "$").MatchString(name)
		if got := imagesecr.NewRegistry(nil, pattern).Offers(name); got != want {
			t.Errorf("%q offers %q: %t, want %t", pattern, name, got, want)
		}
	})
}
