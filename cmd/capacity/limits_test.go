package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// planned simulates all sizes once, because that takes seconds.
var planned = sync.OnceValues(func() (*planner, error) {
	stack, err := readTemplate(filepath.Join(root, "template.yaml"))
	if err != nil {
		return nil, err
	}
	measured, err := parseProfiles(measured)
	if err != nil {
		return nil, err
	}
	return plan(stack, measured)
})

func newPlanner(t *testing.T) *planner {
	t.Helper()
	p, err := planned()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func readFile(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryQuotaHasASource(t *testing.T) {
	known := map[string]bool{}
	for _, q := range newPlanner(t).quotas.all {
		isDocumented := strings.HasPrefix(q.Source, "https://docs.aws.amazon.com/")
		if q.What == "" || q.Unit == "" || q.RaisedBy == "" || q.Value < 1 || !isDocumented || known[q.ID] {
			t.Errorf("incomplete, or twice: %+v", q)
		}
		known[q.ID] = true
	}
}

// TestPartitionsHaveTheirQuota compares what the simulation uses with the quotas.
func TestPartitionsHaveTheirQuota(t *testing.T) {
	if quota := newPlanner(t).quotas.byID; quota["partitionWrites"] != writeLimit || quota["partitionReads"] != readLimit {
		t.Errorf("the simulation has %d and %d, the quotas are %v", writeLimit, readLimit, quota)
	}
}

// TestLimitsByHand computes each share at a size with round figures: 1 pull and 0.1 exchanges a second, and no other
// requests.
func TestLimitsByHand(t *testing.T) {
	quotas := &quotaList{byID: map[string]float64{
		"apiRequests": 24.2, "executions": 4, "requestsPerExecution": 6.05, "ecrLayers": 16, "ecrManifests": 30,
		"ecrTokens":     1,
		"firehoseCalls": 12.1, "newTableReads": 10, "newTableWrites": 10, "tableUnits": 100,
	}}
	p := &planner{quotas: quotas, stack: deployed{requestsPerSecond: 48.4}}
	r := result{
		size: size{pulls: int(math.Floor(secondsPerMonth / peak))}, windowCalls: 45_000,
		hot:      []hotKey{{write: 250}, {read: 900}},
		perTable: map[string]keyUse{"A": {read: 2, write: 3}, "B": {read: 4, write: 1}},
	}
	want := map[string]float64{
		"lines of the access log, counted by batches": 1.21 * 0.022,
		"lines of the access log, counted by objects": 1.21*0.047/60 + 12.1*1769.0/1024/115_000,
		"calls of Firehose":                           0.1, "requests that the stack accepts": 0.25,
		"requests of API Gateway":         0.5,
		"concurrent executions of Lambda": 0.5, "blobs from ECR": 0.5, "manifests from ECR": 0.1,
		"logins of processes at ECR": 2.0 / 60,
		"busiest key of a table":     0.3, "busiest new table": 0.4, "busiest table": 0.04, "counts of a minute's pulls": 0.5,
		"creations of users": 0, "notices before expiry in a day": 0,
	}
	found := p.limits(r)
	for _, l := range found {
		if share, ok := want[l.what]; !ok || math.Abs(l.share-share) > 1e-4 || l.movedBy == "" {
			t.Errorf("%+v, want the share %v", l, share)
		}
	}
	if len(found) != len(want) {
		t.Errorf("%d limits, want %d", len(found), len(want))
	}
}

// TestMoreLoadUsesMoreOfEachLimit compares the sizes. A small load has small batches, whose pulls cost a little more.
func TestMoreLoadUsesMoreOfEachLimit(t *testing.T) {
	p := newPlanner(t)
	for i, r := range p.results[1:] {
		less, more := p.limits(p.results[i]), p.limits(r)
		for n := range more {
			if more[n].share < less[n].share-0.01 || more[n].what != less[n].what {
				t.Errorf("%s: %+v, at %s %+v", r.size.name, more[n], p.results[i].size.name, less[n])
			}
		}
	}
}

// TestFirstLimitIsTheFullestOfItsDelivery also shows that a limit of the other delivery does not count.
func TestFirstLimitIsTheFullestOfItsDelivery(t *testing.T) {
	p := newPlanner(t)
	for _, r := range p.results {
		for _, delivery := range []string{byLambda, byFirehose} {
			binding := first(p.limits(r), delivery)
			for _, l := range p.limits(r) {
				if applies := l.delivery == "" || l.delivery == delivery; applies && l.share > binding.share || binding == l &&
					!applies {
					t.Errorf("%s with %s: %+v binds first, but there is %+v", r.size.name, delivery, binding, l)
				}
			}
		}
	}
}

// TestParametersReachEverySize shows that the parameter for requests can be as high as the largest size needs.
func TestParametersReachEverySize(t *testing.T) {
	p := newPlanner(t)
	if p.stack.requestsPerSecond < 1 {
		t.Fatal("the template has no default of RequestsPerSecond")
	}
	for _, s := range sizes() {
		if s.requestRate() > p.stack.mostRequestsPerSecond {
			t.Errorf("%s: %.0f requests a second, but RequestsPerSecond is at most %.0f", s.name, s.requestRate(),
				p.stack.mostRequestsPerSecond)
		}
	}
}

func TestCapacityIsUpToDate(t *testing.T) {
	text := readFile(t, root, "docs", "capacity.md")
	for _, part := range newPlanner(t).parts(profiles(t)) {
		if !strings.Contains(text, part.begin+part.text+part.end) {
			t.Errorf("docs/capacity.md is out of date after %s; run `go run ./cmd/capacity`", part.begin)
		}
	}
}

// TestOnlyTheProgramStatesQuotas finds quotas in the parts of the page that a person writes, because these would stay
// when a quota changes.
func TestOnlyTheProgramStatesQuotas(t *testing.T) {
	text, p := readFile(t, root, "docs", "capacity.md"), newPlanner(t)
	for _, part := range p.parts(profiles(t)) {
		text = strings.ReplaceAll(text, part.text, "")
	}
	for _, q := range p.quotas.all {
		word, _, _ := strings.Cut(q.Unit, " ")
		word, _, _ = strings.Cut(word, "/")
		stated := regexp.MustCompile(`(^|[^\d,.])` + thousands(q.Value) + `[ |]+(\w+ )?` + word)
		if found := stated.FindString(text); found != "" {
			t.Errorf("the page says %q outside of the generated parts; quotas.json has this quota", found)
		}
	}
}

// TestFiguresOfTheTextAreThoseOfTheProgram compares the figures that the program uses with the measurements and
// assumptions in the text.
func TestFiguresOfTheTextAreThoseOfTheProgram(t *testing.T) {
	page, template := readFile(t, root, "docs", "capacity.md"), readFile(t, root, "template.yaml")
	const notices = noticesADay / 10_000 * 10_000
	for text, figures := range map[string][]string{
		page: {
			fmt.Sprintf("%.1f: weekdays", peak), fmt.Sprintf("| %d: one without a login", requestsPerPull),
			fmt.Sprintf("So plan for %d a second", creationsPerSecond),
			fmt.Sprintf("time of a notice on AWS | %d ms", noticeMs),
			fmt.Sprintf("notices in a day | %s | %d runs", thousands(notices), noticeRuns),
			fmt.Sprintf("| %s a second | an object of 64 MB", thousands(linesPerCore)),
			fmt.Sprintf("an object with %s lines", thousands(objectLines)),
			fmt.Sprintf("about %s lines", thousands(objectLines)), fmt.Sprintf("so are the %d lines of a batch", logBatch),
		},
		template: {
			fmt.Sprintf("for more than about %s requests a day", millions(firehosePays/peak*daySeconds)),
			fmt.Sprintf("!If [UsesFirehose, %d, 512]", objectMemory),
		},
	} {
		for _, figure := range figures {
			if !strings.Contains(text, figure) {
				t.Errorf("the text lacks %q", figure)
			}
		}
	}
}

func TestNumbersAreWritten(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%v is written as %s, want %s", n, got, want)
		}
	}
	for share, want := range map[float64]string{0.004: "below 1 %", 0.31: "31 %", 1: "100 %", 13.98: "**1,398 %**"} {
		if got := percent(share); got != want {
			t.Errorf("%v is written as %s, want %s", share, got, want)
		}
	}
}
