package charts

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// What a Bucket answers about the state of things, as opposed to outages.
var (
	ErrNoObject = errors.New("there is no such object")
	// ErrChanged says that the object is no longer, or not yet, what the caller has seen of it.
	ErrChanged = errors.New("the object was changed meanwhile")
)

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
	// Put writes if the version that is there is over, and otherwise returns ErrChanged.
	Put(ctx context.Context, key string, body []byte, over string) error
	// Copy overwrites the key to, if from still has its version; otherwise ErrChanged.
	Copy(ctx context.Context, from Object, to string) error
	// Delete returns ErrChanged if there is another version, and nil if there is none.
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

const (
	// maxTries ends what finds its objects changed again and again. Each time somebody else has finished, so that it
	// takes far more workers than there are to get there.
	maxTries = 50
	// patience is the first, longest pause between two tries; it doubles up to 64 times as much.
	patience = 10 * time.Millisecond
)

// Sync looks at what is published under the key now, whatever event named it, and makes the index agree; then it looks
// again, since the file may have changed meanwhile. So it may be called too often, too late, in any order and many times at
// once. It must be called once after every change, and again after an error. Other keys than published ones are none of
// its business.
func (x *Indexer) Sync(ctx context.Context, key string) ([]Outcome, error) {
	if !strings.HasPrefix(key, PublishedPrefix) {
		return nil, nil
	}
	var done []Outcome
	err := x.insist(ctx, func() error {
		found, rejected, err := x.resolve(ctx, key)
		done = append(done, rejected...)
		if err != nil {
			return err
		}
		listed, err := x.enter(ctx, fileOf(key), found.version)
		done = append(done, listed...)
		if lost, is := errors.AsType[*rivalry](err); is {
			settled, err := x.yield(ctx, found.seen, lost)
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

// mustStill returns ErrChanged unless the key has what was seen there.
func (x *Indexer) mustStill(ctx context.Context, key string, seen Object) error {
	now, err := x.Bucket.Get(ctx, key, 0)
	if err != nil && !errors.Is(err, ErrNoObject) {
		return err
	}
	if now.Version != seen.Version {
		return ErrChanged
	}
	return nil
}

// enter makes the index list a version of the file, or none. The error is a *rivalry where another is listed in its place.
func (x *Indexer) enter(ctx context.Context, file string, version *Version) (done []Outcome, err error) {
	if !strings.HasSuffix(file, archiveSuffix) {
		return nil, nil
	}
	act, change := Unlisted, func(index *Index) (bool, error) { return index.Remove(file) }
	if version != nil {
		act, change = Listed, func(index *Index) (bool, error) { return admit(index, *version) }
	}
	err = x.insist(ctx, func() error {
		changed, err := x.change(ctx, change)
		if errors.Is(err, ErrNoObject) || errors.Is(err, ErrCorrupt) {
			rebuilt, err := x.Rebuild(ctx)
			done = append(done, rebuilt...)
			if err != nil {
				return err
			}
			return ErrChanged
		}
		if changed {
			done = append(done, Outcome{Act: act, File: file})
		}
		return err
	})
	return done, err
}

// change reads, changes and writes the index. It reports ErrChanged if somebody else wrote it meanwhile.
func (x *Indexer) change(ctx context.Context, change func(*Index) (bool, error)) (bool, error) {
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
	if err := x.write(ctx, index, stored.Version); err != nil {
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

func (x *Indexer) write(ctx context.Context, index *Index, over string) error {
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

// insist repeats what finds that something was changed meanwhile, after pauses that grow and differ.
func (x *Indexer) insist(ctx context.Context, do func() error) error {
	for try := range maxTries {
		err := do()
		if !errors.Is(err, ErrChanged) {
			return err
		}
		const doublings = 6
		pause := time.NewTimer(rand.N(patience << min(try, doublings)))
		select {
		case <-pause.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return fmt.Errorf("given up: tried %d times, and each time something had changed meanwhile", maxTries)
}
