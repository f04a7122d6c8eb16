package charts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
)

// edition is one version of the index and everything derived from it so far.
type edition struct {
	version string
	whole   *Listing
	index   *Index
	damage  error // if set, the other fields except version are empty
	mu      sync.Mutex
	parts   map[view]part
	names   func() []string // of all charts, sorted when first needed

	partBytes int // of the bodies in parts
}

func newEdition(stored Stored) *edition {
	index, err := DecodeIndex(stored.Contents)
	if err != nil {
		return &edition{version: stored.Version, damage: err}
	}
	return &edition{
		version: stored.Version, whole: newListing(stored.Contents, true), index: index,
		parts: map[view]part{}, names: sync.OnceValue(index.sortedNames),
	}
}

func (e *edition) checkDamage() (*edition, error) {
	if e.damage != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, e.damage)
	}
	return e, nil
}

// emptyEdition has a fixed time, so that its tag stays the same.
func emptyEdition() (*edition, error) {
	contents, err := NewIndex().Encode(time.Unix(0, 0))
	if err != nil {
		return nil, fmt.Errorf("an empty index: %w", err)
	}
	return newEdition(Stored{Contents: contents}).checkDamage()
}

// Limits of the cache of parts for limited callers. The compressed forms take about a tenth more, and the versions of
// charts of which a caller may see only some as much again.
const (
	maxParts     = 64
	maxPartBytes = 16 << 20
)

// view identifies the charts that a limited caller may see. Both texts are unambiguous. With a separator that a scope
// can contain, two callers could share a part that only one of them may see.
type view struct{ scopes, entitlements string }

// part is the part of an edition that a limited caller may see.
type part struct {
	index   *Index
	names   []string // of its charts, sorted
	listing *Listing
}

// partFor returns the part for a caller. Callers with the same access share it.
func (e *edition) partFor(caller principal.Principal) (part, error) {
	key := view{chartScopes(caller), caller.Entitlements().Of(entitlement.Chart).Key()}
	e.mu.Lock()
	defer e.mu.Unlock()
	if kept, ok := e.parts[key]; ok {
		return kept, nil
	}
	mine, err := e.index.Only(caller.Charts)
	if err != nil {
		return part{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	// Do not use the time of the whole index, which would reveal the publication of a chart that the caller may not
	// see.
	newest, err := mine.newest()
	if err != nil {
		return part{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	contents, err := mine.Encode(newest)
	if err != nil {
		return part{}, fmt.Errorf("narrow the index: %w", err)
	}
	if e.partBytes += len(contents); e.partBytes > maxPartBytes || len(e.parts) == maxParts {
		clear(e.parts)
		e.partBytes = len(contents)
	}
	e.parts[key] = part{index: mine, names: mine.sortedNames(), listing: newListing(contents, false)}
	return e.parts[key], nil
}

// chartScopes returns the same text for callers who may see the same charts.
func chartScopes(caller principal.Principal) string {
	var scopes []string
	for _, s := range caller.Scopes {
		if strings.HasPrefix(string(s), string(principal.ReadCharts)) {
			scopes = append(scopes, strconv.Quote(string(s)))
		}
	}
	slices.Sort(scopes)
	return strings.Join(slices.Compact(scopes), " ")
}
