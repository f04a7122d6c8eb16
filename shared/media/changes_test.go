package media_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/files"
	"portside/documents/kind"
	"portside/documents/offline"
	"portside/shared/media"
)

// offlineService returns a service with the offline engine.
func offlineService() *media.Service {
	return media.NewService(media.Parts{
		Detect: kind.Detect, Readers: files.Readers(), Engine: offline.New(), Results: memoryResults{}, Limits: documents.DefaultLimits(),
	})
}

// compareTexts compares two texts without variables.
func compareTexts(t *testing.T, first, second string) media.Answer {
	t.Helper()
	return answerTexts(t, offlineService(), media.Question{Task: media.Compare}, first, second)
}

func TestComparisonWithoutVariablesHasTheChanges(t *testing.T) {
	const before = "Lease for Äpfel Street 4\n\nThe rent is 1,450 EUR a month.\n\nPets are not allowed."
	const after = "Lease for Äpfel Street 4\n\nThe rent is 1,500 EUR a month.\n\nThe landlord insures the building."
	got, err := json.Marshal(compareTexts(t, before, after).Changes)
	const want = `[{"kind":"changed","first":{"text":"The rent is 1,450 EUR a month.","page":0,"start":25,"end":55},` +
		`"second":{"text":"The rent is 1,500 EUR a month.","page":0,"start":25,"end":55},"words":[{"first":"1,450","second":"1,500"}]},` +
		`{"kind":"removed","first":{"text":"Pets are not allowed.","page":0,"start":56,"end":77}},` +
		`{"kind":"added","second":{"text":"The landlord insures the building.","page":0,"start":56,"end":90}}]`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	if same := compareTexts(t, before, before); same.Changes == nil || len(same.Changes) != 0 || len(same.Warnings) != 0 {
		t.Errorf("equal texts: %+v", same)
	}
}

func TestMovedSentencesAreNoChangesButAWarning(t *testing.T) {
	answer := compareTexts(t, "Pets are not allowed.\n\nThe rent is 1,450 EUR a month.\n\nThe tenant cleans the stairs every week.",
		"The rent is 1,450 EUR a month.\n\nThe tenant cleans the stairs every week. Pets are not allowed.")
	if len(answer.Changes) != 0 || len(answer.Warnings) != 1 || !strings.HasSuffix(answer.Warnings[0], "second file: 1.") {
		t.Errorf("changes %+v, warnings %q", answer.Changes, answer.Warnings)
	}
}

func TestChangesFitIntoAResponse(t *testing.T) {
	var before, after strings.Builder
	for i := range 900 {
		fmt.Fprintf(&before, "%d %s\n\n", i, strings.Repeat("<a> ", 300))
		fmt.Fprintf(&after, "%d %s\n\n", i+5000, strings.Repeat("<b> ", 300))
	}
	answer := compareTexts(t, before.String(), after.String())
	text, err := json.Marshal(answer)
	if err != nil || len(text) > 4<<20 || len(answer.Warnings) != 1 || len(answer.Changes) == 0 {
		t.Errorf("%d bytes with %d changes, warnings %q, %v", len(text), len(answer.Changes), answer.Warnings, err)
	}
	long := compareTexts(t, "a", strings.Repeat("é ", 5_000))
	if n := len([]rune(long.Changes[1].Second.Text)); n != 2_000 {
		t.Errorf("a clause has %d characters", n)
	}
}
