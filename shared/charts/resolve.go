package charts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"portside/shared/core/versions"
)

const (
	provenanceSuffix = ".prov"
	provenanceStart  = "-----BEGIN PGP SIGNED MESSAGE-----"
	// maxProvenance is much more than helm writes: Chart.yaml, a digest and a signature.
	maxProvenance = 64 << 10
	// maxEntry bounds the size of one version in the index, which every client downloads.
	maxEntry = 256 << 10
	// entryDepth leaves room for the levels of the index that enclose an entry.
	entryDepth = maxDepth - 8
)

// finding is the result of evaluating the published object under a key.
type finding struct {
	seen    Object   // its Version is empty without an object
	version *Version // what to list
}

// resolve evaluates the object with the key until it is accepted or gone. It moves
// rejected objects away, so that each is reported once.
func (x *Indexer) resolve(ctx context.Context, key string) (found finding, rejected []Outcome, err error) {
	err = x.retry(ctx, func() error {
		var refusal *Refusal
		found, err = x.evaluate(ctx, key)
		if !errors.As(err, &refusal) {
			return err
		}
		moved, err := x.reject(ctx, found.seen, refusal)
		if err != nil {
			return err
		}
		rejected = append(rejected, Outcome{Act: Rejected, File: fileOf(key), Reason: refusal.Error()})
		if moved {
			return versions.ErrStale
		}
		return nil
	})
	return found, rejected, err
}

func (x *Indexer) evaluate(ctx context.Context, key string) (found finding, err error) {
	file := fileOf(key)
	found.seen, err = x.Bucket.Get(ctx, key, x.limit(file))
	if errors.Is(err, ErrNoObject) {
		return finding{}, nil
	}
	if err != nil {
		return found, err
	}
	switch {
	case isFolder(file) && found.seen.Size == 0:
		return found, nil
	case strings.Contains(file, "/"):
		return found, refuse("the file lies in a folder", "publish it directly below "+PublishedPrefix)
	case strings.HasSuffix(file, archiveSuffix):
		found.version, err = x.accept(ctx, file, found.seen)
		return found, err
	}
	return found, checkProvenance(file, found.seen)
}

// isFolder recognizes the empty objects that consoles create to show a folder.
func isFolder(file string) bool { return file == "" || strings.HasSuffix(file, "/") }

// limit returns how much of a file to read.
func (x *Indexer) limit(file string) int64 {
	switch {
	case strings.HasSuffix(file, archiveSuffix):
		return x.MaxBytes
	case strings.HasSuffix(file, archiveSuffix+provenanceSuffix):
		return maxProvenance
	}
	return 0
}

func checkProvenance(file string, object Object) error {
	switch {
	case !strings.HasSuffix(file, archiveSuffix+provenanceSuffix):
		return refuse("only charts, NAME-VERSION.tgz, and their provenance files, NAME-VERSION.tgz.prov, belong below "+PublishedPrefix,
			"publish it under such a name, or elsewhere")
	case object.Size > maxProvenance:
		return refuse(fmt.Sprintf("the provenance file has %d bytes, more than the maximum of %d", object.Size,
			maxProvenance),
			"publish the one that `helm package --sign` writes")
	case !bytes.HasPrefix(object.Body, []byte(provenanceStart)):
		return refuse("the provenance file does not begin with "+provenanceStart,
			"publish the one that `helm package --sign` writes")
	}
	return nil
}

// accept keeps a copy of a valid archive, and returns how to list it. The copy stays forever,
// because a version number must mean the same bytes to everybody who has fetched it.
func (x *Indexer) accept(ctx context.Context, file string, published Object) (*Version, error) {
	if published.Size > x.MaxBytes {
		return nil, refuse(fmt.Sprintf("the archive has %d bytes, more than the maximum of %d", published.Size, x.MaxBytes),
			"exclude unneeded files (.helmignore), or ask the operator to raise the limit (MaxChartMegabytes)")
	}
	kept, err := x.Bucket.Get(ctx, ArchivesPrefix+file, x.MaxBytes)
	isNew := errors.Is(err, ErrNoObject)
	if err != nil && !isNew {
		return nil, err
	}
	if !isNew && !bytes.Equal(kept.Body, published.Body) {
		return nil, refuse("this version was published before with other contents, which customers may already have",
			"publish the change under a new version")
	}
	version, err := x.inspect(ctx, file, published.Body)
	if err != nil {
		return nil, err
	}
	if isNew {
		if kept, err = x.keep(ctx, file, published.Body); err != nil {
			return nil, err
		}
	}
	version.Created = kept.Modified.UTC()
	return &version, nil
}

func (x *Indexer) keep(ctx context.Context, file string, archive []byte) (Object, error) {
	if err := x.Bucket.Put(ctx, ArchivesPrefix+file, archive, Nothing); err != nil {
		return Object{}, err
	}
	return x.Bucket.Get(ctx, ArchivesPrefix+file, 0)
}

func (x *Indexer) inspect(ctx context.Context, file string, archive []byte) (Version, error) {
	version, err := x.Inspector.Inspect(ctx, file, archive)
	if err != nil {
		return Version{}, err
	}
	if len(version.Metadata) > maxEntry || tooDeep(version.Metadata, entryDepth) {
		return Version{}, refuse(fmt.Sprintf("the metadata of the chart is nested deeper than %d levels, or has more than %d bytes, "+
			"which every client would download with the index", entryDepth, maxEntry), "shorten Chart.yaml")
	}
	digest := sha256.Sum256(archive)
	version.Digest, version.URLs = hex.EncodeToString(digest[:]), []string{file}
	return version, nil
}
