package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portside/cmd/capacity/usage"
)

var root = filepath.Join("..", "..")

func newTestBill(t *testing.T) *bill {
	t.Helper()
	found, err := readTemplate(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBill(found)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPriceOfAnOperation computes each part by hand, with round prices.
func TestPriceOfAnOperation(t *testing.T) {
	prices := &priceList{byID: map[string]float64{
		"request": 1, "invocation": 10, "gigabyteSecond": 1000, "readUnit": 2, "writeUnit": 3, "logGigabyte": 1 << 30,
		"objectWrite": 7,
	}}
	p := pricing{prices, map[string]float64{"SmallFunction": 512, "LargeFunction": 2048}}
	got, err := p.of(usage.Operation{
		Requests: 2, LogRecords: 2, LogBytes: 48, ReadUnits: map[string]float64{"A": 1, "B": 0.5},
		WriteUnits: map[string]float64{"A": 4},
		Calls:      map[string]float64{"s3:PutObject": 2, "ecr:GetAuthorizationToken": 9},
		Functions: map[string]usage.Function{
			"SmallFunction": {Invocations: 1, CPUMs: 0, Trips: 5, Waits: 1}, // 50 ms of half a GB
			"LargeFunction": {Invocations: 2, CPUMs: 10},                    // 10 ms of two GB
		},
	})
	want := cost{api: 2, lambda: 30 + 25 + 20, database: 3 + 12, logs: 100, others: 14}
	if err != nil || math.Abs(got.total()-want.total()) > 1e-9 || math.Abs(got.lambda-want.lambda) > 1e-9 ||
		got.logs != want.logs {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestSmallFunctionsHaveAPartOfACore(t *testing.T) {
	f := usage.Function{CPUMs: 2}
	if got := billedMs(f, cpuMemory/4.0); got != 8 {
		t.Errorf("with a quarter of a core %v ms, want 8", got)
	}
	if got := billedMs(f, 2*cpuMemory); got != 2 {
		t.Errorf("with two cores %v ms, want 2", got)
	}
}

func TestUnknownCallsAndFunctionsHaveNoPrice(t *testing.T) {
	p := pricing{&priceList{}, map[string]float64{}}
	for _, o := range []usage.Operation{
		{Calls: map[string]float64{"s3:Teleport": 1}}, {Functions: map[string]usage.Function{"NewFunction": {Invocations: 1}}},
	} {
		if c, err := p.of(o); err == nil {
			t.Errorf("%+v costs %+v, want an error", o, c)
		}
	}
}

// TestEveryPriceIsNoted also finds prices that the arithmetic uses but the list lacks.
func TestEveryPriceIsNoted(t *testing.T) {
	prices, err := parsePrices(listPrices)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range prices.Prices {
		if p.What == "" || p.Source == "" || p.Date == "" || p.Dollars <= 0 || p.Per < 1 {
			t.Errorf("incomplete: %+v", p)
		}
	}
	for _, id := range []string{
		"request", "invocation", "gigabyteSecond", "readUnit", "writeUnit", "logGigabyte", "objectRead", "objectWrite", "mail", "schedule",
		"alarmMetric", "customMetric", "firehoseGigabyte", "dashboard", "secret", "transfer10", "transferMore",
	} {
		if prices.byID[id] <= 0 {
			t.Errorf("no price %q", id)
		}
	}
}

func TestImagePullHasAllItsRequests(t *testing.T) {
	sum := 0.0
	for _, n := range imagePull {
		sum += n
	}
	if sum != requestsPerPull {
		t.Errorf("the pieces are %v requests, want %d", sum, requestsPerPull)
	}
}

// TestDocumentIsUpToDate also shows that the document has every operation.
func TestDocumentIsUpToDate(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "cost.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := costReport(newTestBill(t), newPlanner(t).results)
	if !strings.Contains(string(text), costBegin+want+costEnd) {
		t.Error("docs/cost.md is out of date; run `go run ./cmd/capacity`")
	}
	for _, name := range pricedOperations() {
		if !strings.Contains(want, "| "+name+" |") {
			t.Errorf("the report lacks %q", name)
		}
	}
}

// TestMonthIsTheSumOfItsOperations uses a size of which each part is known.
func TestMonthIsTheSumOfItsOperations(t *testing.T) {
	b := newTestBill(t)
	nothing, users := b.month(size{}, 0), b.month(size{users: 10}, 0)
	if nothing.total() != nothing.fixed || nothing.fixed <= 0 {
		t.Errorf("a month without load is %+v", nothing)
	}
	want := 0.0
	for name, n := range monthly {
		want += 10 * n * b.operations[name].total()
	}
	if math.Abs(users.users-want) > 1e-9 {
		t.Errorf("10 users cost %v, want %v", users.users, want)
	}
}

// TestTransferHasTiers computes volumes at and between the ends of the tiers by hand. A larger volume always costs
// more.
func TestTransferHasTiers(t *testing.T) {
	b := newTestBill(t)
	for gigabytes, want := range map[float64]float64{
		0: 0, 100: 9, 10_000: 900, 10_100: 908.5, 50_000: 4300, 150_000: 11_300, 151_000: 11_350,
	} {
		if got := b.transfer(gigabytes); math.Abs(got-want) > 1e-6 {
			t.Errorf("%v GB cost %v, want %v", gigabytes, got, want)
		}
	}
	for step := range 400 {
		if less, more := b.transfer(float64(step*500)), b.transfer(float64(step*500+500)); more <= less {
			t.Errorf("%d GB cost %v, and 500 more %v", step*500, less, more)
		}
	}
}

// TestTotalsHaveTheLayers finds a month whose total leaves them out.
func TestTotalsHaveTheLayers(t *testing.T) {
	b := newTestBill(t)
	m := b.month(size{pulls: 1e6}, 4)
	layers := b.transfer(1e6 * layerMegabytes / 1000)
	if rest := m.pulls + m.counting + m.users + m.fixed; m.layers != layers || math.Abs(m.total()-rest-layers) > 1e-9 {
		t.Errorf("%+v, want layers of %v in the total %v", m, layers, m.total())
	}
}

// TestMonthHasTheRecommendedDelivery compares a month with what its pulls cost one by one, which is by batches.
func TestMonthHasTheRecommendedDelivery(t *testing.T) {
	b := newTestBill(t)
	for pulls, saves := range map[int]bool{1e6: false, 15e6: false, 18e6: true, 1e8: true} {
		m, one, saved := b.month(size{pulls: pulls}, 4), b.pull().total()*float64(pulls), 0.0
		if d := b.delivery(float64(pulls) * requestsPerPull); saves {
			saved = d.byLambda - d.byFirehose
		}
		if math.Abs(one-m.pulls-saved) > 1e-6 {
			t.Errorf("%d pulls cost %v, one by one %v, want %v less", pulls, m.pulls, one, saved)
		}
	}
}

// TestFirehosePaysOffForMany compares both ways of delivery.
func TestFirehosePaysOffForMany(t *testing.T) {
	b := newTestBill(t)
	if d := b.delivery(0); d.byLambda != 0 || d.byFirehose <= 0 {
		t.Errorf("without lines: %+v, want that only Firehose costs something", d)
	}
	if d := b.delivery(1e9); d.byFirehose > d.byLambda/10 {
		t.Errorf("a thousand million lines: %+v, want that Firehose costs less than a tenth", d)
	}
}

func TestTemplateHasMemoryAndAlarms(t *testing.T) {
	found, err := readTemplate(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if found.memory["RunMediaJobsFunction"] != 2048 || found.memory["UsersFunction"] != 256 ||
		found.memory["CountUsageFunction"] != 512 {
		t.Errorf("memory %v", found.memory)
	}
	basic, full := found.basic, found.full
	if basic.alarms < 10 || full.alarms <= basic.alarms || basic.metrics <= basic.alarms || basic.dashboards != 0 ||
		full.dashboards != 1 {
		t.Errorf("basic %+v, full %+v", basic, full)
	}
}
