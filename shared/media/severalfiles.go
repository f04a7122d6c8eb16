package media

import (
	"sort"

	"portside/documents"
	"portside/shared/core/fault"
)

// MaxFiles is how many files a summary or an extraction can have.
const MaxFiles = 20

// ErrTooMuchText means that the files together have more text than one file can have.
var ErrTooMuchText = fault.New(fault.Unprocessable, "The files have more than 8 MB of text together. Send fewer files.")

// nameFiles gives each quote the number of its file. It replaces the page and the position in the joined document by
// those in the file.
func (a *Answer) nameFiles(joined *documents.Document, parts []documents.Part) {
	if len(parts) < 2 {
		return
	}
	starts := make([]int, len(parts)) // in characters
	for i, part := range parts {
		starts[i] = joined.CharactersBefore(part.Start)
	}
	relocate := func(q *Quote) {
		i := sort.SearchInts(starts, q.Start+1) - 1
		q.File, q.Start, q.End = i+1, q.Start-starts[i], q.End-starts[i]
		q.Page -= parts[i].PagesBefore
		if !parts[i].HasPages {
			q.Page = 0
		}
	}
	for _, quotes := range a.Evidence {
		for i := range quotes {
			relocate(&quotes[i])
		}
	}
	for _, candidates := range a.Candidates {
		for i := range candidates {
			relocate(&candidates[i].Quote)
		}
	}
}
