package charts_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"pgregory.net/rapid"

	"portside/shared/charts"
	"portside/shared/charts/chartss3"
	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
	"portside/shared/testkit/awstest"
	"portside/testclient/scale"
)

var whole = principal.Principal{UserID: "u", Scopes: []principal.Scope{principal.ReadCharts}}

func narrowed(names ...string) principal.Principal {
	p := principal.Principal{UserID: "u"}
	for _, name := range names {
		p.Scopes = append(p.Scopes, principal.ReadCharts+":"+principal.Scope(name))
	}
	return p
}

// meteredBucket is a bucket that counts the calls to it and the bytes that are read from it.
type meteredBucket struct {
	tb     testing.TB
	client *s3.Client
	bucket string
	calls  atomic.Int64
	bytes  atomic.Int64
}

func newMeteredBucket(tb testing.TB) *meteredBucket {
	tb.Helper()
	d := &meteredBucket{tb: tb, bucket: awstest.Bucket(tb)}
	d.client = s3.New(awstest.S3(tb).Options(), func(o *s3.Options) { o.HTTPClient = d })
	return d
}

func (d *meteredBucket) library() *charts.Library {
	return charts.NewLibrary(chartss3.NewReader(d.client, d.bucket))
}

// Do implements s3.HTTPClient.
func (d *meteredBucket) Do(r *http.Request) (*http.Response, error) {
	d.calls.Add(1)
	answer, err := http.DefaultClient.Do(r)
	if err == nil {
		answer.Body = &meter{answer.Body, &d.bytes}
	}
	return answer, err
}

type meter struct {
	io.ReadCloser
	read *atomic.Int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	m.read.Add(int64(n))
	return n, err
}

// publish writes an index that lists the given charts.
func (d *meteredBucket) publish(versions ...charts.Version) {
	d.tb.Helper()
	index := charts.NewIndex()
	for _, v := range versions {
		if _, err := index.Set(v); err != nil {
			d.tb.Fatal(err)
		}
	}
	contents, err := index.Encode(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	if err != nil {
		d.tb.Fatal(err)
	}
	d.putIndex(contents)
}

func (d *meteredBucket) putIndex(contents []byte) {
	d.tb.Helper()
	key := charts.IndexKey
	input := &s3.PutObjectInput{Bucket: &d.bucket, Key: &key, Body: bytes.NewReader(contents)}
	if _, err := awstest.S3(d.tb).PutObject(d.tb.Context(), input); err != nil {
		d.tb.Fatal(err)
	}
}

func version(name, number string) charts.Version {
	return charts.Version{
		Name: name, Version: number, Digest: strings.Repeat("0", 64), URLs: []string{name + "-" + number + ".tgz"},
		Metadata: []byte(`{"name":"` + name + `","version":"` + number + `"}`),
	}
}

func TestUnchangedIndexCostsOneSmallCall(t *testing.T) {
	d := newMeteredBucket(t)
	d.publish(version("a", "1.0.0"), version("b", "1.0.0"))
	library := d.library()
	first, err := library.Index(t.Context(), whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, caller := range []principal.Principal{whole, narrowed("a"), narrowed("a", "b")} {
		part, err := library.Index(t.Context(), caller)
		if err != nil {
			t.Fatal(err)
		}
		d.calls.Store(0)
		d.bytes.Store(0)
		again, err := library.Index(t.Context(), caller)
		if err != nil || again != part {
			t.Errorf("the listing was created again (%v)", err)
		}
		if calls, read := d.calls.Load(), d.bytes.Load(); calls != 1 || read != 0 {
			t.Errorf("an unchanged index costs %d calls and %d bytes, want 1 and 0", calls, read)
		}
	}
	d.publish(version("a", "2.0.0"))
	second, err := library.Index(t.Context(), whole)
	if err != nil || bytes.Equal(first.Body, second.Body) || first.Tag == second.Tag {
		t.Errorf("the change is missing (%v): %s", err, second.Body)
	}
}

// TestDamagedIndexIsNotServed checks that requests fail with a damaged index, and that the
// log reports it once.
//
//proves:docs/security.md
func TestDamagedIndexIsNotServed(t *testing.T) {
	var log strings.Builder
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	d := newMeteredBucket(t)
	library := d.library()
	for _, damage := range []string{
		"", "{", "null", "garbage", `{"entries":{"ok":7}}`, `{"apiVersion":"v1","entries":{"ok":7}}`, `{"apiVersion":"v1","entries":{"ok":[7]}}`,
	} {
		d.putIndex([]byte(damage))
		log.Reset()
		for range 3 {
			for _, caller := range []principal.Principal{whole, narrowed("ok"), narrowed("other")} {
				if listing, err := library.Index(t.Context(), caller); !errors.Is(err, charts.ErrDamaged) || listing != nil {
					t.Errorf("%q: index: %v", damage, err)
				}
			}
			if _, err := library.Fetch(t.Context(), whole, charts.Wanted{File: "ok-1.0.0.tgz"}); !errors.Is(err,
				charts.ErrDamaged) {
				t.Errorf("%q: archive: %v", damage, err)
			}
		}
		if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), "portside reindex-charts") {
			t.Errorf("%q: the log says %q", damage, log.String())
		}
	}
	d.putIndex([]byte(`{"apiVersion":"v1","entries":{"ok":[{"created":"yesterday"}]}}`))
	if _, err := library.Fetch(t.Context(), whole, charts.Wanted{File: "ok-1.0.0.tgz"}); !errors.Is(err,
		charts.ErrDamaged) {
		t.Errorf("archive of a damaged chart: %v", err)
	}
	d.publish(version("ok", "1.0.0"))
	if _, err := library.Fetch(t.Context(), whole, charts.Wanted{File: "ok-1.0.0.tgz"}); err != nil {
		t.Errorf("after the repair: %v", err)
	}
}

// TestPartsAreNotShared has two callers whose scopes and entitlements are the same text if they are written one after
// the other.
func TestPartsAreNotShared(t *testing.T) {
	d := newMeteredBucket(t)
	d.publish(version("a", "1.0.0"), version("a", "2.0.0"))
	library := d.library()
	few, all := entitled(t, entitlement.Chart, "a", "<2.0.0"), entitled(t, entitlement.Chart, "a", "*")
	honest := principal.Principal{CustomerID: "bolt", Scopes: []principal.Scope{"read:helm-charts:a"},
		Entitled: entitlement.Set{all, few}}
	forged := principal.Principal{
		CustomerID: "acme", Scopes: []principal.Scope{"read:helm-charts:a\nchart\ta\t*"}, Entitled: entitlement.Set{few},
	}
	for _, order := range [][]principal.Principal{{honest, forged}, {forged, honest}} {
		for _, caller := range order {
			listing, err := library.Index(t.Context(), caller)
			if has := err == nil && bytes.Contains(listing.Body, []byte("2.0.0")); has != (caller.CustomerID == "bolt") {
				t.Errorf("%s sees version 2.0.0: %t (%v)", caller.CustomerID, has, err)
			}
		}
	}
}

// TestPartsHideOtherCharts publishes charts that a caller may not see. Neither the index of this caller nor its tag
// changes.
func TestPartsHideOtherCharts(t *testing.T) {
	d := newMeteredBucket(t)
	at := func(v charts.Version, hour int) charts.Version {
		v.Created = time.Date(2026, 3, 2, hour, 0, 0, 0, time.UTC)
		return v
	}
	caller := principal.Principal{
		CustomerID: "acme", Scopes: []principal.Scope{"read:helm-charts:a"},
		Entitled: entitlement.Set{entitled(t, entitlement.Chart, "a", "<2.0.0")},
	}
	first, second := at(version("a", "1.0.0"), 7), at(version("a", "1.1.0"), 8)
	var seen []*charts.Listing
	for _, published := range [][]charts.Version{
		{}, {at(version("b", "1.0.0"), 9)},
		{first}, {first, at(version("b", "1.0.0"), 9)}, {first, at(version("a", "2.0.0"), 9)},
		{first, second}, {first, second, at(version("a", "2.0.0"), 9)},
	} {
		d.publish(published...)
		listing, err := d.library().Index(t.Context(), caller)
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, listing)
	}
	for i, hour := range strings.Fields(
		"1970-01-01T00 1970-01-01T00 2026-03-02T07 2026-03-02T07 2026-03-02T07 2026-03-02T08 2026-03-02T08",
	) {
		if !bytes.Contains(seen[i].Body, []byte(`"generated":"`+hour)) {
			t.Errorf("index %d is not of %s: %s", i, hour, seen[i].Body)
		}
		if same := i > 0 && seen[i].Tag == seen[i-1].Tag; same != (i != 0 && i != 2 && i != 5) {
			t.Errorf("index %d has the tag of the one before: %v", i, same)
		}
	}
}

func TestCacheForLimitedCredentialsIsBounded(t *testing.T) {
	d := newMeteredBucket(t)
	d.publish(version("a", "1.0.0"))
	library := d.library()
	made := map[*charts.Listing]bool{}
	for i := range 200 {
		listing, err := library.Index(t.Context(), narrowed("a", strings.Repeat("b", i%100+1)))
		if err != nil || listing.Complete || !bytes.Contains(listing.Body, []byte(`"a":[`)) {
			t.Fatalf("the listing is complete or empty (%v): %s", err, listing.Body)
		}
		made[listing] = true
	}
	if len(made) <= 100 {
		t.Error("the cache for limited credentials has no bound")
	}
}

func TestConcurrentReadsOfLibrary(t *testing.T) {
	d := newMeteredBucket(t)
	library := d.library()
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for range 20 {
				for _, caller := range []principal.Principal{whole, narrowed("a")} {
					if listing, err := library.Index(t.Context(), caller); err != nil || len(listing.Packed()) == 0 {
						t.Errorf("index: %v", err)
					}
				}
			}
		})
	}
	for _, number := range []string{"1.0.0", "2.0.0", "3.0.0"} {
		d.publish(version("a", number))
	}
	workers.Wait()
	if _, err := library.Fetch(t.Context(), whole, charts.Wanted{File: "a-3.0.0.tgz"}); err != nil {
		t.Errorf("the last version: %v", err)
	}
}

// TestErrorsRevealNothing publishes random charts and fetches one with a random limited credential. An error must
// be the same as if nothing were published, and a file must lie within the scopes.
func TestErrorsRevealNothing(t *testing.T) {
	empty, d := newMeteredBucket(t).library(), newMeteredBucket(t)
	names := rapid.SampledFrom([]string{"a", "a-1", "a-1-2", "b", "a-b", "v1", "a-v1"})
	numbers := rapid.SampledFrom([]string{"1.0.0", "2.0.0", "1-2", "1.0.0-1", "v1.0.0", "2"})
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		var published []charts.Version
		for range rapid.IntRange(0, 4).Draw(t, "published") {
			published = append(published, version(names.Draw(t, "name"), numbers.Draw(t, "number")))
		}
		d.publish(published...)
		caller := narrowed(rapid.SliceOfN(names, 1, 2).Draw(t, "scopes")...)
		want := charts.Wanted{File: names.Draw(t, "wanted") + "-" + numbers.Draw(t, "of") + ".tgz"}
		_, before := empty.Fetch(d.tb.Context(), caller, want)
		got, after := d.library().Fetch(d.tb.Context(), caller, want)
		switch {
		case after == nil && !caller.MayFetch(principal.ReadCharts, got.Version.Name):
			t.Errorf("%v got %s of %s", caller.Scopes, want.File, got.Version.Name)
		case after != nil && !errors.Is(after, before):
			t.Errorf("fetch %[2]s with %[1]v = %[3]v, but %[4]v if nothing is published", caller.Scopes, want.File, after,
				before)
		}
	})
}
