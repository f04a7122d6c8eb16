package charts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"

	"portside/shared/core/constraints"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

// The errors of fetching.
var (
	// ErrNotServed covers invalid names, charts that were never accepted, and missing provenance
	// files.
	ErrNotServed = fault.New(fault.NotFound,
		"The chart repository does not have this file. /charts/index.yaml lists the charts.")
	ErrScope = fault.New(fault.Forbidden, "This credential cannot fetch this chart. It needs the scope "+
		string(principal.ReadCharts)+", or "+string(principal.ReadCharts)+":NAME, where NAME is the chart's name.")
	// ErrLarge is the error for a file that is too large for a response of the function.
	ErrLarge = fault.New(fault.Unprocessable, "This file has more than 4 MiB, so it comes only by a redirect. Leave out redirect=false, and "+
		"send your login only to this host, not to the address in Location.")
	// ErrUnavailable is the error of a Reader for every temporary failure. Its chain has the cause.
	ErrUnavailable = fault.New(fault.Unavailable,
		"The chart repository is temporarily unavailable. Send the request again.")
	// ErrDamaged is the response to all requests while the index is damaged, whatever the caller
	// may see of it.
	ErrDamaged = fault.New(fault.Unavailable, "The chart repository is unavailable while it is being repaired. "+
		"Send the request again in a few minutes.")
)

// The errors of Reader.Index.
var (
	ErrSame    = errors.New("charts: the caller has the current version of the index")
	ErrNoIndex = errors.New("charts: nothing has been published yet")
)

// Reader reads the published files.
type Reader interface {
	// Index returns the current index, strongly consistent. Errors: ErrSame if the caller knows its
	// version; ErrNoIndex if nothing has been published.
	Index(ctx context.Context, known string) (Stored, error)
	// Stat returns the size of an object in bytes, or false if no object has the key.
	Stat(ctx context.Context, key string) (size int64, found bool, err error)
	// Open starts to read an object. The caller closes its body. Errors: ErrNoObject.
	Open(ctx context.Context, key string) (Opened, error)
	// Link returns an address that works for some minutes without a credential, for this request
	// only. It does not check whether the object exists.
	Link(ctx context.Context, request Request) (string, error)
}

// Stored is the stored index.
type Stored struct {
	Version  string // changes whenever the content changes; never empty
	Contents []byte
}

// Opened is an object that is being read.
type Opened struct {
	Size int64
	Body io.ReadCloser
}

// Request is a request for one object.
type Request struct {
	Key      string
	Head     bool   // HEAD instead of GET; their signatures differ
	Type     string // the Content-Type of the response
	SaveName string // the name to save the file under; if empty, browsers show it
}

// Library serves customers: the index, limited to what each may see, and links to the files.
//
// Library asks for the index with every request, so that everybody sees a published chart at once.
// An index that it already has is not sent, parsed, limited or compressed again. It serves nothing
// while the index is damaged. It is safe for concurrent use.
type Library struct {
	reader Reader
	mu     sync.Mutex
	held   *edition
}

// NewLibrary returns a Library with an empty cache.
func NewLibrary(reader Reader) *Library { return &Library{reader: reader, held: &edition{}} }

// Index returns the part of the index that the caller may see. Errors: ErrScope if the caller has
// no scope for charts.
func (l *Library) Index(ctx context.Context, caller principal.Principal) (*Listing, error) {
	if !caller.FetchesSome(principal.ReadCharts) {
		return nil, ErrScope
	}
	current, err := l.current(ctx)
	if err != nil {
		return nil, err
	}
	if caller.FetchesAllCharts() {
		return current.whole, nil
	}
	mine, err := current.partFor(caller)
	return mine.listing, err
}

// LinkIndex returns an address of the whole index, for callers who have received a complete
// Listing.
func (l *Library) LinkIndex(ctx context.Context, head bool) (string, error) {
	return l.reader.Link(ctx, Request{Key: IndexKey, Head: head, Type: IndexType})
}

// IndexType is the media type of the index (RFC 9512).
const IndexType = "application/yaml"

// Wanted is a file that a client asks for: a name that the index lists, or that name with the
// suffix .prov.
type Wanted struct {
	File string
	Head bool
}

// Delivery says where the client gets the file.
type Delivery struct {
	Link    string
	Version Version
	Signed  bool // the provenance file instead of the archive
}

// Fetch returns where the file is, if the index lists it and the caller may fetch it. Errors:
// ErrNotServed, ErrScope.
//
// For a caller who may fetch only some charts, the choice between these errors depends only on the
// requested name and not on the published charts, so that callers cannot learn what exists beyond
// their scopes. For the caller, only charts exist that the customer's entitlements cover.
func (l *Library) Fetch(ctx context.Context, caller principal.Principal, want Wanted) (Delivery, error) {
	request, delivery, err := l.locate(ctx, caller, want)
	if err == nil && delivery.Signed {
		err = l.checkExists(ctx, request.Key)
	}
	if err != nil {
		return Delivery{}, err
	}
	delivery.Link, err = l.reader.Link(ctx, request)
	return delivery, err
}

// MaxReadBytes is the largest file that Read returns. Lambda accepts 6 MB of JSON, and base64 makes a file a third
// larger.
const MaxReadBytes = 4 << 20

// File is a file that Read has read.
type File struct {
	Delivery // without a link

	Type    string // media type
	Content []byte
}

// Read is Fetch for clients that cannot use a link: it returns the file. Errors: those of Fetch; ErrLarge.
func (l *Library) Read(ctx context.Context, caller principal.Principal, want Wanted) (File, error) {
	request, delivery, err := l.locate(ctx, caller, want)
	if err != nil {
		return File{}, err
	}
	object, err := l.reader.Open(ctx, request.Key)
	if errors.Is(err, ErrNoObject) {
		return File{}, ErrNotServed
	}
	if err != nil {
		return File{}, err
	}
	defer func() { _ = object.Body.Close() }()
	if object.Size > MaxReadBytes {
		return File{}, ErrLarge
	}
	content, err := io.ReadAll(object.Body)
	if err != nil {
		return File{}, fmt.Errorf("%w: read %s: %w", ErrUnavailable, request.Key, err)
	}
	return File{Delivery: delivery, Type: request.Type, Content: content}, nil
}

// locate returns the request for the file, and the delivery without a link.
func (l *Library) locate(ctx context.Context, caller principal.Principal, want Wanted) (Request, Delivery, error) {
	archive, signed := strings.CutSuffix(want.File, provenanceSuffix)
	if err := checkScope(caller, archive); err != nil {
		return Request{}, Delivery{}, err
	}
	found, err := l.find(ctx, caller, archive)
	if err != nil {
		return Request{}, Delivery{}, err
	}
	request := Request{Key: ArchivesPrefix + archive, Head: want.Head, Type: "application/gzip", SaveName: want.File}
	if signed {
		request.Key, request.Type = PublishedPrefix+want.File, "text/plain; charset=utf-8"
	}
	return request, Delivery{Version: found, Signed: signed}, nil
}

func (l *Library) checkExists(ctx context.Context, key string) error {
	_, found, err := l.reader.Stat(ctx, key)
	if err == nil && !found {
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
	if !listed || !constraints.Of(caller.Charts(found.Name)).Allow(found.Version) {
		return Version{}, ErrNotServed
	}
	return found, nil
}

// checkScope depends only on the requested name.
func checkScope(caller principal.Principal, archive string) error {
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

// maxFile allows the 250 characters of a chart's name and any plausible version.
const maxFile = 512

var (
	archiveName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*\.tgz$`)
	versionStart = regexp.MustCompile(`^v?[0-9]`)
)

// possibleNames returns the names of all charts to which the archive may belong: "a-1-2.tgz" is
// version 1-2 of a, or version 2 of a-1. It returns none if the name cannot belong to an archive.
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

// current returns the current index.
func (l *Library) current(ctx context.Context) (*edition, error) {
	l.mu.Lock()
	held := l.held
	l.mu.Unlock()
	stored, err := l.reader.Index(ctx, held.version)
	switch {
	case errors.Is(err, ErrSame):
		return held.checkDamage()
	case errors.Is(err, ErrNoIndex):
		return emptyEdition()
	case err != nil:
		return nil, fmt.Errorf("read the index: %w", err)
	}
	return l.hold(ctx, newEdition(stored))
}

// hold keeps an edition for later requests. It logs a damaged one once.
func (l *Library) hold(ctx context.Context, fresh *edition) (*edition, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held.version != fresh.version {
		l.held = fresh // if requests overlap, this may be the older one; the next request notices
		if fresh.damage != nil {
			slog.ErrorContext(ctx, "the chart index is damaged and not served: run `portside reindex-charts`", "err",
				fresh.damage)
		}
	}
	return l.held.checkDamage()
}
