package repair

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"portside/shared/analytics/logs"
	"portside/shared/dynamo/items"
	"portside/shared/testkit/liststest"
)

// redeliver delivers some lines of a counted segment again.
func (a *analyticsStack) redeliver(s logs.Segment, first, last int) logs.Segment {
	a.T.Helper()
	s.Lines = s.Lines[first:last]
	counted, err := a.Recorder.Record(a.T.Context(), s)
	a.Must(err)
	return counted
}

// A day whose item is damaged or lost does not count a line again.
func TestRecordAfterDamageCountsNoLineTwice(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(a *analyticsStack, partition string){
		"no item": func(a *analyticsStack, partition string) { a.deleteAnalyticsItem(partition, a.Day(0)) },
		"span 0":  func(a *analyticsStack, partition string) { a.set(partition, a.Day(0), "span", items.Number(0)) },
		"negative span": func(a *analyticsStack, partition string) {
			a.set(partition, a.Day(0), "span", items.Number(-9))
		},
		"no version": func(a *analyticsStack, partition string) {
			a.set(partition, a.Day(0), "version", items.Number(0))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAnalyticsStack(t)
			a.Fill()
			intact := a.counted()
			for log, partition := range map[logs.Log]string{logs.AccessLog: "requests", logs.ModelLog: "usage"} {
				damage(a, partition)
				if counted := a.redeliver(a.Segment(log, "0123456789abcdef", a.Begin), 20, 35); len(counted.Lines) > 0 {
					t.Errorf("%s: %d lines counted again", log, len(counted.Lines))
				}
			}
			a.Expect(a.reconcile("--fix"), 0, "")
			a.Expect(a.reconcile(), 0, "")
			if diff := cmp.Diff(intact, a.counted(), compareValues()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Lines that were counted twice are found and then counted once.
func TestReconcileFixesLinesCountedTwice(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.Fill()
	for log, partition := range map[logs.Log]string{logs.AccessLog: "requests", logs.ModelLog: "usage"} {
		a.set(partition, a.Day(0), "span", items.Number(1))
		all := a.Segment(log, "0123456789abcdef", a.Begin)
		for _, lines := range [][2]int{{10, 16}, {25, 29}, {12, 18}} {
			if n := len(a.redeliver(all, lines[0], lines[1]).Lines); n == 0 {
				t.Fatalf("%s: no line was counted twice, so there is nothing to repair", log)
			}
		}
	}
	got := a.Expect(a.reconcile(), 1, "numbers differ")
	for _, log := range []logs.Log{logs.AccessLog, logs.ModelLog} {
		if line := fmt.Sprintf("%-8s  %-26s  %14d  %14d\n", log, "lines counted twice", 12, 0); !strings.Contains(got.Stdout, line) {
			t.Errorf("the output lacks %q:\n%s", line, got.Stdout)
		}
	}
	a.Expect(a.reconcile("--fix"), 0, "")
	if got := a.Expect(a.reconcile(), 0, ""); !strings.HasPrefix(got.Stdout, "0 numbers differ") {
		t.Error(got.Stdout)
	}
	for log, want := range map[string]int64{"requests": 4 * 39, "usage": 2 * 39} { // one of 40 lines cannot be parsed
		name := map[string]string{"requests": "calls", "usage": "modelCalls"}[log]
		if n := liststest.Number(a.counted()[log+" "+a.Day(0)], name); n != want {
			t.Errorf("%s: %d, want %d", log, n, want)
		}
	}
	a.set("requests", a.Day(0), "errors", items.Number(1))
	if got := a.Expect(a.reconcile(), 1, "1 numbers differ"); strings.Contains(got.Stdout, "twice") {
		t.Error(got.Stdout)
	}
}

// nonNumbers returns values of all attribute types that no counter has.
func nonNumbers() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"text": items.Text("a"), "half": half(), "bytes": items.Bytes([]byte{1}), "truth": items.Bool(true),
		"null":     &types.AttributeValueMemberNULL{Value: true},
		"list":     &types.AttributeValueMemberL{Value: []types.AttributeValue{items.Text("a")}},
		"set":      &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
		"map":      &types.AttributeValueMemberM{Value: items.Map{"a": items.Number(1)}},
		"too much": &types.AttributeValueMemberN{Value: "1e30"},
	}
}

// An attribute of the wrong type is repaired, and does not keep other items from being compared.
func TestReconcileFixesNonNumbers(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.Fill()
	intact := a.counted()
	type attribute struct{ pk, sk, name, source string }
	for _, damaged := range [][]attribute{ // one attribute of each item at a time
		{
			{"usage", a.Day(0), "charts", "pulls"}, {"usage", a.Day(1), "images", "pulls"}, {"usage", a.Day(-2), "charts", "pulls"},
			{"counts", "total", "version", "counts"}, {"requests", a.Day(0), "version", "requests"},
		},
		{{"usage", a.Day(0), "version", "models"}, {"requests", a.Day(0), "span", "requests"}},
		{{"usage", a.Day(0), "unread", "models"}, {"requests", a.Day(0), "parts", "requests"}},
	} {
		for kind, value := range nonNumbers() {
			want := map[string]int{}
			for _, c := range damaged {
				a.set(c.pk, c.sk, c.name, value)
				want[fmt.Sprintf("%-8s  damaged item", c.source)]++
			}
			a.set("requests", a.Day(1), "errors", items.Number(1)) // a later day
			got := a.Expect(a.reconcile("--fix"), 0, "")
			for line, n := range want {
				if strings.Count(got.Stdout, line) != n || !strings.Contains(got.Stdout, "requests  errors") {
					t.Errorf("%v, %s: %s", damaged, kind, got.Stdout)
				}
			}
			if diff := cmp.Diff(intact, a.counted(), compareValues()); diff != "" {
				t.Fatalf("%v, %s: %s", damaged, kind, diff)
			}
		}
	}
	for _, n := range []int{20, 40} { // the log can be counted again
		a.redeliver(a.Segment(logs.AccessLog, "00000000000000aa", a.Begin), 0, n)
	}
	a.Expect(a.reconcile(), 0, "")
}

// An item among the markers without a valid key keeps lines from being counted. The error names the
// item, and --fix deletes it.
func TestReconcileDeletesInvalidMarkers(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.Fill()
	intact := a.counted()
	all := a.Segment(logs.AccessLog, "0123456789abcdef", a.Begin)
	partition, key := "batches#requests#"+a.Day(0), all.Stream+"#"+logs.FormatMillis(a.Begin)
	a.set(partition, key, "x", items.Text("y"))
	_, err := a.Recorder.Record(t.Context(), logs.Segment{Log: all.Log, Day: all.Day, Stream: all.Stream, Lines: all.Lines[3:9]})
	for _, name := range []string{a.Names.Analytics, partition, key} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name %q: %v", name, err)
		}
	}
	a.set("requests", a.Day(1), "errors", items.Number(1))
	got := a.Expect(a.reconcile(), 1, "2 numbers differ")
	if !strings.Contains(got.Stdout, "requests  invalid markers") || !strings.Contains(got.Stdout, "requests  errors") {
		t.Error(got.Stdout)
	}
	a.Expect(a.reconcile("--fix"), 0, "")
	a.Expect(a.reconcile(), 0, "")
	if diff := cmp.Diff(intact, a.counted(), compareValues()); diff != "" {
		t.Error(diff)
	}
	// If the day's item includes one more segment, the item may stand for that one.
	a.set(partition, key, "x", items.Text("y"))
	a.deleteAnalyticsItem(partition, all.Stream+"#"+all.Name().SortKey())
	a.set("requests", a.Day(1), "errors", items.Number(1))
	a.Expect(a.reconcile("--fix"), 1, "1 of 4 segments of the log are missing; item pk")
	if n := liststest.Number(a.counted()["requests "+a.Day(1)], "errors"); n == 1 {
		t.Error("the next day was not compared")
	}
}

// The end of a segment in its marker only saves reading the segment.
func TestRecordWithMarkerWithoutEnd(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.Fill()
	all := a.Segment(logs.AccessLog, "0123456789abcdef", a.Begin)
	a.set("batches#requests#"+a.Day(0), all.Stream+"#"+all.Name().SortKey(), "to", items.Text("x"))
	if counted := a.redeliver(all, 20, 30); len(counted.Lines) > 0 {
		t.Errorf("%d lines counted again", len(counted.Lines))
	}
	a.Expect(a.reconcile(), 0, "")
}
