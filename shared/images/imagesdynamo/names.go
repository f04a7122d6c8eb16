package imagesdynamo

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/dynamo/items"
	"portside/shared/images"
)

// partSize is the number of versions whose names share one item, which has at most 33 KB and usually 1 KB.
const partSize = 256

// part is an item with the names of partSize versions.
type part struct {
	PK       string `dynamodbav:"pk"`
	SK       string `dynamodbav:"sk"`
	Revision int64  `dynamodbav:"revision"`
	Names    []byte `dynamodbav:"names"` // compressed
}

// partKey returns a sort key in the order of the parts.
func partKey(at int) string { return fmt.Sprintf("%s%06d", namesPrefix, at) }

// versionsOfPart are the versions of a part by their numbers in it. The zero Version means that the number has no
// version yet, or no longer.
type versionsOfPart []images.Version

func (v versionsOfPart) with(i int, one images.Version) versionsOfPart {
	v = slices.Clone(v)
	for len(v) <= i {
		v = append(v, images.Version{})
	}
	v[i] = one
	return v
}

// The first letter of a name is the kind of the version.
const (
	chartName = "c"
	otherName = "o"
)

func encodeNames(v versionsOfPart) []byte {
	lines := make([]string, len(v))
	for i, one := range v {
		switch {
		case one.IsChart:
			lines[i] = chartName + one.Tag
		case one.Tag != "":
			lines[i] = otherName + one.Tag
		}
	}
	return compress([]byte(strings.Join(lines, "\n")))
}

// versions returns the versions of the part. A damaged part has none, so it gives no access.
func (p part) versions() versionsOfPart {
	text, err := decompress(p.Names)
	if err != nil || len(text) == 0 {
		return nil
	}
	lines := strings.Split(string(text), "\n")
	versions := make(versionsOfPart, len(lines))
	for i, line := range lines {
		tag, isChart := strings.CutPrefix(line, chartName)
		versions[i] = images.Version{Tag: strings.TrimPrefix(tag, otherName), IsChart: isChart}
	}
	return versions
}

// names are the versions of a repository by the numbers of their parts.
type names map[int]versionsOfPart

func (n names) with(at int, part versionsOfPart) names {
	n = maps.Clone(n)
	n[at] = part
	return n
}

// keptNames returns the names of all versions, which may be up to namesLife old.
func (s *Store) keptNames(ctx context.Context, repository string) (names, error) {
	if known, isKept := s.names.Get(repository); isKept {
		return known, nil
	}
	known, err := s.readNames(ctx, repository)
	if err == nil {
		s.names.Put(repository, known)
	}
	return known, err
}

// readNames returns the names of all versions, eventually consistent, because a strongly consistent query costs twice
// as much.
func (s *Store) readNames(ctx context.Context, repository string) (names, error) {
	all := names{}
	pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
		TableName: &s.table, KeyConditionExpression: aws.String("pk = :pk AND begins_with(sk, :prefix)"),
		ExpressionAttributeValues: items.Map{":pk": items.Text(repositoryKey(repository)),
			":prefix": items.Text(namesPrefix)},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the names of versions: %w", err)
		}
		for _, item := range page.Items {
			found, err := items.Decode[part](item)
			if err != nil {
				return nil, err
			}
			var at int
			if _, err := fmt.Sscanf(strings.TrimPrefix(found.SK, namesPrefix), "%d", &at); err != nil {
				return nil, fmt.Errorf("read the names of versions: %w", err)
			}
			all[at] = found.versions()
		}
	}
	return all, nil
}

// part returns the item of a part, strongly consistent. It returns the zero part if none exists.
func (s *Store) part(ctx context.Context, repository string, at int) (part, error) {
	found, _, err := items.Get[part](ctx, items.In(s.client, s.table), items.Key(repositoryKey(repository), partKey(at)))
	return found, err
}

// any reports whether accept returns true for a version with one of the numbers. It starts with the newest version,
// which most callers may fetch.
func (n names) any(numbers *big.Int, accept func(images.Version) bool) bool {
	for number := numbers.BitLen() - 1; number >= 0; number-- {
		if numbers.Bit(number) == 0 {
			continue
		}
		part := n[number/partSize]
		if i := number % partSize; i < len(part) && part[i] != (images.Version{}) && accept(part[i]) {
			return true
		}
	}
	return false
}

// unnamed returns up to limit parts with a number of the set that has no name, the newest first.
func (n names) unnamed(numbers *big.Int, limit int) []int {
	var parts []int
	for number := numbers.BitLen() - 1; number >= 0 && len(parts) < limit; number-- {
		at, i := number/partSize, number%partSize
		if numbers.Bit(number) == 0 || i < len(n[at]) && n[at][i] != (images.Version{}) {
			continue
		}
		parts = append(parts, at)
		number = at * partSize // continue with the part before
	}
	return parts
}

func encodeBits(bits *big.Int) []byte { return compress(bits.Bytes()) }

func decodeBits(encoded []byte) (*big.Int, error) {
	text, err := decompress(encoded)
	return new(big.Int).SetBytes(text), err
}

// maxUncompressed is more than the size of all bits, or of the names of a part.
const maxUncompressed = maxVersions/8 + 1

var errTooLarge = errors.New("a compressed attribute is too large")

func compress(plain []byte) []byte {
	var to bytes.Buffer
	w, err := flate.NewWriter(&to, flate.BestCompression)
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(fmt.Sprintf("imagesdynamo: compress in memory: %v", err)) // the level is valid, and a buffer has no errors
	}
	return to.Bytes()
}

func decompress(compressed []byte) ([]byte, error) {
	if len(compressed) == 0 {
		return nil, nil
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(compressed)), maxUncompressed+1))
	if err == nil && len(plain) > maxUncompressed {
		err = errTooLarge
	}
	return plain, err
}
