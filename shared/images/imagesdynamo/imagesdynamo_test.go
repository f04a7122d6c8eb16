package imagesdynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"pgregory.net/rapid"

	"portside/shared/dynamo/items"
	"portside/shared/images"
	"portside/shared/testkit/awstest"
	"portside/testclient/scale"
)

const repository = "acme/api"

// clock is a time that a test sets.
type clock struct{ at time.Time }

func newStore(t *testing.T) (*Store, *dynamodb.Client, *clock) {
	t.Helper()
	client, at := awstest.DynamoDB(t), &clock{time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	return New(client, awstest.Table(t, client, "ImageVersionsTable"), func() time.Time { return at.at }), client, at
}

func digestOf(i int) string { return fmt.Sprintf("sha256:%064x", i) }

// contentOf returns a version that leads to a manifest and has digests.
func contentOf(version images.Version, manifest string, digests ...string) images.VersionContent {
	return images.VersionContent{Version: version, Manifest: manifest, Digests: func() ([]string, error) { return digests, nil }}
}

// anyT is a *testing.T or a *rapid.T.
type anyT interface {
	rapid.TB
	Context() context.Context
}

// tagsWith returns the tags of the versions that have a digest, sorted. The tag of a chart begins with "chart ".
func tagsWith(t anyT, s *Store, repository, digest string) []string {
	tags := map[string]bool{}
	_, err := s.Any(t.Context(), repository, digest, func(v images.Version) bool {
		tags[nameOf(v)] = true
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(tags))
}

func nameOf(v images.Version) string {
	if v.IsChart {
		return "chart " + v.Tag
	}
	return v.Tag
}

// TestVersionsWithADigest compares the index after random changes with a naive model.
func TestVersionsWithADigest(t *testing.T) {
	s, _, at := newStore(t)
	run := 0
	rapid.Check(scale.ChecksOf(t, 12), func(t *rapid.T) {
		run++
		name := fmt.Sprintf("acme/r%d", run)
		tags := map[string]images.Version{}      // by the name of a version
		content := map[string]map[string]bool{}  // the digests of a version
		attached := map[string]map[string]bool{} // by the subject
		digests := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 9), digestOf), 0, 4)
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				tag := rapid.SampledFrom([]string{"", "1.0.0", "1.1.0", "latest"}).Draw(t, "tag")
				version := images.Version{Tag: tag, IsChart: rapid.Bool().Draw(t, "is a chart")}
				version.IsChart = version.IsChart || version.Tag == ""
				manifest := rapid.IntRange(10, 13).Draw(t, "manifest")
				all := append(digests.Draw(t, "digests"), digestOf(manifest))
				key := version.Tag
				if key == "" {
					key = digestOf(manifest)
				}
				// A manifest always has the same digests, so other digests need another manifest.
				digest := fmt.Sprintf("sha256:%064x", hashOf(all, version.IsChart))
				if version.Tag == "" {
					key = digest
				}
				must(t, s.Put(t.Context(), name, contentOf(version, digest, all...)))
				tags[key], content[key] = version, setOf(all)
			},
			"attach": func(t *rapid.T) {
				subject, all := digestOf(rapid.IntRange(0, 13).Draw(t, "subject")), digests.Draw(t, "digests")
				must(t, s.Attach(t.Context(), name, subject, all))
				if attached[subject] == nil {
					attached[subject] = map[string]bool{}
				}
				maps.Copy(attached[subject], setOf(all))
			},
			"remove": func(t *rapid.T) {
				tag := rapid.SampledFrom([]string{"1.0.0", "1.1.0", "latest", "never"}).Draw(t, "tag")
				must(t, s.Remove(t.Context(), name, tag))
				delete(tags, tag)
			},
			"": func(t *rapid.T) {
				at.at = at.at.Add(namesLife)
				digest := digestOf(rapid.IntRange(0, 13).Draw(t, "digest"))
				want := map[string]bool{}
				for key, version := range tags {
					if closure(content[key], attached)[digest] {
						want[nameOf(version)] = true
					}
				}
				if got := tagsWith(t, s, name, digest); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
					t.Fatalf("%s is in %q, want %q", digest, got, slices.Sorted(maps.Keys(want)))
				}
			},
		})
	})
}

// closure returns the digests of a version and everything that is attached to them.
func closure(content map[string]bool, attached map[string]map[string]bool) map[string]bool {
	found := map[string]bool{}
	for next := slices.Collect(maps.Keys(content)); len(next) > 0; next = next[1:] {
		if !found[next[0]] {
			found[next[0]] = true
			next = slices.AppendSeq(next, maps.Keys(attached[next[0]]))
		}
	}
	return found
}

func setOf(digests []string) map[string]bool {
	set := map[string]bool{}
	for _, digest := range digests {
		set[digest] = true
	}
	return set
}

func hashOf(digests []string, isChart bool) int {
	sum := 1
	for _, digest := range slices.Compact(slices.Sorted(slices.Values(digests))) {
		var i int
		_, _ = fmt.Sscanf(strings.TrimPrefix(digest, "sha256:"), "%x", &i)
		sum = sum*31 + i
	}
	if isChart {
		return -sum & 0x7fffffff
	}
	return sum & 0x7fffffff
}

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestVersionsPutAtOnce puts versions that share layers, and moves one tag, at the same time.
func TestVersionsPutAtOnce(t *testing.T) {
	s, _, _ := newStore(t)
	var running sync.WaitGroup
	errs := make([]error, 24)
	for i := range errs {
		running.Go(func() {
			tag := fmt.Sprintf("1.0.%d", i)
			if i%3 == 0 {
				tag = "latest"
			}
			manifest := digestOf(100 + i)
			errs[i] = s.Put(t.Context(), repository,
				contentOf(images.Version{Tag: tag}, manifest, digestOf(1), digestOf(2), manifest))
		})
	}
	running.Wait()
	for i, err := range errs {
		if err != nil {
			t.Fatal(i, err)
		}
	}
	latest := 0
	for i := range errs {
		isFound, err := s.Any(t.Context(), repository, digestOf(100+i), func(v images.Version) bool { return v.Tag != "latest" || i%3 == 0 })
		if err != nil || !isFound && i%3 != 0 {
			t.Errorf("version %d: %v, %v", i, isFound, err)
		}
		if isFound && i%3 == 0 {
			latest++
		}
	}
	if latest != 1 {
		t.Errorf("the tag leads to %d manifests", latest)
	}
	if got := tagsWith(t, s, repository, digestOf(1)); len(got) != len(errs)/3*2+1 {
		t.Errorf("the shared layer is in %q", got)
	}
}

// TestStoredVersionIsReadOnce puts a version again, as each download does. That reads one item and asks for no digests.
func TestStoredVersionIsReadOnce(t *testing.T) {
	s, client, _ := newStore(t)
	for _, version := range []images.Version{{Tag: "1.0.0"}, {IsChart: true}} {
		must(t, s.Put(t.Context(), repository, contentOf(version, digestOf(1), digestOf(1))))
		metered, meter := awstest.Metered(client)
		s.client = metered
		again := contentOf(version, digestOf(1))
		again.Digests = func() ([]string, error) { return nil, errors.New("asked for the digests of a known version") }
		must(t, s.Put(t.Context(), repository, again))
		if meter.ReadUnits() != 1 || meter.WriteUnits() != 0 {
			t.Errorf("%+v: %v read units and %v write units", version, meter.ReadUnits(), meter.WriteUnits())
		}
		s.client = client
	}
}

// numbered is a repository whose tags lead to one manifest each.
type numbered struct {
	store    *Store
	name     string
	contents map[string]bool   // all tags with the manifests to which they led
	tags     map[string]string // the manifests of tags
}

var errRegistry = errors.New("the registry fails")

// put puts a version several times at once. The registry may fail.
func (n numbered) put(t *rapid.T) {
	tag := rapid.SampledFrom([]string{"1.0.0", "1.1.0"}).Draw(t, "tag")
	manifest := digestOf(rapid.IntRange(0, 2).Draw(t, "manifest"))
	version := contentOf(images.Version{Tag: tag}, manifest, manifest)
	isFailure := rapid.Bool().Draw(t, "fails")
	if isFailure {
		version.Digests = func() ([]string, error) { return nil, errRegistry }
	}
	isFailure = isFailure && n.tags[tag] != manifest
	var running sync.WaitGroup
	errs := make([]error, rapid.IntRange(1, 4).Draw(t, "writers"))
	for i := range errs {
		running.Go(func() { errs[i] = n.store.Put(t.Context(), n.name, version) })
	}
	running.Wait()
	for _, err := range errs {
		if errors.Is(err, errRegistry) != isFailure || err != nil && !isFailure {
			t.Fatal(err)
		}
	}
	n.contents[tag+manifest] = true
	if !isFailure {
		n.tags[tag] = manifest
	}
}

func (n numbered) remove(t *rapid.T) {
	tag := rapid.SampledFrom([]string{"1.0.0", "1.1.0"}).Draw(t, "tag")
	must(t, n.store.Remove(t.Context(), n.name, tag))
	delete(n.tags, tag)
}

func (n numbered) check(t *rapid.T) {
	used, _, err := items.Get[counter](t.Context(), items.In(n.store.client, n.store.table),
		items.Key(repositoryKey(n.name), numbers))
	if err != nil || used.Next != len(n.contents) {
		t.Fatalf("%d contents used up %d numbers, %v", len(n.contents), used.Next, err)
	}
	for i := range 3 {
		var want []string
		for _, tag := range slices.Sorted(maps.Keys(n.tags)) {
			if n.tags[tag] == digestOf(i) {
				want = append(want, tag)
			}
		}
		if got := tagsWith(t, n.store, n.name, digestOf(i)); !slices.Equal(got, want) {
			t.Fatalf("%s is in %q, want %q", digestOf(i), got, want)
		}
	}
}

// TestContentsUseUpNumbers moves and removes tags at random, also at the same time and with failures. Only the first
// time that a tag leads to a manifest uses up a number.
//
//proves:docs/security.md
func TestContentsUseUpNumbers(t *testing.T) {
	s, _, at := newStore(t)
	run := 0
	rapid.Check(scale.ChecksOf(t, 12), func(t *rapid.T) {
		run++
		n := numbered{store: s, name: fmt.Sprintf("acme/n%d", run), contents: map[string]bool{}, tags: map[string]string{}}
		t.Repeat(map[string]func(*rapid.T){
			"put": n.put, "remove": n.remove,
			"": func(t *rapid.T) {
				at.at = at.at.Add(namesLife)
				n.check(t)
			},
		})
	})
}

// TestKeptNamesLackNothingThatWasPut has a reader that keeps names while another process puts, moves and returns tags
// whose numbers are in two parts. The reader finds each version at once.
//
//proves:docs/security.md
func TestKeptNamesLackNothingThatWasPut(t *testing.T) {
	random := rand.New(rand.NewPCG(scale.Seed(), 2))
	for run := range scale.Of(1) {
		writer, client, at := newStore(t)
		reader := New(client, writer.table, func() time.Time { return at.at })
		put(t, client, writer.table, map[string]any{"pk": repositoryKey(repository), "sk": numbers, "next": partSize - 10})
		tags := map[string]int{} // the content of each
		for step := range 60 {
			tag, content := fmt.Sprintf("1.%d.0", random.IntN(12)), random.IntN(3)
			if random.IntN(5) == 0 {
				must(t, writer.Remove(t.Context(), repository, tag))
				delete(tags, tag)
				continue
			}
			// Each version has a unique digest, and a base layer that other versions share.
			own := fmt.Sprintf("sha256:%s-%d", tag, content)
			must(t, writer.Put(t.Context(), repository, contentOf(images.Version{Tag: tag}, own, own, digestOf(content))))
			tags[tag] = content
			for tag, content := range tags {
				wantFound(t, reader, tag, fmt.Sprintf("sha256:%s-%d", tag, content), digestOf(content))
			}
			if t.Failed() {
				t.Fatalf("run %d, step %d", run, step)
			}
		}
	}
}

// wantFound checks that the version with the tag has the digests.
func wantFound(t *testing.T, reader *Store, tag string, digests ...string) {
	t.Helper()
	for _, digest := range digests {
		found, err := reader.Any(t.Context(), repository, digest, func(v images.Version) bool { return v.Tag == tag })
		if err != nil || !found {
			t.Errorf("%s of %s is not found, %v", digest, tag, err)
		}
	}
}

// TestFullIndex puts versions into a repository that has used up its numbers. Its versions stay, but no tag keeps a
// content that it no longer has.
//
//proves:docs/security.md
func TestFullIndex(t *testing.T) {
	s, client, at := newStore(t)
	for i, tag := range []string{"1.0.0", "1.1.0"} {
		must(t, s.Put(t.Context(), repository, contentOf(images.Version{Tag: tag}, digestOf(i), digestOf(i))))
	}
	put(t, client, s.table, map[string]any{"pk": repositoryKey(repository), "sk": numbers, "next": maxVersions})
	for _, tag := range []string{"1.1.0", "1.2.0"} {
		version := contentOf(images.Version{Tag: tag}, digestOf(2), digestOf(2))
		version.Digests = func() ([]string, error) {
			return nil, errors.New("asked for the digests of a version without a number")
		}
		if err := s.Put(t.Context(), repository, version); !errors.Is(err, images.ErrIndexFull) {
			t.Errorf("%s: %v", tag, err)
		}
	}
	at.at = at.at.Add(namesLife)
	for i, want := range []string{"[1.0.0]", "[]", "[]"} {
		if got := tagsWith(t, s, repository, digestOf(i)); fmt.Sprint(got) != want {
			t.Errorf("%s is in %v, want %s", digestOf(i), got, want)
		}
	}
	// The tag returns to the content whose number it has.
	must(t, s.Put(t.Context(), repository, contentOf(images.Version{Tag: "1.1.0"}, digestOf(1), digestOf(1))))
	at.at = at.at.Add(namesLife)
	if got := tagsWith(t, s, repository, digestOf(1)); !slices.Equal(got, []string{"1.1.0"}) {
		t.Errorf("the tag that returned is %v", got)
	}
}

// TestAttachmentsOfVersionsPutAtOnce puts a version while something is attached to it.
func TestAttachmentsOfVersionsPutAtOnce(t *testing.T) {
	s, _, _ := newStore(t)
	for i := range scale.Of(20) {
		manifest, attachment := digestOf(2*i), digestOf(2*i+1)
		var running sync.WaitGroup
		var put, attach error
		running.Go(func() {
			put = s.Put(t.Context(), repository, contentOf(images.Version{Tag: fmt.Sprintf("1.0.%d", i)}, manifest, manifest))
		})
		running.Go(func() { attach = s.Attach(t.Context(), repository, manifest, []string{attachment}) })
		running.Wait()
		isFound, err := s.Any(t.Context(), repository, attachment, func(images.Version) bool { return true })
		if put != nil || attach != nil || err != nil || !isFound {
			t.Fatalf("attachment %d: %v, %v, %v, %v", i, isFound, put, attach, err)
		}
	}
}

// TestCostOfALayerOfManyVersions asks for a base layer in half of 10,000 versions. Authentication takes two more units.
// The first request of a function in a minute reads all names. Random characters in names take more units, because they
// do not compress.
func TestCostOfALayerOfManyVersions(t *testing.T) {
	random := rand.New(rand.NewPCG(scale.Seed(), 1))
	for name, tags := range map[string]struct {
		tag   func(i int) string
		first float64
	}{
		"releases": {func(i int) string { return fmt.Sprintf("%d.%d.%d", 1+i/1000, i/20%50, i%20) }, 6},
		"builds":   {func(i int) string { return fmt.Sprintf("1.%d.0-build.%d", i/50, 20_000+i) }, 6},
		"commits":  {func(int) string { return fmt.Sprintf("1.0.0-g%07x", random.Uint32()>>4) }, 9},
	} {
		t.Run(name, func(t *testing.T) {
			s, client, _ := newStore(t)
			const many = 10_000
			numbers := new(big.Int)
			for at := range (many + partSize - 1) / partSize {
				var versions versionsOfPart
				for i := at * partSize; i < min(many, (at+1)*partSize); i++ {
					versions = append(versions, images.Version{Tag: tags.tag(i)})
					if random.IntN(2) == 0 { // the other versions have another base
						numbers.SetBit(numbers, i, 1)
					}
				}
				put(t, client, s.table, part{PK: repositoryKey(repository), SK: partKey(at), Names: encodeNames(versions)})
			}
			put(t, client, s.table, content{PK: contentKey(repository, digestOf(1)), SK: versionsOf,
				Versions: encodeBits(numbers)})

			metered, meter := awstest.Metered(client)
			s.client = metered
			for _, step := range []struct {
				name   string
				accept bool
				units  float64
			}{{"first, refused", false, tags.first}, {"refused", false, 2}, {"served", true, 1}} {
				meter.Reset()
				_, err := s.Any(t.Context(), repository, digestOf(1), func(images.Version) bool { return step.accept })
				if err != nil || meter.ReadUnits() > step.units {
					t.Errorf("%s: %v read units, want at most %v (%v)", step.name, meter.ReadUnits(), step.units, err)
				}
			}
		})
	}
}

func put(t *testing.T, client *dynamodb.Client, table string, item any) {
	t.Helper()
	if _, err := client.PutItem(t.Context(),
		&dynamodb.PutItemInput{TableName: &table, Item: items.Encode(item)}); err != nil {
		t.Fatal(err)
	}
}
