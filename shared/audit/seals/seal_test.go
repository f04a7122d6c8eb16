package seals_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"pgregory.net/rapid"

	"portside/shared/audit/seals"
	"portside/shared/audit/seals/sealsdynamo"
	"portside/shared/audit/seals/sealss3"
	"portside/shared/core/audit"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
	"portside/shared/testkit/awstest"
)

var start = time.Date(2026, 11, 27, 22, 0, 0, 0, time.UTC)

// logbook is an audit log on real engines.
type logbook struct {
	testing.TB
	client *dynamodb.Client
	s3     *s3.Client
	table  string
	bucket string
	now    time.Time
	ids    []string // of the events, in order
}

func newLogbook(tb testing.TB) *logbook {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	return &logbook{
		TB: tb, client: client, s3: awstest.S3(tb), table: awstest.Table(tb, client, "AuditTable"), bucket: awstest.Bucket(tb), now: start,
	}
}

func (b *logbook) clock() time.Time { return b.now }

func (b *logbook) sealer(client *dynamodb.Client) seals.Sealer {
	table := sealsdynamo.New(client, b.table)
	return seals.Sealer{
		Events: table, Record: table, Objects: sealss3.New(b.s3, b.bucket), Now: b.clock, Settled: auditlog.Settled,
		Days: 2, // less than the table keeps, because the first run makes a call for each day
	}
}

// at adds an event some time after the start.
func (b *logbook) at(after time.Duration) string {
	b.Helper()
	at := start.Add(after)
	log := auditlog.New(b.table, func() time.Time { return at })
	ctx := audit.WithActor(b.Context(), audit.Actor{Kind: audit.Person, ID: "ada"})
	writes := log.Write(ctx, audit.Change{
		Action: audit.UserUpdated, Target: audit.Target{Kind: audit.User, ID: "u1", Name: "bob@example.com"},
		Before: map[string]string{"name": "Bob"}, After: map[string]string{"name": "Bob <& \u2028 Byron>"},
	})
	if _, err := b.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes}); err != nil {
		b.Fatal(err)
	}
	id := textOf(writes[0].Put.Item, "sk")
	b.ids = append(b.ids, id)
	slices.Sort(b.ids)
	return id
}

// seal seals all hours that are complete some time after the start.
func (b *logbook) seal(after time.Duration) seals.SealRun {
	b.Helper()
	b.now = start.Add(after)
	run, err := b.sealer(b.client).Seal(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return run
}

func (b *logbook) verifier() seals.Verifier {
	table := sealsdynamo.New(b.client, b.table)
	return seals.Verifier{Events: table, Record: table, Objects: sealss3.New(b.s3, b.bucket), Now: b.clock, Days: auditlog.Days}
}

func (b *logbook) verify(options seals.Verification) seals.Report {
	b.Helper()
	report, err := b.verifier().Verify(b.Context(), options)
	if err != nil {
		b.Fatal(err)
	}
	return report
}

func (b *logbook) expectIntact(hours, events int) seals.Report {
	b.Helper()
	report := b.verify(seals.Verification{})
	if report.Finding != nil {
		b.Fatalf("finding %+v, want none", *report.Finding)
	}
	if got := int(report.Last - report.First + 1); got != hours || report.Events != events {
		b.Fatalf("verified %d hours and %d events, want %d and %d", got, report.Events, hours, events)
	}
	return report
}

// finding has the compared fields of a finding.
type finding struct {
	Problem seals.Problem
	EventID string
	InTable bool
	Object  string // empty for any, if the problem is in the table
}

func (b *logbook) expectFinding(want finding) {
	b.Helper()
	found := b.verify(seals.Verification{}).Finding
	if found == nil {
		b.Fatalf("no finding, want %+v", want)
	}
	got := finding{Problem: found.Problem, EventID: found.EventID, InTable: found.InTable, Object: found.Object}
	if want.InTable && want.Object == "" {
		got.Object = "" // of no interest
	}
	if got != want {
		b.Fatalf("finding %+v (%s), want %+v", got, found.Detail, want)
	}
}

// objects returns all objects by their keys.
func (b *logbook) objects() map[string]string {
	b.Helper()
	objects, all := sealss3.New(b.s3, b.bucket), map[string]string{}
	for key, err := range objects.Keys(b.Context(), "") {
		if err != nil {
			b.Fatal(err)
		}
		all[key] = b.object(key)
	}
	return all
}

func (b *logbook) object(key string) string {
	b.Helper()
	body, err := sealss3.New(b.s3, b.bucket).Open(b.Context(), key)
	if err != nil {
		b.Fatal(err)
	}
	content, err := io.ReadAll(body)
	if err != nil {
		b.Fatal(err)
	}
	_ = body.Close()
	return string(content)
}

// put overwrites an object, as an attacker with the permission could.
func (b *logbook) put(key, content string) {
	b.Helper()
	_, err := b.s3.PutObject(b.Context(), &s3.PutObjectInput{Bucket: &b.bucket, Key: &key, Body: strings.NewReader(content)})
	if err != nil {
		b.Fatal(err)
	}
}

func (b *logbook) remove(key string) {
	b.Helper()
	if _, err := b.s3.DeleteObject(b.Context(), &s3.DeleteObjectInput{Bucket: &b.bucket, Key: &key}); err != nil {
		b.Fatal(err)
	}
}

// item returns an item of the table, or nil.
func (b *logbook) item(pk, sk string) items.Map {
	b.Helper()
	item, err := items.In(b.client, b.table).GetRaw(b.Context(), items.Key(pk, sk))
	if err != nil {
		b.Fatal(err)
	}
	return item
}

func (b *logbook) event(id string) items.Map {
	b.Helper()
	at, _ := audit.TimeOf(id)
	return b.item(auditlog.Partition(at, id), id)
}

func (b *logbook) putItem(item items.Map) {
	b.Helper()
	if _, err := b.client.PutItem(b.Context(), &dynamodb.PutItemInput{TableName: &b.table, Item: item}); err != nil {
		b.Fatal(err)
	}
}

func (b *logbook) deleteItem(item items.Map) {
	b.Helper()
	_, err := b.client.DeleteItem(b.Context(), &dynamodb.DeleteItemInput{
		TableName: &b.table, Key: items.Map{"pk": item["pk"], "sk": item["sk"]},
	})
	if err != nil {
		b.Fatal(err)
	}
}

func textOf(item items.Map, name string) string {
	shape, err := items.Decode[map[string]any](items.Map{name: item[name]})
	if err != nil {
		return ""
	}
	text, _ := shape[name].(string)
	return text
}

// changed returns an item with another attribute.
func changed(item items.Map, name, text string) items.Map {
	item = maps.Clone(item)
	item[name] = items.Text(text)
	return item
}

func TestSealerSealsEachCompleteHour(t *testing.T) {
	b := newLogbook(t)
	if report := b.expectEmpty(); report.Objects != 0 {
		t.Errorf("report %+v before the first seal", report)
	}
	b.at(90 * time.Minute)
	b.at(91 * time.Minute)
	b.at(200 * time.Minute)
	if run := b.seal(2*time.Hour + 19*time.Minute); run.Objects != 0 {
		t.Errorf("run %+v, but the first hour is not complete", run)
	}
	if run := b.seal(2*time.Hour + 20*time.Minute); run.Objects != 1 || run.Events != 2 || run.Age != 20*time.Minute {
		t.Errorf("run %+v, want one object with two events", run)
	}
	b.expectIntact(1, 2)
	if run := b.seal(5*time.Hour + 25*time.Minute); run.Objects != 3 || run.Events != 1 {
		t.Errorf("run %+v, want three objects with one event", run)
	}
	b.expectIntact(4, 3)
	if run := b.seal(5*time.Hour + 59*time.Minute); run.Objects != 0 || run.Age != 59*time.Minute {
		t.Errorf("run %+v, want none", run)
	}
	want := []string{
		"seals/2026/11/27T23-0001.jsonl", "seals/2026/11/28T00-0001.jsonl", "seals/2026/11/28T01-0001.jsonl", "seals/2026/11/28T02-0001.jsonl",
	}
	if keys := slices.Sorted(maps.Keys(b.objects())); !slices.Equal(keys, want) {
		t.Errorf("keys %q", keys)
	}
}

func (b *logbook) expectEmpty() seals.Report {
	b.Helper()
	report := b.verify(seals.Verification{})
	if report.Finding != nil {
		b.Errorf("finding %+v before the first seal", *report.Finding)
	}
	return report
}

func TestVerificationWithoutSealsHasTheAgeOfTheEvents(t *testing.T) {
	b := newLogbook(t)
	if report := b.expectEmpty(); report.Age != 0 {
		t.Errorf("report %+v without events", report)
	}
	b.at(90 * time.Minute)
	b.now = start.Add(27 * time.Hour)
	if report := b.expectEmpty(); report.Age != 25*time.Hour {
		t.Errorf("report %+v, want an age of 25 hours", report)
	}
}

// TestFirstRunWithoutEvents begins with the newest complete hour.
func TestFirstRunWithoutEvents(t *testing.T) {
	b := newLogbook(t)
	if run := b.seal(5*time.Hour + 25*time.Minute); run.Objects != 1 || run.Age != 25*time.Minute {
		t.Errorf("run %+v, want one object", run)
	}
	b.expectIntact(1, 0)
	b.seal(50 * time.Hour)
	b.expectIntact(45, 0)
}

// TestLargeHoursHaveParts seals more events than one object has.
func TestLargeHoursHaveParts(t *testing.T) {
	b := newLogbook(t)
	const events = seals.MaxEvents + 3
	for i := range events {
		at := start.Add(time.Duration(i) * time.Millisecond)
		event := audit.Event{ID: audit.FirstID(at) + "-x", Time: at, Action: audit.UserCreated}
		b.putItem(items.Encode(auditlog.NewItem(event, fmt.Sprintf(
			`{"id":%q,"time":%q,"action":"user.create","actor":{"kind":""},"target":{"kind":"","id":""}}`, event.ID, at.Format(time.RFC3339Nano)))))
	}
	if run := b.seal(2*time.Hour + 25*time.Minute); run.Objects != 3 || run.Events != events {
		t.Errorf("run %+v, want two parts and an empty hour", run)
	}
	b.expectIntact(2, events)
	b.remove("seals/2026/11/27T22-0002.jsonl")
	b.expectFinding(finding{Problem: seals.Removed, Object: "seals/2026/11/27T22-0002.jsonl"})
}

// TestMalformedEventsAreSealed seals texts that the service does not write. They must not stop the sealing.
func TestMalformedEventsAreSealed(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": "\x00{", "two lines": "{\n}", "another ID": `{"id":"x"}`, "long": strings.Repeat("\x01", 350_000), "empty": "",
	} {
		t.Run(name, func(t *testing.T) {
			b := newLogbook(t)
			id := b.at(time.Minute)
			b.at(2 * time.Minute)
			b.putItem(changed(b.event(id), "event", text))
			b.seal(2 * time.Hour)
			b.expectFinding(finding{Problem: seals.Changed, EventID: id, InTable: true})
		})
	}
}

// TestItemsWithOtherIDsAreSealed seals items whose sort keys are between those of the hour, but are no IDs of events.
// They must not damage the chain: a sealed object cannot be replaced, and each verification reads all objects, even if
// it compares only later days.
func TestItemsWithOtherIDsAreSealed(t *testing.T) {
	first, next := audit.FirstID(start), audit.FirstID(start.Add(time.Hour))
	for name, id := range map[string]string{
		"lower bound": first, "signs": first[:10] + "~", "capitals": first + "-X", "upper bound": next,
		"bound of the next day": audit.FirstID(start.Add(2 * time.Hour)),
	} {
		t.Run(name, func(t *testing.T) {
			b := newLogbook(t)
			event := b.at(time.Minute)
			added := changed(b.event(event), "sk", id)
			b.putItem(added)
			b.seal(4 * time.Hour)
			found := b.verify(seals.Verification{}).Finding
			if found == nil || !found.InTable || found.EventID != id {
				t.Errorf("finding %+v, want one of the item %s", found, id)
			}
			late := b.at(48 * time.Hour)
			b.seal(50 * time.Hour)
			tomorrow := seals.Verification{From: calendar.DayOf(start) + 2}
			if found := b.verify(tomorrow).Finding; found != nil {
				t.Errorf("finding %+v in later days", *found)
			}
			b.deleteItem(b.event(late))
			if found := b.verify(tomorrow).Finding; found == nil || found.EventID != late {
				t.Errorf("finding %+v in later days, want the missing event", found)
			}
		})
	}
}

// TestLargeItemsHaveParts seals items that JSON writes with six times as many bytes. The object must not be larger than
// what the verification, and the next run after a crash, read.
func TestLargeItemsHaveParts(t *testing.T) {
	b := newLogbook(t)
	const malformed = 10
	for i := range malformed {
		id := b.at(time.Duration(i) * time.Minute)
		b.putItem(changed(b.event(id), "event", strings.Repeat("\x01", 350_000)))
	}
	b.now = start.Add(90 * time.Minute)
	sealer := b.sealer(b.client)
	sealer.Record = failingRecord{sealer.Record}
	if _, err := sealer.Seal(t.Context()); err == nil {
		t.Fatal("the run did not crash")
	}
	if run := b.seal(90 * time.Minute); run.Objects != 3 || run.Events != malformed || len(run.Differing) > 0 {
		t.Errorf("run %+v, want three parts", run)
	}
	if report := b.verify(seals.Verification{From: calendar.DayOf(start) + 1}); report.Finding != nil || report.Events != malformed {
		t.Errorf("report %+v, finding %+v", report, report.Finding)
	}
}

// failingRecord is the record of a process that crashes before it can record a seal.
type failingRecord struct{ seals.Record }

func (failingRecord) Advance(context.Context, seals.Seal, seals.Seal) error {
	return errors.New("crashed")
}

// crashing are the objects of a process that crashes at a call.
type crashing struct {
	seals.Objects
	at, calls int
	lost      bool
}

func (c *crashing) Create(ctx context.Context, key string, content []byte) error {
	c.calls++
	if c.calls < c.at || c.calls == c.at && c.lost {
		if err := c.Objects.Create(ctx, key, content); err != nil || c.calls < c.at {
			return err
		}
	}
	return fmt.Errorf("crashed at call %d", c.at)
}

// TestNextRunContinuesAfterACrash lets the process crash at each call. The objects are those of a process that did not
// crash.
func TestNextRunContinuesAfterACrash(t *testing.T) {
	b := newLogbook(t)
	for i := range 3 {
		b.at(time.Duration(i) * 65 * time.Minute)
	}
	b.seal(4 * time.Hour)
	want := b.objects()
	newest := b.item("seal", "newest")
	reset := func() {
		b.deleteItem(newest)
		for key := range b.objects() {
			b.remove(key)
		}
	}
	check := func() {
		t.Helper()
		if run := b.seal(4 * time.Hour); len(run.Unrecorded) > 0 {
			t.Errorf("after a crash, the objects %q have no record", run.Unrecorded)
		}
		if got := b.objects(); !maps.Equal(got, want) {
			t.Errorf("objects %v, want %v", got, want)
		}
		b.expectIntact(3, 3)
	}
	for _, lost := range []bool{false, true} {
		awstest.CrashAtEachCall(lost, func(crashing func(*dynamodb.Client) *dynamodb.Client) error {
			reset()
			_, err := b.sealer(crashing(b.client)).Seal(t.Context())
			check()
			return err
		})
		for at := 1; ; at++ {
			reset()
			sealer := b.sealer(b.client)
			sealer.Objects = &crashing{Objects: sealer.Objects, at: at, lost: lost}
			_, err := sealer.Seal(t.Context())
			check()
			if err == nil {
				break
			}
		}
	}
}

// TestConcurrentRunsMakeOneChain starts several runs at the same time.
func TestConcurrentRunsMakeOneChain(t *testing.T) {
	b := newLogbook(t)
	for i := range 30 {
		b.at(time.Duration(i) * 11 * time.Minute)
	}
	b.now = start.Add(7 * time.Hour)
	const runs = 4
	results := make(chan error)
	for range runs {
		go func() {
			run, err := b.sealer(b.client).Seal(t.Context())
			if len(run.Unrecorded) > 0 {
				t.Errorf("of concurrent runs, the objects %q have no record", run.Unrecorded)
			}
			results <- err
		}()
	}
	for range runs {
		if err := <-results; err != nil {
			t.Errorf("a run failed: %v", err)
		}
	}
	b.seal(7 * time.Hour)
	b.expectIntact(6, 30)
}

// TestRunContinuesAfterOtherObjects seals with a restored table, which lacks an event and has an older record of the
// newest seal.
func TestRunContinuesAfterOtherObjects(t *testing.T) {
	b := newLogbook(t)
	b.at(time.Minute)
	b.seal(90 * time.Minute)
	newest := b.item("seal", "newest")
	lost := b.at(100 * time.Minute)
	b.seal(150 * time.Minute)
	b.putItem(newest)
	b.deleteItem(b.event(lost))
	run := b.seal(200 * time.Minute)
	if !slices.Equal(run.Differing, []string{"seals/2026/11/27T23-0001.jsonl"}) || run.Objects != 2 {
		t.Errorf("run %+v, want that it continues after the object", run)
	}
	if idle := b.seal(200 * time.Minute); idle.Objects != 0 || idle.Newest != run.Newest {
		t.Errorf("run without work %+v, want the newest seal %s", idle, run.Newest)
	}
	b.expectFinding(finding{Problem: seals.Removed, EventID: lost, InTable: true})
	tomorrow := b.verify(seals.Verification{From: 1 << 20})
	if tomorrow.Finding != nil {
		t.Errorf("finding %+v in later days", *tomorrow.Finding)
	}

	b.put("seals/2026/11/28T01-0001.jsonl", strings.ReplaceAll(b.object("seals/2026/11/28T00-0001.jsonl"), "T00", "T01"))
	if _, err := b.sealer(b.client).Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.now = start.Add(5 * time.Hour)
	if _, err := b.sealer(b.client).Seal(t.Context()); err == nil || !strings.Contains(err.Error(), "T01-0001") {
		t.Errorf("a run recorded an object that does not continue the chain: %v", err)
	}
}

// TestSealerReportsObjectsWithoutARecord removes the record of the newest seal, or replaces it by an earlier one. A run
// that stops can leave one object.
//
//proves:docs/security.md
func TestSealerReportsObjectsWithoutARecord(t *testing.T) {
	const hours = 4
	b := newLogbook(t)
	b.at(time.Minute)
	var records []items.Map
	for hour := range hours {
		b.seal(time.Duration(hour+1)*time.Hour + 25*time.Minute)
		records = append(records, b.item("seal", "newest"))
	}
	keys := b.keys()
	for at := range hours {
		b.putItem(records[at])
		want := keys[at+1:]
		if len(want) == 1 {
			want = nil
		}
		if run := b.seal(b.now.Sub(start)); !slices.Equal(run.Unrecorded, want) || run.Newest.Key() != keys[hours-1] {
			t.Errorf("after the record of hour %d: %+v, want the unrecorded %q", at, run, want)
		}
	}
	b.deleteItem(records[0])
	if run := b.seal(b.now.Sub(start)); !slices.Equal(run.Unrecorded, keys) {
		t.Errorf("without a record: %+v", run)
	}
	b.expectIntact(hours, 1)
}

// TestPurgedEventsAreVerifiedWithoutTheTable lets the table delete events when it may, and one day earlier.
func TestPurgedEventsAreVerifiedWithoutTheTable(t *testing.T) {
	b := newLogbook(t)
	first, second := b.at(time.Minute), b.at(30*time.Minute)
	b.seal(90 * time.Minute)
	b.deleteItem(b.event(first))
	b.now = start.AddDate(0, 0, auditlog.Days)
	b.expectFinding(finding{Problem: seals.Removed, EventID: first, InTable: true})
	b.now = b.now.Add(time.Minute)
	if report := b.expectIntact(1, 2); report.Purged != 1 {
		t.Errorf("report %+v, want one event that the table does not keep", report)
	}
	b.putItem(changed(b.event(second), "event", "{}"))
	b.expectFinding(finding{Problem: seals.Changed, EventID: second, InTable: true})
}

// TestExpectedHead verifies with a kept head, and with the hash of an end or of an event.
func TestExpectedHead(t *testing.T) {
	b := newLogbook(t)
	b.at(time.Minute)
	kept := b.seal(90 * time.Minute).Newest
	b.seal(8 * time.Hour)
	event := strings.Split(b.object(kept.Key()), "\n")[1][len(`{"hash":"`):][:64]
	for _, head := range []seals.Head{kept.Head(), {Hash: kept.Hash}, {Hash: event}} {
		if found := b.verify(seals.Verification{Expect: head}).Finding; found != nil {
			t.Errorf("finding %+v", *found)
		}
	}
	other := strings.Repeat("0", 64)
	for _, head := range []seals.Head{
		{Hash: other}, {kept.Hour, kept.Part, other}, {kept.Hour, 1, event},
		{kept.Hour + 1, kept.Part, kept.Hash}, {kept.Hour + 99, 1, kept.Hash},
	} {
		if found := b.verify(seals.Verification{Expect: head}).Finding; found == nil {
			t.Errorf("found the head %s, which the chain does not have", head)
		}
	}
}

func TestHeadsAreParsed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		head := seals.Seal{
			Hour: seals.Hour(rapid.IntRange(0, 8_000_000).Draw(rt, "hour")), Part: rapid.IntRange(1, 9999).Draw(rt, "part"),
			Hash: seals.HashOf(rapid.String().Draw(rt, "hashed")),
		}.Head()
		text := head.String()
		if parsed, err := seals.ParseHead(text); err != nil || parsed != head {
			rt.Fatalf("%s is parsed as %s (%v)", text, parsed, err)
		}
		at := rapid.IntRange(0, len(text)-1).Draw(rt, "at")
		other := text[:at] + rapid.StringMatching(`[ -~]?`).Draw(rt, "character") + text[at+1:]
		if parsed, err := seals.ParseHead(other); err == nil && parsed.String() != other {
			rt.Fatalf("%q is parsed as %s", other, parsed)
		}
	})
}
