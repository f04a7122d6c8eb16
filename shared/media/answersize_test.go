package media_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/files"
	"portside/shared/media"
)

// wideTable returns a Markdown table below headings, and a schema that asks for its columns in a number of arrays.
func wideTable(rows, columns, arrays int, headings ...string) (text, schema string) {
	var table strings.Builder
	for level, heading := range headings {
		fmt.Fprintf(&table, "%s %s\n\n", strings.Repeat("#", level+1), heading)
	}
	var properties []string
	line := func(cell func(column int) string) {
		for column := range columns {
			table.WriteString("| " + cell(column) + " ")
		}
		table.WriteString("|\n")
	}
	line(func(column int) string { return fmt.Sprintf("column%d", column) })
	line(func(int) string { return "---" })
	for range rows {
		line(func(int) string { return "lantern" })
	}
	for column := range columns {
		properties = append(properties, fmt.Sprintf(`"column%d":{"type":"string"}`, column))
	}
	items := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`
	var lists []string
	for i := range arrays {
		lists = append(lists, fmt.Sprintf(`"list%d":{"type":"array","items":%s}`, i, items))
	}
	return table.String(), `{"type":"object","properties":{` + strings.Join(lists, ",") + `}}`
}

func askBySchema(t *testing.T, text, schema string) (media.Answer, error) {
	t.Helper()
	d, err := files.Read(t.Context(), documents.FromBytes([]byte(text)), documents.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return offlineService().AnswerTexts(t.Context(), media.Question{Task: media.Extract, Schema: json.RawMessage(schema)}, d)
}

// TestEvidenceIsLimited asks for cells below long headings, which each quote repeats.
func TestEvidenceIsLimited(t *testing.T) {
	heading := strings.Repeat("é", 200)
	text, schema := wideTable(100, 40, 1, heading, heading, heading, heading)
	answer, err := askBySchema(t, text, schema)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(answer)
	if err != nil || len(encoded) > media.MaxAnswerBytes {
		t.Fatalf("%d bytes, %v", len(encoded), err)
	}
	rows, _ := answer.Extracted["list0"].([]any)
	if len(rows) != 100 || len(answer.Evidence) != 0 || len(answer.Warnings) != 1 || !strings.Contains(answer.Warnings[0], "left out") {
		t.Errorf("%d rows, %d quotes, warnings %q", len(rows), len(answer.Evidence), answer.Warnings)
	}
}

func TestTooLargeAnswersAreRefused(t *testing.T) {
	text, schema := wideTable(1000, 60, 3)
	if _, err := askBySchema(t, text, schema); !errors.Is(err, media.ErrAnswerSize) {
		t.Errorf("got %v", err)
	}
}
