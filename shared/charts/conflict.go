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

// Versions that differ only in their build metadata, such as 1.0.0+a and 1.0.0+b, are the same
// version to a client that asks for 1.0.0, and helm may return either. So the index lists at most
// one of them: the first one, until it is withdrawn.

// conflict is the error for a version that is not listed because an equivalent version is listed.
type conflict struct{ listed Version }

func (c *conflict) Error() string { return c.refusal().Error() }

func (c *conflict) refusal() *Refusal {
	return refuse(fmt.Sprintf("version %s of the chart is listed, and helm treats both as the same version, because they differ "+
		"only in the build metadata after the +", c.listed.Version),
		"publish it under a new version, or withdraw "+c.listed.File()+" first")
}

// admit lists a version. It returns a conflict if an equivalent version is listed.
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

// resolveConflict rejects the published version in favor of the listed one. If the listed version
// was withdrawn meanwhile, it removes that one from the index instead. In both cases the file must
// be evaluated again.
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
	return x.rejectConflicting(ctx, published, to.refusal())
}

func (x *Indexer) rejectConflicting(ctx context.Context, published Object, refusal *Refusal) ([]Outcome, error) {
	if _, err := x.reject(ctx, published, refusal); err != nil {
		return nil, err
	}
	return []Outcome{{Act: Rejected, File: fileOf(published.Key), Reason: refusal.Error()}}, versions.ErrStale
}

// candidate is a version that a rebuild may list.
type candidate struct {
	Version
	published Object
	listed    bool // in the index that is being replaced
}

// elect divides the candidates of one chart into the versions to list and the files that conflict with one of them.
// Among equivalent versions, it elects the listed one, otherwise the one that was accepted first, otherwise the smaller
// name. So every rebuild elects the same versions.
func elect(candidates []candidate) (elected []Version, conflicting []conflictingFile) {
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(rankOf(b.listed), rankOf(a.listed)), a.Created.Compare(b.Created),
			strings.Compare(a.File(), b.File()))
	})
	for _, c := range candidates {
		i := slices.IndexFunc(elected, func(v Version) bool { return sameRelease(v.Version, c.Version.Version) })
		if i < 0 {
			elected = append(elected, c.Version)
			continue
		}
		conflicting = append(conflicting, conflictingFile{c.published, &conflict{elected[i]}})
	}
	return elected, conflicting
}

// conflictingFile is a published file that conflicts with a listed version.
type conflictingFile struct {
	published Object
	conflict  *conflict
}
