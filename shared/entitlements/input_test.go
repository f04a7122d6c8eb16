package entitlements_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"portside/shared/core/entitlement"
	"portside/shared/core/fault"
	"portside/shared/entitlements"
)

// pointersOf returns the pointers of failures.
func pointersOf(failures []fault.Field) []string {
	var pointers []string
	for _, failure := range failures {
		pointers = append(pointers, failure.Pointer)
	}
	return pointers
}

func TestInputIsChecked(t *testing.T) {
	for name, c := range map[string]struct {
		input entitlements.New
		want  []string
	}{
		"minimal": {entitlements.New{Artifact: entitlement.Image, Repository: "*"}, nil},
		"spaces": {entitlements.New{Artifact: entitlement.Chart, Repository: " acme/* ",
			Versions: " ^1.2.0 "}, nil},
		"empty":            {entitlements.New{}, []string{"/artifact", "/repository"}},
		"unknown artifact": {entitlements.New{Artifact: "Chart", Repository: "acme"}, []string{"/artifact"}},
		"bad pattern":      {entitlements.New{Artifact: entitlement.Chart, Repository: "acme*"}, []string{"/repository"}},
		"bad versions": {entitlements.New{Artifact: entitlement.Chart, Repository: "acme", Versions: "latest"},
			[]string{"/versions"}},
		"versions and period": {
			entitlements.New{Artifact: entitlement.Chart, Repository: "acme", Versions: "latest", From: noon, Until: noon},
			[]string{"/versions", "/until"},
		},
		"spaces as versions": {
			entitlements.New{Artifact: entitlement.Chart, Repository: "acme", Versions: " "}, []string{"/versions"},
		},
		"long pattern": {
			entitlements.New{Artifact: entitlement.Chart, Repository: strings.Repeat("a", 256)}, []string{"/repository"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := pointersOf(c.input.Check()); !slices.Equal(got, c.want) {
				t.Errorf("failures of %q, want %q", got, c.want)
			}
		})
	}
}

// Stores would take the beginning of 1970 for no end, and responses cannot show the year 10000.
func TestTimesAreChecked(t *testing.T) {
	east, west := time.FixedZone("east", 12*60*60), time.FixedZone("west", -12*60*60)
	for _, c := range []struct {
		at   time.Time
		good bool
	}{
		{time.Time{}, true}, {time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), true}, {time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), true},
		{time.UnixMilli(0), false}, {time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), false},
		{time.Date(2000, 1, 1, 11, 0, 0, 0, east), false}, {time.Date(9999, 12, 31, 23, 0, 0, 0, west), false},
	} {
		for pointer, change := range map[string]entitlements.Change{"/from": {From: &c.at}, "/until": {Until: &c.at}} {
			t.Run(pointer+" at "+c.at.String(), func(t *testing.T) {
				got := pointersOf(change.Check())
				if c.good && len(got) > 0 || !c.good && !slices.Equal(got, []string{pointer}) {
					t.Errorf("failures of %q, want accepted = %v", got, c.good)
				}
			})
		}
	}
}

func TestInputIsNormalized(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 3, 2, 10, 0, 0, 1_999_999, time.FixedZone("east", 60*60))
	input := entitlements.New{Artifact: entitlement.Chart, Repository: " acme/* ", From: from}
	got := input.Apply(entitlement.Entitlement{})
	if got.Repository != "acme/*" || got.Versions.String() != "*" ||
		got.From != time.Date(2026, 3, 2, 9, 0, 0, 1_000_000, time.UTC) {
		t.Errorf("%+v", got)
	}
	if !got.Until.IsZero() {
		t.Errorf("it ends at %v", got.Until)
	}
	none := time.Time{}
	if got = (entitlements.Change{From: &none}).Apply(got); !got.From.IsZero() {
		t.Errorf("it begins at %v", got.From)
	}
}
