package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"portside/shared/analytics"
	"portside/shared/dynamo/items"
	"portside/shared/testkit/liststest"
)

// again delivers lines of a part that was counted once more.
func (a *archive) again(p analytics.Segment, first, last int) analytics.Segment {
	a.t.Helper()
	p.Lines = p.Lines[first:last]
	counted, err := a.rec.Record(a.t.Context(), p)
	a.must(err)
	return counted
}

// A day that has lost what it knows of its parts, or all of it, counts no line once more.
func TestADamagedDayCountsNoLineAgain(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(a *archive, partition string){
		"no item":  func(a *archive, partition string) { a.unset(partition, a.day(0)) },
		"span 0":   func(a *archive, partition string) { a.set(partition, a.day(0), "span", items.Number(0)) },
		"below 0":  func(a *archive, partition string) { a.set(partition, a.day(0), "span", items.Number(-9)) },
		"no count": func(a *archive, partition string) { a.set(partition, a.day(0), "version", items.Number(0)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newArchive(t)
			a.fill()
			sound := a.counted()
			for log, partition := range map[analytics.Log]string{analytics.AccessLog: "requests", analytics.ModelLog: "usage"} {
				damage(a, partition)
				if counted := a.again(a.part(log, "0123456789abcdef", a.begin), 20, 35); len(counted.Lines) > 0 {
					t.Errorf("%s: %d lines counted again", log, len(counted.Lines))
				}
			}
			a.expect(a.reconcile("--fix"), 0, "")
			a.expect(a.reconcile(), 0, "")
			if diff := cmp.Diff(sound, a.counted(), compareValues()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Lines that were counted twice all the same are found, and counted once.
func TestReconcileCountsEachLineOnce(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.fill()
	for log, partition := range map[analytics.Log]string{analytics.AccessLog: "requests", analytics.ModelLog: "usage"} {
		a.set(partition, a.day(0), "span", items.Number(1))
		all := a.part(log, "0123456789abcdef", a.begin)
		for _, stretch := range [][2]int{{10, 16}, {25, 29}, {12, 18}} {
			if n := len(a.again(all, stretch[0], stretch[1]).Lines); n == 0 {
				t.Fatalf("%s: what this test mends did not happen", log)
			}
		}
	}
	got := a.expect(a.reconcile(), 1, "numbers differ")
	for _, log := range []analytics.Log{analytics.AccessLog, analytics.ModelLog} {
		if line := fmt.Sprintf("%-8s  %-26s  %14d  %14d\n", log, "lines counted twice", 12, 0); !strings.Contains(got.stdout, line) {
			t.Errorf("it does not say %q:\n%s", line, got.stdout)
		}
	}
	a.expect(a.reconcile("--fix"), 0, "")
	if got := a.expect(a.reconcile(), 0, ""); !strings.HasPrefix(got.stdout, "0 numbers that differ") {
		t.Error(got.stdout)
	}
	for log, want := range map[string]int64{"requests": 4 * 39, "usage": 2 * 39} { // of 40 lines one cannot be read
		name := map[string]string{"requests": "calls", "usage": "modelCalls"}[log]
		if n := liststest.Number(a.counted()[log+" "+a.day(0)], name); n != want {
			t.Errorf("%s: %d, want %d", log, n, want)
		}
	}
	a.set("requests", a.day(0), "errors", items.Number(1))
	if got := a.expect(a.reconcile(), 1, "1 numbers differ"); strings.Contains(got.stdout, "twice") {
		t.Error(got.stdout)
	}
}

// noNumbers are what nobody writes who counts, of every kind that a table takes.
func noNumbers() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"text": items.Text("a"), "half": half(), "bytes": items.Bytes([]byte{1}), "truth": items.Bool(true),
		"null":     &types.AttributeValueMemberNULL{Value: true},
		"list":     &types.AttributeValueMemberL{Value: []types.AttributeValue{items.Text("a")}},
		"set":      &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
		"map":      &types.AttributeValueMemberM{Value: items.Map{"a": items.Number(1)}},
		"too much": &types.AttributeValueMemberN{Value: "1e30"},
	}
}

// An attribute of the wrong type is damage like any other, which stops nothing and is put right.
func TestReconcileMendsWhatIsNoNumber(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.fill()
	sound := a.counted()
	for _, c := range []struct{ pk, sk, attribute, of string }{
		{"usage", a.day(0), "charts", "pulls"}, {"usage", a.day(1), "images", "pulls"}, {"usage", a.day(-2), "charts", "pulls"},
		{"counts", "total", "version", "counts"},
		{"requests", a.day(0), "version", "requests"}, {"usage", a.day(0), "version", "models"},
		{"requests", a.day(0), "span", "requests"}, {"requests", a.day(0), "parts", "requests"}, {"usage", a.day(0), "unread", "models"},
	} {
		for kind, value := range noNumbers() {
			a.set(c.pk, c.sk, c.attribute, value)
			a.set("requests", a.day(1), "errors", items.Number(1)) // which is looked at later
			got := a.expect(a.reconcile("--fix"), 0, "")
			if !strings.Contains(got.stdout, fmt.Sprintf("%-8s  damaged item", c.of)) || !strings.Contains(got.stdout, "requests  errors") {
				t.Errorf("%s of %s, %s: %s", c.attribute, c.pk, kind, got.stdout)
			}
			if got := a.expect(a.reconcile(), 0, ""); !strings.HasPrefix(got.stdout, "0 numbers that differ") {
				t.Errorf("%s of %s, %s: a second run says %s", c.attribute, c.pk, kind, got.stdout)
			}
			if diff := cmp.Diff(sound, a.counted(), compareValues()); diff != "" {
				t.Fatalf("%s of %s, %s: %s", c.attribute, c.pk, kind, diff)
			}
		}
	}
	for _, n := range []int{20, 40} { // and the log can be counted again
		a.again(a.part(analytics.AccessLog, "00000000000000aa", a.begin), 0, n)
	}
	a.expect(a.reconcile(), 0, "")
}

// An item among the markers that is none keeps lines from being counted, and says which one it is; then it is taken away.
func TestReconcileTakesStrayMarkersAway(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.fill()
	sound := a.counted()
	all := a.part(analytics.AccessLog, "0123456789abcdef", a.begin)
	partition, key := "batches#requests#"+a.day(0)+"#"+all.Stream, analytics.FormatMillis(a.begin)
	a.set(partition, key, "x", items.Text("y"))
	_, err := a.rec.Record(t.Context(), analytics.Segment{Log: all.Log, Day: all.Day, Stream: all.Stream, Lines: all.Lines[3:9]})
	for _, name := range []string{a.names.analytics, partition, key} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name %q: %v", name, err)
		}
	}
	a.set("requests", a.day(1), "errors", items.Number(1))
	got := a.expect(a.reconcile(), 1, "2 numbers differ")
	if !strings.Contains(got.stdout, "requests  invalid markers") || !strings.Contains(got.stdout, "requests  errors") {
		t.Error(got.stdout)
	}
	a.expect(a.reconcile("--fix"), 0, "")
	a.expect(a.reconcile(), 0, "")
	if diff := cmp.Diff(sound, a.counted(), compareValues()); diff != "" {
		t.Error(diff)
	}
	// Where the day knows of one part more, it may have been that.
	a.set(partition, key, "x", items.Text("y"))
	a.unset(partition, all.Name().SortKey())
	a.set("requests", a.day(1), "errors", items.Number(1))
	a.expect(a.reconcile("--fix"), 1, "1 of 4 segments of the log are missing; item pk")
	if n := liststest.Number(a.counted()["requests "+a.day(1)], "errors"); n == 1 {
		t.Error("the next day was not looked at")
	}
}

// The end of a part is only looked at to save reading it.
func TestAMarkerWithoutItsEnd(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.fill()
	all := a.part(analytics.AccessLog, "0123456789abcdef", a.begin)
	a.set("batches#requests#"+a.day(0)+"#"+all.Stream, all.Name().SortKey(), "to", items.Text("x"))
	if counted := a.again(all, 20, 30); len(counted.Lines) > 0 {
		t.Errorf("%d lines counted again", len(counted.Lines))
	}
	a.expect(a.reconcile(), 0, "")
}
