package media

import (
	"fmt"

	"portside/documents"
	"portside/documents/changes"
)

const (
	// maxChangeBytes limits the texts of all changes together, so that an answer fits in a Lambda response even if JSON
	// escapes each character.
	maxChangeBytes = 256 << 10
	// maxClauseChars limits the text of one clause.
	maxClauseChars = 2_000

	warningMoved       = "Unchanged passages that have another place in the second file: %d."
	warningMoreChanges = "The files differ in more places than the answer can have."
)

// Change is a clause that was added, removed or changed, as clients see it.
type Change struct {
	Kind   changes.Kind    `json:"kind" enum:"added,removed,changed" doc:"What happened to the clause between the first file and the second."`
	First  *Clause         `json:"first,omitempty" doc:"The clause in the first file; missing if it was added."`
	Second *Clause         `json:"second,omitempty" doc:"The clause in the second file; missing if it was removed."`
	Words  []ReplacedWords `json:"words,omitempty" doc:"What differs within a changed clause."`
}

// ReplacedWords are successive words that differ.
type ReplacedWords struct {
	First  string `json:"first" doc:"Words of the first file; empty if the second file only adds words." example:"1,450"`
	Second string `json:"second" doc:"Words of the second file; empty if they were removed." example:"1,500"`
}

// Clause is a paragraph, heading, list item, table row or the like, with its place.
type Clause struct {
	Text  string `json:"text" doc:"The text, up to 2,000 characters." example:"The rent is 1,450 EUR a month."`
	Page  int    `json:"page" doc:"Page number, starting at 1; 0 if the file has no pages." example:"1"`
	Start int    `json:"start" doc:"Position of the first character in the text of the file." example:"412"`
	End   int    `json:"end" doc:"Position after the last character." example:"442"`
	Box   *Box   `json:"box,omitempty" doc:"Place of the clause on its page, if it is known."`
}

// addChanges adds the differences between two texts to an answer.
func (a *Answer) addChanges(first, second *documents.Document) {
	found := changes.Between(first, second)
	a.Changes = []Change{}
	bytes := 0
	for _, c := range found.All {
		change := Change{Kind: c.Kind}
		if c.Kind != changes.Added {
			change.First = newClause(first, c.First)
			bytes += len(change.First.Text)
		}
		if c.Kind != changes.Removed {
			change.Second = newClause(second, c.Second)
			bytes += len(change.Second.Text)
		}
		for _, w := range c.Words {
			change.Words = append(change.Words, ReplacedWords{w.First, w.Second})
			bytes += len(w.First) + len(w.Second)
		}
		if bytes > maxChangeBytes {
			found.Truncated = true
			break
		}
		a.Changes = append(a.Changes, change)
	}
	if found.Moved > 0 {
		a.Warnings = append(a.Warnings, fmt.Sprintf(warningMoved, found.Moved))
	}
	if found.Truncated {
		a.Warnings = append(a.Warnings, warningMoreChanges)
	}
}

func newClause(d *documents.Document, b documents.Block) *Clause {
	return &Clause{
		Text: firstChars(b.Text, maxClauseChars), Page: b.Page,
		Start: d.CharactersBefore(b.Start), End: d.CharactersBefore(b.End()), Box: newBox(b.Box),
	}
}

func firstChars(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
