// Package imagesdynamo stores which versions of a repository contain which digests. The items have a separate table, so
// that the functions that read the registry need no write access to other data. The items need no backup, because they
// can be rebuilt from the registry.
//
//	repository#<name>        tag#<tag>                the manifest and the number of a version; for a chart without a tag, tag#<digest>
//	repository#<name>        names#<part>             the tags of 256 numbers, compressed
//	repository#<name>        number#<tag>@<manifest>  the number that the tag has whenever it leads to the manifest
//	repository#<name>        numbers                  the number of the next version
//	content#<name>@<digest>  versions                 the numbers of the versions that have the digest, as compressed bits
//	content#<name>@<digest>  attached                 the digests that are attached to the digest
//
// A version gets a number when it is stored. When its tag moves to another manifest, the tag gets another number. The
// old number then has no tag and gives no access to its digests, so the items of the old digests do not change. A
// number always means the same tag and manifest. Numbers are finite, and only what the vendor pushes uses them up. The
// versions of a layer are a set of bits: a kilobyte for ten thousand versions.
package imagesdynamo

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/recent"
	"portside/shared/images"
)

// Store keeps the versions of all repositories.
type Store struct {
	client *dynamodb.Client
	table  string
	names  *recent.Cache[string, names] // by the repository
}

var _ images.VersionIndex = (*Store)(nil)

// Limits of the cache of names. A repository with 10,000 versions takes about 400 KB.
const (
	maxRepositories = 32
	namesLife       = time.Minute
)

// New returns a Store in the named table.
func New(client *dynamodb.Client, table string, now func() time.Time) *Store {
	return &Store{client: client, table: table, names: recent.New[string, names](maxRepositories, namesLife, now)}
}

// Sort keys, and prefixes of them.
const (
	tagPrefix    = "tag#"
	namesPrefix  = "names#"
	numberPrefix = "number#"
	numbers      = "numbers"
	versionsOf   = "versions"
	attachedTo   = "attached"
)

func repositoryKey(repository string) string      { return "repository#" + repository }
func contentKey(repository, digest string) string { return "content#" + repository + "@" + digest }

// errChanged means that another writer changed an item first.
var errChanged = errors.New("another writer changed the index of versions")

// Put implements images.VersionIndex. It writes the version last, so that a known version is always complete.
func (s *Store) Put(ctx context.Context, repository string, version images.VersionContent) error {
	name := version.Tag
	if name == "" {
		name = version.Manifest
	}
	before, exists, err := s.version(ctx, repository, name)
	if err != nil || exists && before.Manifest == version.Manifest {
		return err
	}
	number, err := s.number(ctx, repository, name, version.Manifest)
	if errors.Is(err, images.ErrIndexFull) && exists {
		err = errors.Join(err, s.Remove(ctx, repository, name)) // the tag no longer leads to the earlier content
	}
	if err != nil {
		return err
	}
	digests, err := version.Digests()
	if err != nil {
		return err
	}
	if err := s.addNumbers(ctx, repository, digests, new(big.Int).SetBit(new(big.Int), number, 1)); err != nil {
		return fmt.Errorf("store a version: %w", err)
	}
	return s.replace(ctx, repository, name, change{number: number, manifest: version.Manifest, version: version.Version})
}

// Attach implements images.VersionIndex. It stores the attachment before it reads the versions of the subject, and Put
// does the reverse. So of two concurrent calls, at least one sees the write of the other.
func (s *Store) Attach(ctx context.Context, repository, subject string, digests []string) error {
	err := s.change(ctx, contentKey(repository, subject), attachedTo, func(c *content) bool {
		return c.attach(digests)
	})
	if err != nil {
		return err
	}
	found, exists, err := s.content(ctx, repository, subject)
	if err != nil || !exists {
		return err
	}
	return s.addNumbers(ctx, repository, digests, found)
}

// Remove implements images.VersionIndex.
func (s *Store) Remove(ctx context.Context, repository, tag string) error {
	return s.replace(ctx, repository, tag, change{number: -1})
}

// maxReadParts limits how many items with names Any reads for a digest.
const maxReadParts = 4

// Any implements images.VersionIndex. It reads one item for the digest. If accept rejects all versions in the cache, it
// also reads the names of versions.
func (s *Store) Any(ctx context.Context, repository, digest string, accept func(images.Version) bool) (bool, error) {
	numbers, exists, err := s.content(ctx, repository, digest)
	if err != nil || !exists {
		return false, err
	}
	known, err := s.keptNames(ctx, repository)
	if err != nil {
		return false, err
	}
	if known.any(numbers, accept) {
		return true, nil
	}
	// The names come from the cache or from an eventually consistent query, so a number without a name may have one
	// now.
	for _, at := range known.unnamed(numbers, maxReadParts) {
		part, err := s.part(ctx, repository, at)
		if err != nil {
			return false, err
		}
		known = known.with(at, part.versions())
	}
	return known.any(numbers, accept), nil
}

// Tags implements images.VersionIndex.
func (s *Store) Tags(ctx context.Context, repository string) (map[string]bool, error) {
	known, err := s.keptNames(ctx, repository)
	if err != nil {
		return nil, err
	}
	tags := map[string]bool{}
	for _, part := range known {
		for _, one := range part {
			if one.Tag != "" {
				tags[one.Tag] = true
			}
		}
	}
	return tags, nil
}

// unchanged is the condition that an item still has the revision that was read, or still does not exist.
const unchanged = "attribute_not_exists(pk) OR revision = :revision"

func isChanged(err error) bool { return errors.Is(err, errChanged) }
