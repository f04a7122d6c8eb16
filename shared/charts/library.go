package charts

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

// The ways in which a customer is refused.
var (
	// ErrNotServed covers a name that is none, a chart that was never accepted, and one without a provenance file.
	ErrNotServed = fault.New(fault.NotFound, "There is no such file in the chart repository; /charts/index.yaml lists what there is.")
	ErrScope     = fault.New(fault.Forbidden, "This credential may not fetch charts, or not this one. It needs the scope "+
		string(principal.ReadCharts)+", or "+string(principal.ReadCharts)+":NAME with the name of the chart.")
	// ErrAway is what a Shelf returns, with its cause in the chain, for all that may be over when the request is sent again.
	ErrAway = fault.New(fault.Unavailable, "The chart repository cannot reach its files at the moment. Send the request again.")
	// ErrDamaged is for all requests while the index is damaged, whatever the caller may see of it.
	ErrDamaged = fault.New(fault.Unavailable, "The chart repository is being mended; nothing of it can be fetched until then. "+
		"Send the request again in some minutes.")
)

// What a Shelf says of an index that it does not return.
var (
	ErrSame    = errors.New("charts: the index is the version that is known")
	ErrNoIndex = errors.New("charts: nothing was published yet")
)

// Shelf is where the published files are.
type Shelf interface {
	// Index returns the index as it is now, strongly consistent: ErrSame if its version is the known one, ErrNoIndex if there
	// is none.
	Index(ctx context.Context, known string) (Stored, error)
	// Has reports whether there is an object with the key.
	Has(ctx context.Context, key string) (bool, error)
	// Link returns an address that works without a credential, for minutes, and for this one request. It does not look
	// whether the object is there.
	Link(ctx context.Context, request Request) (string, error)
}

// Stored is the index as a Shelf has it.
type Stored struct {
	Version  string // another one whenever the contents change; never empty
	Modified time.Time
	Contents []byte
}

// Request is one request for an object.
type Request struct {
	Key      string
	Head     bool   // HEAD and not GET, which have different signatures
	Type     string // what its Content-Type shall be
	SaveName string // the name to save it under; empty: shown
}

// Library hands out to customers what is published: the index, narrowed to what each may see, and links to the files.
//
// It asks for the index with every request, so that what was published is there for everybody at once; but what it has of the
// index already is not sent, parsed, narrowed or packed again. Of an index that is damaged it hands out nothing. It is safe
// for concurrent use.
type Library struct {
	shelf Shelf
	mu    sync.Mutex
	held  *edition
}

// NewLibrary returns a Library that knows nothing yet.
func NewLibrary(shelf Shelf) *Library { return &Library{shelf: shelf, held: &edition{}} }

// Index returns what the caller may see of the index; without any chart scope, ErrScope.
func (l *Library) Index(ctx context.Context, caller principal.Principal) (*Listing, error) {
	if !caller.FetchesSome(principal.ReadCharts) {
		return nil, ErrScope
	}
	current, err := l.current(ctx)
	if err != nil {
		return nil, err
	}
	if caller.FetchesAll(principal.ReadCharts) {
		return current.whole, nil
	}
	return current.narrowed(caller)
}

// LinkIndex returns an address of the whole index. It is for those alone who were given a complete Listing.
func (l *Library) LinkIndex(ctx context.Context, head bool) (string, error) {
	return l.shelf.Link(ctx, Request{Key: IndexKey, Head: head, Type: IndexType})
}

// IndexType is the media type of the index (RFC 9512).
const IndexType = "application/yaml"

// Wanted is a file that a customer asks for, by the name under which the index lists it, or that name with .prov behind it.
type Wanted struct {
	File string
	Head bool
}

// Delivery is where the customer finds the file.
type Delivery struct {
	Link    string
	Version Version
	Signed  bool // it is the provenance file and not the archive
}

// Fetch returns where the file is, if it is listed and the caller may have it. Errors: ErrNotServed, ErrScope.
//
// Which of the two somebody gets who may have some charts and not others depends on the name that was asked for and on
// nothing that is published, so that nobody learns what there is beyond their scopes.
func (l *Library) Fetch(ctx context.Context, caller principal.Principal, want Wanted) (Delivery, error) {
	archive, signed := strings.CutSuffix(want.File, ".prov")
	if err := mayAsk(caller, archive); err != nil {
		return Delivery{}, err
	}
	found, err := l.find(ctx, caller, archive)
	if err != nil {
		return Delivery{}, err
	}
	request := Request{Key: ArchivesPrefix + archive, Head: want.Head, Type: "application/gzip", SaveName: want.File}
	if signed {
		request.Key, request.Type = PublishedPrefix+want.File, "text/plain; charset=utf-8"
		if err := l.mustHave(ctx, request.Key); err != nil {
			return Delivery{}, err
		}
	}
	link, err := l.shelf.Link(ctx, request)
	return Delivery{Link: link, Version: found, Signed: signed}, err
}

func (l *Library) mustHave(ctx context.Context, key string) error {
	has, err := l.shelf.Has(ctx, key)
	if err == nil && !has {
		return ErrNotServed
	}
	return err
}

func (l *Library) find(ctx context.Context, caller principal.Principal, archive string) (Version, error) {
	current, err := l.current(ctx)
	if err != nil {
		return Version{}, err
	}
	found, listed, err := current.index.lookUp(archive)
	if err != nil {
		return Version{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if !listed || !caller.MayFetch(principal.ReadCharts, found.Name) {
		return Version{}, ErrNotServed
	}
	return found, nil
}

// mayAsk decides by the name alone.
func mayAsk(caller principal.Principal, archive string) error {
	if !caller.FetchesSome(principal.ReadCharts) {
		return ErrScope
	}
	names := possibleNames(archive)
	if len(names) == 0 {
		return ErrNotServed
	}
	if !slices.ContainsFunc(names, func(name string) bool { return caller.MayFetch(principal.ReadCharts, name) }) {
		return ErrScope
	}
	return nil
}

// maxFile is more than the 250 characters of a chart's name and any version that somebody would type.
const maxFile = 512

var (
	archiveName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*\.tgz$`)
	versionStart = regexp.MustCompile(`^v?[0-9]`)
)

// possibleNames returns the names of all charts that the archive may be of: "a-1-2.tgz" is version 1-2 of a, or version 2 of
// a-1. What can be no archive has none.
func possibleNames(archive string) []string {
	if len(archive) > maxFile || !archiveName.MatchString(archive) {
		return nil
	}
	var names []string
	for i := range archive {
		if archive[i] == '-' && versionStart.MatchString(archive[i+1:]) {
			names = append(names, archive[:i])
		}
	}
	return names
}

// current returns the index as it is now.
func (l *Library) current(ctx context.Context) (*edition, error) {
	l.mu.Lock()
	held := l.held
	l.mu.Unlock()
	stored, err := l.shelf.Index(ctx, held.version)
	switch {
	case errors.Is(err, ErrSame):
		return held.sound()
	case errors.Is(err, ErrNoIndex):
		return emptyEdition()
	case err != nil:
		return nil, fmt.Errorf("read the index: %w", err)
	}
	return l.hold(ctx, newEdition(stored))
}

// hold keeps an edition for the next requests. Of a damaged one the log hears once.
func (l *Library) hold(ctx context.Context, fresh *edition) (*edition, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held.version != fresh.version {
		l.held = fresh // an older one, if requests cross, is noticed by the next request
		if fresh.damage != nil {
			slog.ErrorContext(ctx, "the chart index is damaged and not served: run `portside reindex-charts`", "err", fresh.damage)
		}
	}
	return l.held.sound()
}

// edition is one version of the index with all that was made of it so far.
type edition struct {
	version  string
	modified time.Time
	whole    *Listing
	index    *Index
	damage   error // then there is nothing else
	mu       sync.Mutex
	parts    map[string]*Listing // by scopes
}

func newEdition(stored Stored) *edition {
	index, err := DecodeIndex(stored.Contents)
	if err != nil {
		return &edition{version: stored.Version, damage: err}
	}
	return &edition{
		version: stored.Version, modified: stored.Modified, whole: newListing(stored.Contents, true), index: index,
		parts: map[string]*Listing{},
	}
}

func (e *edition) sound() (*edition, error) {
	if e.damage != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, e.damage)
	}
	return e, nil
}

// emptyEdition has a time of its own, so that its tag stays the same.
func emptyEdition() (*edition, error) {
	beginning := time.Unix(0, 0).UTC()
	contents, err := NewIndex().Encode(beginning)
	if err != nil {
		return nil, fmt.Errorf("an empty index: %w", err)
	}
	return newEdition(Stored{Modified: beginning, Contents: contents}).sound()
}

// maxParts bounds what is kept for narrowed credentials; vendors have few ways to narrow them.
const maxParts = 8

func (e *edition) narrowed(caller principal.Principal) (*Listing, error) {
	key := chartScopes(caller)
	e.mu.Lock()
	defer e.mu.Unlock()
	if part := e.parts[key]; part != nil {
		return part, nil
	}
	mine := e.index.Only(func(name string) bool { return caller.MayFetch(principal.ReadCharts, name) })
	contents, err := mine.Encode(e.modified)
	if err != nil {
		return nil, fmt.Errorf("narrow the index: %w", err)
	}
	if len(e.parts) == maxParts {
		clear(e.parts)
	}
	e.parts[key] = newListing(contents, false)
	return e.parts[key], nil
}

// chartScopes is the same for callers who may see the same.
func chartScopes(caller principal.Principal) string {
	var scopes []string
	for _, s := range caller.Scopes {
		if strings.HasPrefix(string(s), string(principal.ReadCharts)) {
			scopes = append(scopes, string(s))
		}
	}
	slices.Sort(scopes)
	return strings.Join(slices.Compact(scopes), " ")
}

// Listing is the index as one caller may see it. It never changes.
type Listing struct {
	Body     []byte
	Tag      string // a hash of Body: equal where that is equal, from whatever process it comes
	Complete bool   // nothing was left out for lack of scopes
	packed   func() []byte
}

func newListing(body []byte, complete bool) *Listing {
	sum := sha256.Sum256(body)
	return &Listing{
		Body: body, Tag: hex.EncodeToString(sum[:16]), Complete: complete,
		packed: sync.OnceValue(func() []byte { return pack(body) }),
	}
}

// Packed returns Body in gzip. It is made once, when somebody asks for it.
func (l *Listing) Packed() []byte { return l.packed() }

// pack takes the fastest level: the others cost several times the processor for a third less.
func pack(body []byte) []byte {
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err == nil {
		_, err = zip.Write(body)
	}
	if err == nil {
		err = zip.Close()
	}
	if err != nil {
		panic("charts: memory refuses what gzip writes: " + err.Error())
	}
	return packed.Bytes()
}
