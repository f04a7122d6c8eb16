package media

import (
	"sort"

	"portside/documents"
	"portside/shared/core/fault"
)

// MaxFiles is how many files a summary or an extraction can have.
const MaxFiles = 20

// maxOpenBytes is the total size of open uploads above which a request opens no other upload. The disk of a function has 512 MB, and one
// more upload can have up to medias3.MaxUploadBytes.
const maxOpenBytes = 300 << 20

// Faults of questions about several files.
var (
	// ErrTooMuchText means that the files together have more text than one file can have.
	ErrTooMuchText = fault.New(fault.Unprocessable, "The files have more than 8 MB of text together. Send fewer files.")
	// ErrTooManyBytes means that the files are larger than maxOpenBytes together.
	ErrTooManyBytes = fault.New(fault.Unprocessable, "The files have more than 300 MB together. Send fewer files, or smaller ones.")
)

// nameFiles gives each quote the number of its file. It replaces the page and the position in the joined document by those in the file.
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
