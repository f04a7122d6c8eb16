package seals_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/shared/audit/seals"
	"portside/shared/core/audit"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
	"portside/testclient/scale"
)

// tampered is a change by an attacker, the finding that the verification must report, and how to undo the change.
type tampered struct {
	what string
	want finding
	undo func()
}

// sealedLog is a sealed log of a few hours around midnight.
func sealedLog(t *testing.T, rt *rapid.T) *logbook {
	t.Helper()
	b := newLogbook(t)
	for range rapid.IntRange(1, 7).Draw(rt, "events") {
		b.at(time.Duration(rapid.IntRange(0, int(5*time.Hour/time.Millisecond)-1).Draw(rt, "ms")) * time.Millisecond)
	}
	b.seal(5*time.Hour + 25*time.Minute)
	return b
}

// TestVerificationNamesAnyChange makes one change at a time to a sealed log.
//
//proves:docs/security.md
func TestVerificationNamesAnyChange(t *testing.T) {
	kinds := []func(*logbook, *rapid.T) tampered{
		(*logbook).changeByte, (*logbook).removeLine, (*logbook).repeatLine, (*logbook).removeObject, (*logbook).addObject,
		(*logbook).rewriteObject, (*logbook).changeItem, (*logbook).removeItem, (*logbook).addItem, (*logbook).changeRecord,
	}
	rapid.Check(scale.ChecksOf(t, 25), func(rt *rapid.T) {
		b := sealedLog(t, rt)
		b.TB = failing{b.TB, rt}
		intact := b.verify(seals.Verification{})
		if intact.Finding != nil || intact.Events != len(b.ids) {
			rt.Fatalf("an intact log: %+v", intact)
		}
		for range 12 {
			change := rapid.SampledFrom(kinds).Draw(rt, "kind")(b, rt)
			rt.Logf("%s", change.what)
			b.expectFinding(change.want)
			change.undo()
		}
		if again := b.verify(seals.Verification{}); again.Finding != nil {
			rt.Fatalf("the changes were not taken back: %+v", *again.Finding)
		}
	})
}

// failing is a test whose failures are those of a property.
type failing struct {
	testing.TB
	property *rapid.T
}

func (f failing) Fatal(all ...any)                 { f.property.Fatal(all...) }
func (f failing) Fatalf(format string, all ...any) { f.property.Fatalf(format, all...) }
func (b *logbook) drawKey(rt *rapid.T) (key string) {
	return rapid.SampledFrom(b.keys()).Draw(rt, "key")
}
func (b *logbook) keys() []string { return slices.Sorted(maps.Keys(b.objects())) }

// eventIn returns the ID of the event in a line, or "".
func (b *logbook) eventIn(line string) string {
	for _, id := range b.ids {
		if strings.Contains(line, `"event":{"id":"`+id+`"`) {
			return id
		}
	}
	return ""
}

// overwrite replaces an object.
func (b *logbook) overwrite(key, content string, change tampered) tampered {
	before := b.object(key)
	b.put(key, content)
	change.want.Object, change.what = key, change.what+" "+key
	change.undo = func() { b.put(key, before) }
	return change
}

func (b *logbook) changeByte(rt *rapid.T) tampered {
	key := b.drawKey(rt)
	content := []byte(b.object(key))
	at := rapid.IntRange(0, len(content)-1).Draw(rt, "at")
	line := strings.Count(string(content[:at]), "\n")
	id := b.eventIn(strings.Split(string(content), "\n")[line])
	content[at] ^= rapid.ByteRange(1, 255).Draw(rt, "bits")
	return b.overwrite(key, string(content),
		tampered{what: fmt.Sprintf("byte %d of", at), want: finding{Problem: seals.Changed, EventID: id}})
}

// drawLine returns the lines of an object, without the end of the text, and the number of one.
func (b *logbook) drawLine(rt *rapid.T, key string) (lines []string, at int) {
	lines = strings.SplitAfter(b.object(key), "\n")
	lines = lines[:len(lines)-1]
	return lines, rapid.IntRange(0, len(lines)-1).Draw(rt, "line")
}

func (b *logbook) removeLine(rt *rapid.T) tampered {
	key := b.drawKey(rt)
	lines, at := b.drawLine(rt, key)
	id := b.eventIn(lines[at])
	return b.overwrite(key, strings.Join(slices.Delete(lines, at, at+1), ""),
		tampered{what: fmt.Sprintf("line %d removed from", at), want: finding{Problem: seals.Removed, EventID: id}})
}

func (b *logbook) repeatLine(rt *rapid.T) tampered {
	key := b.drawKey(rt)
	lines, at := b.drawLine(rt, key)
	id := b.eventIn(lines[at])
	return b.overwrite(key, strings.Join(slices.Insert(lines, at, lines[at]), ""),
		tampered{what: fmt.Sprintf("line %d twice in", at), want: finding{Problem: seals.Added, EventID: id}})
}

func (b *logbook) removeObject(rt *rapid.T) tampered {
	key := b.drawKey(rt)
	content := b.object(key)
	b.remove(key)
	want := finding{Problem: seals.Removed, Object: key}
	return tampered{what: "removed " + key, want: want, undo: func() { b.put(key, content) }}
}

// addObject copies an object to a key that is not used: a further part, an hour before or after all sealed ones, or
// another name.
func (b *logbook) addObject(rt *rapid.T) tampered {
	keys := b.keys()
	from := b.drawKey(rt)
	key := rapid.SampledFrom([]string{
		strings.Replace(from, "-0001", "-0002", 1), "seals/2026/11/28T23-0001.jsonl", "seals/other", from + ".old",
	}).Draw(rt, "new key")
	if last := keys[len(keys)-1]; key > last && strings.HasSuffix(key, ".jsonl") {
		newest, _ := time.Parse("2006/01/02T15", strings.TrimSuffix(strings.TrimPrefix(last, "seals/"), "-0001.jsonl"))
		key = seals.Seal{Hour: seals.HourOf(newest) + 1, Part: 1}.Key()
	}
	b.put(key, b.object(from))
	want := finding{Problem: seals.Added, Object: key}
	return tampered{what: "added " + key, want: want, undo: func() { b.remove(key) }}
}

// rewriteObject removes or adds an event of an object with the right hashes, as the service itself would write it.
func (b *logbook) rewriteObject(rt *rapid.T) tampered {
	id := rapid.SampledFrom(b.ids).Draw(rt, "event")
	at, _ := audit.TimeOf(id)
	key := seals.Seal{Hour: seals.HourOf(at), Part: 1}.Key()
	lines := strings.SplitAfter(b.object(key), "\n")
	line := slices.IndexFunc(lines, func(line string) bool { return b.eventIn(line) == id })
	kept := slices.Delete(slices.Clone(lines), line, line+1)
	return b.overwrite(key, rehashed(b.previousHash(key), kept), tampered{
		what: "event " + id + " left out of", want: finding{Problem: seals.Removed, EventID: id},
	})
}

// previousHash returns the hash that an object continues.
func (b *logbook) previousHash(key string) string {
	keys := b.keys()
	if at := slices.Index(keys, key); at > 0 {
		lines := strings.Split(b.object(keys[at-1]), "\n")
		return lines[len(lines)-2][len(`{"hash":"`):][:64]
	}
	return ""
}

// rehashed numbers lines and computes their hashes again.
func rehashed(hash string, lines []string) string {
	var all strings.Builder
	for i, line := range lines {
		if line == "" {
			continue
		}
		_, content, _ := strings.Cut(line, `,"line":`)
		_, content, _ = strings.Cut(content, ",")
		if strings.HasPrefix(content, `"end":`) {
			content = fmt.Sprintf(`"end":{"events":%d,"isLast":true}}`+"\n", i-1)
		}
		content = fmt.Sprintf(`"line":%d,%s`, i, strings.TrimSuffix(content, "\n"))
		hash = seals.HashOf(hash + content)
		fmt.Fprintf(&all, `{"hash":"%s",%s`+"\n", hash, content)
	}
	return all.String()
}

func (b *logbook) replaceItem(before, after items.Map, change tampered) tampered {
	if after == nil {
		b.deleteItem(before)
	} else {
		b.putItem(after)
	}
	change.undo = func() {
		if before == nil {
			b.deleteItem(after)
		} else {
			b.putItem(before)
		}
	}
	return change
}

func (b *logbook) changeItem(rt *rapid.T) tampered {
	id := rapid.SampledFrom(b.ids).Draw(rt, "event")
	item := b.event(id)
	name := rapid.SampledFrom([]string{"event", "actor", "customer", "target", "purgeAt", "note"}).Draw(rt, "attribute")
	text := rapid.SampledFrom([]string{"", "x", strings.Replace(textOf(item, "event"), "Bob", "Eve", 1)}).Draw(rt, "text")
	if name == "actor" || name == "customer" || name == "target" {
		text = "x" // DynamoDB refuses empty keys
	}
	want := finding{Problem: seals.Changed, EventID: id, InTable: true}
	return b.replaceItem(item, changed(item, name, text), tampered{what: name + " of the event " + id, want: want})
}

func (b *logbook) removeItem(rt *rapid.T) tampered {
	id := rapid.SampledFrom(b.ids).Draw(rt, "event")
	want := finding{Problem: seals.Removed, EventID: id, InTable: true}
	return b.replaceItem(b.event(id), nil, tampered{what: "removed the event " + id, want: want})
}

// addItem copies an event to another time or partition.
func (b *logbook) addItem(rt *rapid.T) tampered {
	like := b.event(rapid.SampledFrom(b.ids).Draw(rt, "event"))
	last, _ := audit.TimeOf(b.ids[len(b.ids)-1])
	sealedUntil := start.Add(5 * time.Hour)
	at := rapid.SampledFrom([]time.Time{
		start.AddDate(-1, 0, 0), start, last.Add(time.Microsecond), sealedUntil.Add(-time.Microsecond),
		start.AddDate(0, 0, 9),
	}).Draw(rt, "time")
	id := audit.FirstID(at) + "-added"
	item := changed(changed(like, "sk", id), "pk", rapid.SampledFrom(auditlog.Partitions(at)).Draw(rt, "part"))
	if rapid.Bool().Draw(rt, "elsewhere") {
		partitions := []string{
			"day#2026-11-27", "day#2026-11-27x", "day#2026-11-27#4", "day#2026-11-27#00", "day#2026-11-2:#0", "day#2026-11-31#1", "other",
			"day#1999-12-31#0", "seal",
		}
		item = changed(item, "pk", rapid.SampledFrom(partitions).Draw(rt, "partition"))
	}
	want := finding{Problem: seals.Added, EventID: id, InTable: true}
	return b.replaceItem(nil, item, tampered{what: fmt.Sprintf("added %s to %s", id, textOf(item, "pk")), want: want})
}

// changeRecord changes or removes the record of the newest seal.
func (b *logbook) changeRecord(rt *rapid.T) tampered {
	keys, item := b.keys(), b.item("seal", "newest")
	newest := keys[len(keys)-1]
	if len(keys) > 1 && rapid.Bool().Draw(rt, "remove") {
		return b.replaceItem(item, nil,
			tampered{what: "removed the record", want: finding{Problem: seals.Added, Object: newest}})
	}
	after := changed(item, rapid.SampledFrom([]string{"hash", "last"}).Draw(rt, "attribute"), strings.Repeat("a", 64))
	return b.replaceItem(item, after,
		tampered{what: "changed the record", want: finding{Problem: seals.Changed, Object: newest}})
}

// rollback removes the newest hours of a sealed log, as an attacker would.
type rollback struct {
	hours                    int
	objects, events, record  bool // whether they are removed; a removed record is replaced by an earlier one, or missing
	hasNoRecord, sealedAgain bool // whether the record is missing, and whether the sealing runs again afterwards
}

func drawRollback(rt *rapid.T, hours int) rollback {
	flag := func(name string) bool { return rapid.Bool().Draw(rt, name) }
	return rollback{
		hours: rapid.IntRange(1, hours).
			Draw(rt, "hours"), objects: flag("objects"), events: flag("events"), record: flag("record"),
		hasNoRecord: flag("no record"), sealedAgain: flag("sealed again"),
	}
}

// isFoundAlone reports whether a verification must find the damage without a kept head. It cannot if the objects,
// events and record are all those of an earlier time: that log is intact, and only stale until the sealing runs again.
func (r rollback) isFoundAlone(hours int) bool {
	isStale := float64(r.hours)+25./60 > seals.MaxAge.Hours() && (r.hours < hours || !r.events)
	return r.events && !r.objects || r.objects && !r.record ||
		!r.sealedAgain && r.record && (!r.objects && r.hours > 1 || r.objects && isStale)
}

// TestRollbacksAreFound removes the newest hours of a log with an event in each hour. A verification with the head
// finds each of them, unless the log is as before.
//
//proves:docs/security.md
func TestRollbacksAreFound(t *testing.T) {
	const hours = 5
	rapid.Check(scale.ChecksOf(t, 25), func(rt *rapid.T) {
		b := newLogbook(t)
		b.TB = failing{b.TB, rt}
		records := []items.Map{nil}
		for hour := range hours {
			b.at(time.Duration(hour)*time.Hour + 30*time.Minute)
			b.seal(time.Duration(hour+1)*time.Hour + 25*time.Minute)
			records = append(records, b.item("seal", "newest"))
		}
		objects, before := b.objects(), b.content()
		intact := b.verify(seals.Verification{})
		if intact.Finding != nil || intact.Staleness() != "" {
			rt.Fatalf("an intact log: %+v", intact)
		}
		r := drawRollback(rt, hours)
		b.rollBack(r, records)

		expected := b.verify(seals.Verification{Expect: intact.Newest.Head()})
		isOneBehind := r.record && !r.sealedAgain && !r.objects && !r.events && (r.hours == 1 && !r.hasNoRecord)
		if isFound := expected.Finding != nil; isFound != !maps.Equal(b.content(), before) && !isOneBehind {
			rt.Errorf("with the head, a finding: %v", isFound)
		}
		end, err := b.verifier().VerifyEnd(b.Context(), intact.Newest.Head())
		newest := intact.Newest.Key()
		if isFound := end.Finding != nil; err != nil ||
			isFound != (b.objects()[newest] != objects[newest] || b.item("seal", "newest") == nil) {
			rt.Errorf("at the end, a finding: %v (%v)", isFound, err)
		}
		alone := b.verify(seals.Verification{})
		if isFound := alone.Finding != nil || alone.Staleness() != ""; !isFound && r.isFoundAlone(hours) {
			rt.Errorf("without the head, the log is intact")
		}
	})
}

func (b *logbook) rollBack(r rollback, records []items.Map) {
	b.Helper()
	kept := len(b.ids) - r.hours
	newest := records[len(records)-1]
	for _, id := range b.ids[kept:] {
		at, _ := audit.TimeOf(id)
		if r.objects {
			b.remove(seals.Seal{Hour: seals.HourOf(at), Part: 1}.Key())
		}
		if r.events {
			b.deleteItem(b.event(id))
		}
	}
	if earlier := records[kept]; r.record && earlier != nil && !r.hasNoRecord {
		b.putItem(earlier)
	} else if r.record {
		b.deleteItem(newest)
	}
	if r.sealedAgain {
		b.seal(b.now.Sub(start))
	}
}

// content returns all objects, the events and the record of the newest seal.
func (b *logbook) content() map[string]string {
	b.Helper()
	all := b.objects()
	all["record"] = textOf(b.item("seal", "newest"), "hash")
	for _, id := range b.ids {
		if item := b.event(id); item != nil {
			all[id] = textOf(item, "event")
		}
	}
	return all
}
