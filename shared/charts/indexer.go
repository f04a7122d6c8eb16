package charts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"portside/shared/core/retry"
	"portside/shared/core/versions"
)

// ErrNoObject means that the Bucket has no object with the key.
var ErrNoObject = errors.New("no such object")

// Values of Put's parameter over, other than a version.
const (
	Nothing  = ""  // the key must be free
	Anything = "*" // any object
)

// Object is an object in the bucket. Two objects with the same Version have the same content.
type Object struct {
	Key      string
	Version  string
	Size     int64
	Modified time.Time // to the second
	Body     []byte
}

// Bucket has the published charts and everything derived from them.
type Bucket interface {
	// Get returns the object, or ErrNoObject. It includes the Body only if that has at most limit
	// bytes.
	Get(ctx context.Context, key string, limit int64) (Object, error)
	// Put writes the object if the stored version is over. Otherwise it returns versions.ErrStale.
	Put(ctx context.Context, key string, body []byte, over string) error
	// Copy overwrites the key to if from still has its version. Otherwise it returns
	// versions.ErrStale.
	Copy(ctx context.Context, from Object, to string) error
	// Delete returns versions.ErrStale if the stored version differs, and nil if there is no
	// object.
	Delete(ctx context.Context, object Object) error
	// List returns the objects below a prefix without bodies, sorted by key.
	List(ctx context.Context, prefix string) ([]Object, error)
}

// Inspector reads an archive from an untrusted source. It returns a *Refusal if the archive is
// invalid; any other error means that it could not be read now. The Version lacks what only the
// bucket knows: URLs, Digest and Created.
type Inspector interface {
	Inspect(ctx context.Context, file string, archive []byte) (Version, error)
}

// Parts are the dependencies of an Indexer.
type Parts struct {
	Bucket    Bucket
	Inspector Inspector
	MaxBytes  int64 // of a published archive
	Now       func() time.Time
}

// Indexer keeps the index in agreement with the published charts. Any number of goroutines and
// processes may use one on the same bucket at the same time.
type Indexer struct{ Parts }

// NewIndexer returns an Indexer.
func NewIndexer(parts Parts) *Indexer { return &Indexer{parts} }

// Act is the kind of an outcome.
type Act string

// The acts.
const (
	Listed   Act = "listed"
	Unlisted Act = "unlisted"
	Rejected Act = "rejected"
)

// Outcome is one change that the indexer made.
type Outcome struct {
	Act    Act
	File   string // without the prefix of the key
	Reason string // of a rejection
}

// contended is the policy for operations on objects that other workers change at the same time. Each conflict means
// that another worker has finished, so 50 attempts suffice for far more workers than there are.
var contended = retry.Policy{Attempts: 50, FirstWait: 10 * time.Millisecond, LongestWait: 640 * time.Millisecond}

// Sync makes the index agree with the object that is now published under the key, whatever the event said, and
// then checks that the file has not changed meanwhile. So it may be called too often, late, in any
// order and concurrently. It must be called at least once after every change, and again after an
// error. It ignores keys outside PublishedPrefix.
func (x *Indexer) Sync(ctx context.Context, key string) ([]Outcome, error) {
	if !strings.HasPrefix(key, PublishedPrefix) {
		return nil, nil
	}
	var done []Outcome
	err := x.retry(ctx, func() error {
		found, rejected, err := x.resolve(ctx, key)
		done = append(done, rejected...)
		if err != nil {
			return err
		}
		listed, err := x.updateIndex(ctx, fileOf(key), found.version)
		done = append(done, listed...)
		if lost, is := errors.AsType[*conflict](err); is {
			settled, err := x.resolveConflict(ctx, found.seen, lost)
			done = append(done, settled...)
			return err
		}
		if err != nil {
			return err
		}
		return x.checkUnchanged(ctx, key, found.seen)
	})
	if err != nil {
		return done, fmt.Errorf("index %s: %w", key, err)
	}
	return done, nil
}

func fileOf(key string) string { return strings.TrimPrefix(key, PublishedPrefix) }

// checkUnchanged returns versions.ErrStale unless the key still has the object that was seen there.
func (x *Indexer) checkUnchanged(ctx context.Context, key string, seen Object) error {
	now, err := x.Bucket.Get(ctx, key, 0)
	if err != nil && !errors.Is(err, ErrNoObject) {
		return err
	}
	if now.Version != seen.Version {
		return versions.ErrStale
	}
	return nil
}

// retry repeats an operation that finds an object changed, by the policy contended. The error of one that never
// succeeds is not ErrStale, so an enclosing retry does not repeat it.
func (x *Indexer) retry(ctx context.Context, operation func() error) error {
	err := contended.Do(ctx, versions.IsStale, operation)
	gaveUp, ok := errors.AsType[*retry.GaveUpError](err)
	switch {
	case !ok:
		return err
	case gaveUp.Ended != nil:
		return gaveUp.Ended
	}
	return fmt.Errorf("gave up after %d attempts, because an object had changed each time", gaveUp.Attempts)
}
