package pulls

import (
	"testing"

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
