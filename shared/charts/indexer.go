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

// ErrNoObject is what a Bucket returns for a key without an object.
var ErrNoObject = errors.New("no such object")

// What Put may write over, beside one version.
const (
	Nothing  = ""  // the key must be free
	Anything = "*" // whatever is there
)

// Object is what the bucket has under a key. Two with the same Version have the same contents.
type Object struct {
	Key      string
	Version  string
	Size     int64
	Modified time.Time // in whole seconds
	Body     []byte
}

// Bucket is where charts are published, and where everything derived from them is.
type Bucket interface {
	// Get returns ErrNoObject, or the object; with its Body only if that has no more than limit bytes. A limit of 0 asks
	// for none.
	Get(ctx context.Context, key string, limit int64) (Object, error)
	// Put writes if the version that is there is over, and otherwise returns versions.ErrStale.
	Put(ctx context.Context, key string, body []byte, over string) error
	// Copy overwrites the key to, if from still has its version; otherwise versions.ErrStale.
	Copy(ctx context.Context, from Object, to string) error
	// Delete returns versions.ErrStale if there is another version, and nil if there is none.
	Delete(ctx context.Context, object Object) error
	// List returns what is below a prefix, without bodies, in the order of keys.
	List(ctx context.Context, prefix string) ([]Object, error)
}

// Inspector reads a stranger's archive. What is wrong with the archive is a *Refusal; other errors say that it could not
// be read now. The Version lacks what only the bucket knows: URLs, Digest and Created.
type Inspector interface {
	Inspect(ctx context.Context, file string, archive []byte) (Version, error)
}

// Parts is what an Indexer is made of.
type Parts struct {
	Bucket    Bucket
	Inspector Inspector
	MaxBytes  int64 // of an archive, as it is published
	Now       func() time.Time
}

// Indexer keeps the index in agreement with what is published. It may be used by any number of goroutines and processes
// at a time, on the same bucket.
type Indexer struct{ Parts }

// NewIndexer returns an Indexer.
func NewIndexer(parts Parts) *Indexer { return &Indexer{parts} }

// Act is what was done about a file.
type Act string

// The acts.
const (
	Listed   Act = "listed"
	Unlisted Act = "unlisted"
	Rejected Act = "rejected"
)

// Outcome is one act.
type Outcome struct {
	Act    Act
	File   string // without the prefix of the key
	Reason string // of a rejection
}

// contended is the policy for operations on objects that other workers change at the same time. Each conflict means
// that another worker has finished, so 50 attempts suffice for far more workers than there are.
var contended = retry.Policy{Attempts: 50, FirstWait: 10 * time.Millisecond, LongestWait: 640 * time.Millisecond}

// Sync looks at what is published under the key now, whatever event named it, and makes the index agree; then it looks
// again, since the file may have changed meanwhile. So it may be called too often, too late, in any order and many times at
// once. It must be called once after every change, and again after an error. Other keys than published ones are none of
// its business.
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
		return x.mustStill(ctx, key, found.seen)
	})
	if err != nil {
		return done, fmt.Errorf("index %s: %w", key, err)
	}
	return done, nil
}

func fileOf(key string) string { return strings.TrimPrefix(key, PublishedPrefix) }

// mustStill returns versions.ErrStale unless the key has what was seen there.
func (x *Indexer) mustStill(ctx context.Context, key string, seen Object) error {
	now, err := x.Bucket.Get(ctx, key, 0)
	if err != nil && !errors.Is(err, ErrNoObject) {
		return err
	}
	if now.Version != seen.Version {
		return versions.ErrStale
	}
	return nil
}

// enter makes the index list a version of the file, or none. The error is a *rivalry where another is listed in its place.
func (x *Indexer) updateIndex(ctx context.Context, file string, version *Version) (done []Outcome, err error) {
	if !strings.HasSuffix(file, archiveSuffix) {
		return nil, nil
	}
	act, change := Unlisted, func(index *Index) (bool, error) { return index.Remove(file) }
	if version != nil {
		act, change = Listed, func(index *Index) (bool, error) { return admit(index, *version) }
	}
	err = x.retry(ctx, func() error {
		changed, err := x.changeIndex(ctx, change)
		if errors.Is(err, ErrNoObject) || errors.Is(err, ErrCorrupt) {
			rebuilt, err := x.Rebuild(ctx)
			done = append(done, rebuilt...)
			if err != nil {
				return err
			}
			return versions.ErrStale
		}
		if changed {
			done = append(done, Outcome{Act: act, File: file})
		}
		return err
	})
	return done, err
}

// change reads, changes and writes the index. It reports versions.ErrStale if somebody else wrote it meanwhile.
func (x *Indexer) changeIndex(ctx context.Context, change func(*Index) (bool, error)) (bool, error) {
	stored, err := x.Bucket.Get(ctx, IndexKey, maxIndexBytes)
	if err != nil {
		return false, err
	}
	index, err := decodeStored(stored)
	if err != nil {
		return false, err
	}
	if changed, err := change(index); err != nil || !changed {
		return false, err
	}
	if err := x.writeIndex(ctx, index, stored.Version); err != nil {
		return false, err
	}
	return true, nil
}

func decodeStored(stored Object) (*Index, error) {
	if stored.Size > maxIndexBytes {
		return nil, fmt.Errorf("%w: it has %d bytes, at most %d are read", ErrCorrupt, stored.Size, maxIndexBytes)
	}
	return DecodeIndex(stored.Body)
}

func (x *Indexer) writeIndex(ctx context.Context, index *Index, over string) error {
	text, err := index.Encode(x.Now().Truncate(time.Second))
	if err != nil {
		return err
	}
	if len(text) > maxIndexBytes {
		return fmt.Errorf("the index would have %d bytes, at most %d are read: delete old versions below %s",
			len(text), maxIndexBytes, PublishedPrefix)
	}
	return x.Bucket.Put(ctx, IndexKey, text, over)
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
