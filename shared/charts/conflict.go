package charts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"portside/shared/core/versions"
)

// Versions that differ in their build alone, 1.0.0+a and 1.0.0+b, are one and the same to whoever asks for 1.0.0, and helm
// may give either. So one of them is listed at most: the first one, as long as it is.

// rivalry is why a version is not listed.
type conflict struct{ listed Version }

func (r *conflict) Error() string { return r.refusal().Error() }

func (r *conflict) refusal() *Refusal {
	return refuse(fmt.Sprintf("version %s of the chart is listed, which helm holds for the same version: they differ in what "+
		"follows the + alone", r.listed.Version), "publish it under a new version, or withdraw "+r.listed.File()+" first")
}

// admit lists a version unless it has a rival.
func admit(index *Index, v Version) (changed bool, err error) {
	rival, found, err := index.rival(v)
	if err != nil {
		return false, err
	}
	if found {
		return false, &conflict{rival}
	}
	return index.Set(v)
}

// yield rejects what is published, in favour of its rival; but one that is listed only because nobody has looked since it
// was withdrawn is taken off the list. Either way the file is to be looked at again.
func (x *Indexer) resolveConflict(ctx context.Context, published Object, to *conflict) ([]Outcome, error) {
	key := PublishedPrefix + to.listed.File()
	_, err := x.Bucket.Get(ctx, key, 0)
	if errors.Is(err, ErrNoObject) {
		done, err := x.Sync(ctx, key)
		return done, cmp.Or(err, versions.ErrStale)
	}
	if err != nil {
		return nil, err
	}
	return x.turnAway(ctx, published, to.refusal())
}

func (x *Indexer) turnAway(ctx context.Context, published Object, refusal *Refusal) ([]Outcome, error) {
	if _, err := x.reject(ctx, published, refusal); err != nil {
		return nil, err
	}
	return []Outcome{{Act: Rejected, File: fileOf(published.Key), Reason: refusal.Error()}}, versions.ErrStale
}

// candidate is a version that a Rebuild may list.
type candidate struct {
	Version
	published Object
	listed    bool // already, in the index that is to be replaced
}

// elect parts candidates of one chart into those to list and those that yield to one of them: what is listed stays, then the
// first that was accepted comes first, then the name decides, so that every Rebuild elects the same.
func elect(candidates []candidate) (elected []Version, losers []loser) {
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(rankOf(b.listed), rankOf(a.listed)), a.Created.Compare(b.Created), strings.Compare(a.File(), b.File()))
	})
	for _, c := range candidates {
		i := slices.IndexFunc(elected, func(v Version) bool { return sameRelease(v.Version, c.Version.Version) })
		if i < 0 {
			elected = append(elected, c.Version)
			continue
		}
		losers = append(losers, loser{c.published, &conflict{elected[i]}})
	}
	return elected, losers
}

// loser is a published file that yields to another.
type loser struct {
	published Object
	to        *conflict
}
