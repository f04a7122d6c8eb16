package media

import (
	"encoding/json"
	"fmt"

	"portside/documents/answers"
	"portside/shared/core/fault"
)

// MaxAnswerBytes limits an answer, in bytes of JSON. A response of Lambda has at most 6 MB, and a stored job must have
// room for its answer.
const MaxAnswerBytes = 4_000_000

// ErrAnswerSize means that the values alone exceed MaxAnswerBytes.
var ErrAnswerSize = fault.New(fault.Unprocessable, "The answer has more than 4 MB. Ask for fewer values, or limit the rows of arrays with "+
	"maxItems.")

const warningAnswerSize = "The evidence and the candidates were left out, because the answer would have more than 4 MB. " +
	"Ask for fewer values to get them."

// hasRoomFor counts a quote, and reports whether the evidence is still within the limit. A quote repeats the headings
// above it, so the quotes of a small file can have hundreds of megabytes.
func (a *Answer) hasRoomFor(q Quote) bool {
	const numbers = 100 // bytes of the positions
	a.evidenceBytes += numbers + len(q.Quote)
	if q.Place != nil {
		a.evidenceBytes += len(q.Place.Sheet)
		for _, heading := range q.Place.Headings {
			a.evidenceBytes += len(heading)
		}
	}
	return a.evidenceBytes <= MaxAnswerBytes
}

// limitSize leaves out the evidence and the candidates of an answer that is too large. Errors: ErrAnswerSize if the
// rest is.
func (a *Answer) limitSize() error {
	if a.evidenceBytes > MaxAnswerBytes {
		a.leaveOutEvidence()
	}
	size, err := a.encodedBytes()
	if size > MaxAnswerBytes && len(a.Evidence)+len(a.Candidates) > 0 {
		a.leaveOutEvidence()
		size, err = a.encodedBytes()
	}
	if size > MaxAnswerBytes {
		return ErrAnswerSize
	}
	a.evidenceBytes = 0 // a cached answer equals a new one
	return err
}

func (a *Answer) leaveOutEvidence() {
	a.Evidence, a.Candidates = map[string][]Quote{}, nil
	a.Warnings = append(a.Warnings, warningAnswerSize)
}

func (a *Answer) encodedBytes() (int, error) {
	encoded, err := json.Marshal(a)
	if err != nil {
		return 0, fmt.Errorf("encode an answer: %w", err)
	}
	return len(encoded), nil
}

// checkRows returns ErrAnswerSize if the rows of tables exceed the limit. It is called before they are copied, because
// columns of many arrays may share one text.
func checkRows(rows map[string][]answers.Row, tables []answers.Table) error {
	const punctuation = 8 // bytes for each value
	size := 0
	for _, t := range tables {
		for _, row := range rows[t.Name] {
			for _, column := range t.Columns {
				size += punctuation + len(column.Name) + len(row.Values[column.Name].Text)
			}
		}
	}
	if size > MaxAnswerBytes {
		return ErrAnswerSize
	}
	return nil
}
