package charts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Refusal says why a file was not accepted and how to fix that, for the vendor who published it.
type Refusal struct{ Reason, Fix string }

func (r *Refusal) Error() string { return r.Reason + "; " + r.Fix }

func refuse(reason, fix string) *Refusal { return &Refusal{Reason: reason, Fix: fix} }

const reasonSuffix = ".reason.txt"

// maxMove is the largest object that S3 copies in one call. The indexer does not copy a larger one;
// it stays where it is and is not listed, so it is not served.
const maxMove = 5 << 30

// reject moves a published object out of the way. It first copies the object with the reason, so
// that a crash loses nothing, and then deletes it or replaces it with the listed archive of the
// same name. It reports whether it could move the object.
func (x *Indexer) reject(ctx context.Context, published Object, refusal *Refusal) (moved bool, err error) {
	if published.Size > maxMove {
		return false, x.explain(ctx, published, refusal)
	}
	if err := x.Bucket.Copy(ctx, published, rejectedKey(published.Key)); err != nil {
		return false, err
	}
	if err := x.explain(ctx, published, refusal); err != nil {
		return false, err
	}
	return true, x.restore(ctx, published)
}

func (x *Indexer) restore(ctx context.Context, published Object) error {
	file := fileOf(published.Key)
	if !strings.HasSuffix(file, archiveSuffix) {
		return x.Bucket.Delete(ctx, published)
	}
	listed, err := x.lists(ctx, file)
	if err != nil {
		return err
	}
	if !listed { // the file was withdrawn, so it must not be published again
		return x.Bucket.Delete(ctx, published)
	}
	kept, err := x.Bucket.Get(ctx, ArchivesPrefix+file, x.MaxBytes)
	if errors.Is(err, ErrNoObject) || err == nil && (kept.Body == nil || bytes.Equal(kept.Body, published.Body)) {
		return x.Bucket.Delete(ctx, published)
	}
	if err != nil {
		return err
	}
	return x.Bucket.Put(ctx, published.Key, kept.Body, published.Version)
}

// lists reports whether the index has the file. Without an index, every accepted archive counts as
// listed.
func (x *Indexer) lists(ctx context.Context, file string) (bool, error) {
	stored, err := x.Bucket.Get(ctx, IndexKey, maxIndexBytes)
	if err != nil {
		return errors.Is(err, ErrNoObject), ignore(err, ErrNoObject)
	}
	index, err := decodeStored(stored)
	if err != nil {
		return errors.Is(err, ErrCorrupt), ignore(err, ErrCorrupt)
	}
	_, found := index.Find(file)
	return found, nil
}

// ignore returns err unless it is the expected one.
func ignore(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// explain writes the reason next to the rejected copy.
func (x *Indexer) explain(ctx context.Context, published Object, refusal *Refusal) error {
	text := fmt.Sprintf("What: %s, %d bytes, published %s\nWhen: rejected %s\nWhy:  %s\nFix:  %s\n",
		published.Key, published.Size, published.Modified.UTC().Format(time.RFC3339), x.Now().UTC().Format(time.RFC3339),
		refusal.Reason, refusal.Fix)
	return x.Bucket.Put(ctx, rejectedKey(published.Key)+reasonSuffix, []byte(text), Anything)
}

// rejectedKey leaves room for the suffix within the 1,024 bytes of a key.
func rejectedKey(key string) string {
	const longest = 900
	file := fileOf(key)
	if len(file) > longest {
		sum := sha256.Sum256([]byte(file))
		file = "long-name-" + hex.EncodeToString(sum[:])
	}
	return RejectedPrefix + file
}
