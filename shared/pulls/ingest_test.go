package pulls

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/shared/core/loglines"
	"portside/testclient/scale"
)

// TestReadAllClassifiesEachLine checks readAll with arbitrary log lines.
func TestReadAllClassifiesEachLine(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		var lines []loglines.Event
		want, wantBroken := 0, 0
		for range rapid.IntRange(0, 20).Draw(t, "lines") {
			switch message := rapid.OneOf(rapid.Just("pull"), rapid.Just("broken"), rapid.String()).Draw(t, "line"); message {
			case "pull":
				want++
				lines = append(lines, loglines.Event{Message: `{"msg":"pull","pull":{"at":"2026-11-21T08:30:02Z","kind":"chart",` +
					`"repository":"p","reference":"1","credential":"a","owner":"b"}}`})
			case "broken":
				wantBroken++
				lines = append(lines, loglines.Event{Message: `{"msg":"pull","pull":{}}`})
			default:
				lines = append(lines, loglines.Event{Message: message})
			}
		}
		if found, broken := readAll(lines); len(found) != want || broken != wantBroken {
			t.Fatalf("%d pulls and %d invalid lines, want %d and %d", len(found), broken, want, wantBroken)
		}
	})
}

// TestTheFirstRequestOfAPullIsNoCheck has the log lines of clients that send HEAD before they pull.
func TestTheFirstRequestOfAPullIsNoCheck(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	head := func(seconds int, tag string) Pull {
		return Pull{At: noon.Add(time.Duration(seconds) * time.Second), Reference: tag, Digest: "sha256:a",
			Client: "containerd", IsCheck: true}
	}
	get := func(seconds int, reference string) Pull {
		p := head(seconds, reference)
		p.IsCheck = false
		return p
	}
	other := get(1, "1")
	other.Client = "crane"
	moved := get(1, "1")
	moved.Digest = "sha256:b"
	for name, c := range map[string]struct {
		found []Pull
		want  string
	}{
		"by digest":            {[]Pull{head(0, "1"), get(1, "sha256:a")}, "pull 1"},
		"by tag":               {[]Pull{head(0, "1"), get(1, "1")}, "pull 1"},
		"twice":                {[]Pull{head(0, "1"), get(1, "1"), head(2, "1")}, "pull 1"},
		"a minute later":       {[]Pull{head(0, "1"), get(60, "sha256:a")}, "pull 1"},
		"much later":           {[]Pull{head(0, "1"), get(61, "sha256:a")}, "check 1, pull sha256:a"},
		"by digest before":     {[]Pull{get(0, "sha256:a"), head(1, "1")}, "pull sha256:a, check 1"},
		"only checks":          {[]Pull{head(0, "1"), head(0, "1")}, "check 1, check 1"},
		"another tag":          {[]Pull{head(0, "2"), get(1, "1")}, "check 2, pull 1"},
		"the tag asked for":    {[]Pull{head(0, "1"), head(1, "2"), get(2, "sha256:a")}, "check 1, pull 2"},
		"another client":       {[]Pull{head(0, "1"), other}, "check 1, pull 1"},
		"the tag is elsewhere": {[]Pull{head(0, "1"), moved}, "check 1, pull 1"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range withoutParts(c.found) {
				got = append(got, map[bool]string{true: "check ", false: "pull "}[p.IsCheck]+p.Reference)
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		})
	}
}

// TestWithoutPartsLosesNoPull gives arbitrary pulls and checks.
func TestWithoutPartsLosesNoPull(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		found := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Pull {
			p := Pull{
				At:        time.Unix(int64(rapid.IntRange(0, 180).Draw(t, "at")), 0),
				Reference: rapid.SampledFrom([]string{"1", "2", "sha256:a"}).Draw(t, "reference"), Digest: "sha256:a",
				Client: rapid.SampledFrom([]string{"crane", "helm"}).Draw(t, "client"), IsCheck: rapid.Bool().Draw(t, "check"),
			}
			if p.IsCheck && p.ByDigest() {
				p.Reference = "1"
			}
			return p
		}), 0, 12).Draw(t, "found")
		var pulled, kept []time.Time
		for _, p := range found {
			if !p.IsCheck {
				pulled = append(pulled, p.At)
			}
		}
		for _, p := range withoutParts(slices.Clone(found)) {
			if !p.IsCheck {
				kept = append(kept, p.At)
				continue
			}
			for _, other := range found { // a remaining check is not near a pull of its tag by the same client
				if !other.IsCheck && other.Client == p.Client && other.Reference == p.Reference && other.At.Sub(p.At).
					Abs() <= time.Minute {
					t.Fatalf("the check %+v is a part of the pull %+v", p, other)
				}
			}
		}
		if !slices.EqualFunc(pulled, kept, time.Time.Equal) {
			t.Fatalf("the pulls at %v became %v", pulled, kept)
		}
	})
}
