package pulls

import (
	"context"
	"slices"
	"time"

	"portside/shared/core/loglines"
)

// Recorder is the part of a Store that adds pulls.
type Recorder interface {
	// Record adds pulls and checks, and returns how many were new. Each pull counts once, however often
	// it is given, and so do the checks of a tag with a credential in the same second. Pulls recorded
	// before an error stay recorded; a repeated call adds the rest.
	Record(ctx context.Context, pulls []Pull) (int, error)
}

// Ingested says what became of the lines of a batch.
type Ingested struct {
	Lines    int // all lines, including those that are not about a pull
	Recorded int // pulls and checks that were recorded for the first time
	Known    int // pulls and checks that were recorded before, and parts of pulls
	Broken   int // lines with an invalid pull
}

// Ingest records the pulls in a batch of log lines. All ways in which lines arrive use it, so a pull
// is recorded once, however often its line arrives.
func Ingest(ctx context.Context, recorder Recorder, batch loglines.Batch) (Ingested, error) {
	found, broken := readAll(batch.Events)
	done := Ingested{Lines: batch.Len(), Broken: broken + batch.Skipped}
	added, err := recorder.Record(ctx, withoutParts(found))
	done.Recorded = added
	if err == nil {
		done.Known = len(found) - added
	}
	return done, err
}

// readAll returns the pulls among the lines, and the number of lines with an invalid pull.
func readAll(lines []loglines.Event) (found []Pull, broken int) {
	for _, line := range lines {
		p, isPull, err := ReadLogged([]byte(line.Message), loggedAt(line))
		switch {
		case err != nil:
			broken++
		case isPull:
			found = append(found, p)
		}
	}
	return found, broken
}

// requester identifies a client and the manifest that it requests.
type requester struct{ credential, address, client, repository, digest string }

func (p Pull) requester() requester {
	return requester{p.CredentialID, p.Address, p.Client, p.Repository, p.Digest}
}

// partOfPull is the longest time between the requests of one pull.
const partOfPull = time.Minute

// withoutParts joins the two requests with which many clients pull a tag: a HEAD, which looks like a check, and then a
// GET of its digest. It removes the check and gives the pull the tag. The function for images has done so already,
// unless two of its instances served the two requests.
func withoutParts(found []Pull) []Pull {
	checks := map[requester][]int{}
	for i, p := range found {
		if p.IsCheck {
			checks[p.requester()] = append(checks[p.requester()], i)
		}
	}
	isPart := make([]bool, len(found))
	for i, p := range found {
		if p.IsCheck {
			continue
		}
		for _, at := range slices.Backward(checks[p.requester()]) {
			if found[i].hasPart(found[at]) {
				found[i].Reference, isPart[at] = found[at].Reference, true
			}
		}
	}
	kept := make([]Pull, 0, len(found))
	for i, p := range found {
		if !isPart[i] {
			kept = append(kept, p)
		}
	}
	return kept
}

// hasPart reports whether a check by the same requester belongs to the pull. A client that pulls a tag twice also
// checks twice.
func (p Pull) hasPart(check Pull) bool {
	after := p.At.Sub(check.At)
	return after.Abs() <= partOfPull && (p.Reference == check.Reference || p.ByDigest() && after >= 0)
}

// minTimestampMillis is earlier than every log event and later than placeholders for a missing timestamp.
const minTimestampMillis = 1e12

// loggedAt returns the time of a line, or the zero time if its timestamp is missing or impossible.
func loggedAt(line loglines.Event) time.Time {
	if line.LoggedAt.UnixMilli() < minTimestampMillis {
		return time.Time{}
	}
	return line.LoggedAt
}
