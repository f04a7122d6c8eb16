// Package imagesdynamo stores which versions of a repository have which digests. The items have a separate table, so that the functions
// that read the registry need no write access to anything else. The registry can build them anew, so they need no backup.
//
//	repository#<name>              tag#<tag>        the manifest and the number of a version; for a chart without a tag, tag#<digest>
//	repository#<name>              names#<part>     the tags of 256 numbers, compressed
//	repository#<name>              numbers          the number of the next version
//	content#<name>@<digest>        versions         the numbers of the versions that have the digest, as compressed bits
//	content#<name>@<digest>        attached         the digests that are attached to the digest
//
// A version gets a number when it is stored, and another one when its tag leads to another manifest. The old number then has no tag, and
// nobody may fetch what has only that number. So a layer of ten thousand versions takes an item of a kilobyte, and a tag that moves
// changes no items of digests.
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

// Limits of what a function remembers: about 400 KB for a repository with 10,000 versions.
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
	tagPrefix   = "tag#"
	namesPrefix = "names#"
	numbers     = "numbers"
	versionsOf  = "versions"
	attachedTo  = "attached"
)

func repositoryKey(repository string) string      { return "repository#" + repository }
func contentKey(repository, digest string) string { return "content#" + repository + "@" + digest }

// errChanged means that another writer changed an item first.
var errChanged = errors.New("another writer changed the index of versions")

// Put implements images.VersionIndex. It writes the version last, so that a version that the index knows is complete.
func (s *Store) Put(ctx context.Context, repository string, version images.VersionContent) error {
	name := version.Tag
	if name == "" {
		name = version.Manifest
	}
	before, exists, err := s.version(ctx, repository, name)
	if err != nil || exists && before.Manifest == version.Manifest {
		return err
	}
	digests, err := version.Digests()
	if err != nil {
		return err
	}
	number, err := s.nextNumber(ctx, repository)
	if err != nil {
		return err
	}
	if err := s.add(ctx, repository, digests, new(big.Int).SetBit(new(big.Int), number, 1)); err != nil {
		return fmt.Errorf("store a version: %w", err)
	}
	return s.replace(ctx, repository, name, change{number: number, manifest: version.Manifest, version: version.Version})
}

// Attach implements images.VersionIndex. It stores the attachment before it reads the versions of the subject, and Put does the reverse. So
// one of two calls at the same time sees what the other wrote.
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
	return s.add(ctx, repository, digests, found)
}

// Remove implements images.VersionIndex.
func (s *Store) Remove(ctx context.Context, repository, tag string) error {
	return s.replace(ctx, repository, tag, change{number: -1})
}

// Any implements images.VersionIndex. It reads one item for the digest and, if no version known from the last minute is accepted, the tags.
func (s *Store) Any(ctx context.Context, repository, digest string, accept func(images.Version) bool) (bool, error) {
	numbers, exists, err := s.content(ctx, repository, digest)
	if err != nil || !exists {
		return false, err
	}
	known, isKept := s.names.Get(repository)
	if isKept && known.any(numbers, accept) {
		return true, nil
	}
	if !isKept {
		if known, err = s.readNames(ctx, repository); err != nil {
			return false, err
		}
		s.names.Put(repository, known)
	}
	// The names may lack the newest versions, because they are kept, and because their Query is not strongly consistent.
	newest := (numbers.BitLen() - 1) / partSize
	part, err := s.part(ctx, repository, newest)
	if err != nil {
		return false, err
	}
	return known.with(newest, part.versions()).any(numbers, accept), nil
}

// Tags implements images.VersionIndex.
func (s *Store) Tags(ctx context.Context, repository string) (map[string]bool, error) {
	known, isKept := s.names.Get(repository)
	if !isKept {
		var err error
		if known, err = s.readNames(ctx, repository); err != nil {
			return nil, err
		}
		s.names.Put(repository, known)
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

// unchanged is the condition that an item has the revision that was read. An item that does not exist has none.
const unchanged = "attribute_not_exists(pk) OR revision = :revision"

func isChanged(err error) bool { return errors.Is(err, errChanged) }
