package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"portside/cmd/capacity/usage"
)

//go:embed usage.json
var measuredUsage []byte

// The work in the background that belongs to a request or a pull.
const (
	countLine  = "count a line of the access log"
	recordPull = "record a pull"
)

// logBatch is how many lines of the access log a delivery has, as in *Log ingestion* of docs/capacity.md. In the
// measurement that depends on the speed of the machine.
const logBatch = 10

// imagePull are the requests of a pull of an image, with how many of them a pull has. They add up to requestsPerPull.
// The manifests are those of the tag, of the image index and of the platform; the blobs are the configuration and seven
// layers.
var imagePull = map[string]float64{
	"image pull: sign-in": 1, "image pull: manifest by tag": 1, "image pull: manifest by digest": 2, "image pull: blob": 8,
}

// counted are the operations whose pull is recorded.
var counted = []string{"image pull: manifest by tag", "pull of a chart"}

// pricedOperations are the operations that the document must have.
func pricedOperations() []string {
	return append([]string{
		getUser, listUsers, createUser, "update a user", "delete a user", createToken, "list tokens", newProject, dashboard,
		"index of the charts", "pull of a chart", "extract 3 values from an invoice", "the same invoice again", "summary of 100 pages",
		"sign-in: ask for a mail", "sign-in: open the link", "health",
	}, slices.Sorted(maps.Keys(imagePull))...)
}

// bill has the dollars of each operation, with its work in the background.
type bill struct {
	pricing
	deployed
	measured   usage.Measurement
	operations map[string]cost
	background map[string]cost
}

func newBill(d deployed) (*bill, error) {
	prices, err := parsePrices(listPrices)
	if err != nil {
		return nil, err
	}
	b := &bill{pricing: pricing{prices, d.memory}, deployed: d, operations: map[string]cost{},
		background: map[string]cost{}}
	if err := json.Unmarshal(measuredUsage, &b.measured); err != nil {
		return nil, fmt.Errorf("read usage.json: %w", err)
	}
	if b.background, err = b.each(b.measured.Background); err != nil {
		return nil, err
	}
	b.background[countLine] = b.background[countLine].times(b.linesOfBatch() / logBatch)
	if b.operations, err = b.each(b.measured.Operations); err != nil {
		return nil, err
	}
	for _, name := range append(slices.Collect(maps.Keys(schedules)), countLine, recordPull) {
		if _, ok := b.background[name]; !ok {
			return nil, fmt.Errorf("usage.json lacks %q; run `make cost`", name)
		}
	}
	for _, name := range pricedOperations() {
		c, ok := b.operations[name]
		if !ok {
			return nil, fmt.Errorf("usage.json lacks %q; run `make cost`", name)
		}
		c = c.plus(b.background[countLine])
		if slices.Contains(counted, name) {
			c = c.plus(b.background[recordPull])
		}
		b.operations[name] = c
	}
	return b, nil
}

func (b *bill) each(operations []usage.Operation) (map[string]cost, error) {
	found := map[string]cost{}
	for _, o := range operations {
		c, err := b.of(o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Name, err)
		}
		found[o.Name] = c
	}
	return found, nil
}

// pull is the cost of a pull of an image.
func (b *bill) pull() cost {
	var sum cost
	for _, piece := range slices.Sorted(maps.Keys(imagePull)) {
		sum = sum.plus(b.operations[piece].times(imagePull[piece]))
	}
	return sum
}

// schedules are the invocations of scheduled functions in a month of 30 days, by the work that they do if there is
// nothing to do.
var schedules = map[string]float64{
	"idle: count pulls": 30 * 24 * 60, "idle: send mails": 30 * 24 * 60, "idle: rotate tokens": 30 * 18 * 12,
	"idle: measure the storage": 30 * 24, "idle: seal the audit log": 30 * 24,
}

// customMetrics are the ServerErrors of the access log, and what functions publish, once for each name and function:
// three of notices, two each of recorded pulls, counted lines and seals, and the age of the measured storage.
const customMetrics = 11

// idle is the dollars of a month without requests: for the scheduled functions, and for the metrics that they publish.
func (b *bill) idle() (work, metrics float64) {
	for _, name := range slices.Sorted(maps.Keys(schedules)) {
		work += schedules[name] * (b.background[name].total() + b.byID["schedule"])
	}
	return work, customMetrics * b.byID["customMetric"]
}

// watching is the dollars of a month for alarms and a dashboard.
func (b *bill) watching(m monitoring) float64 {
	return float64(m.metrics)*b.byID["alarmMetric"] + float64(m.dashboards)*b.byID["dashboard"]
}

// delivery is the dollars of counting the lines of the access log of a month, with the two values of LogDelivery.
type delivery struct{ byLambda, byFirehose float64 }

// firehoseRecord is how many bytes of a batch of lines Firehose charges: a batch is smaller, because it is compressed.
const firehoseRecord = 5 << 10

// delivery assumes that a busy stream of the log causes a batch a second, and that Firehose delivers a minute of each
// stream. It counts what a batch costs as measured, because decoding a line takes only 15 µs.
func (b *bill) delivery(lines float64) delivery {
	const minutes = 30 * 24 * 60
	batches := lines / logBatch
	batch := b.background[countLine].total() * logBatch
	streams := max(1, batches/secondsPerMonth)
	return delivery{
		byLambda:   batches * batch,
		byFirehose: minutes*(streams*batch+b.byID["objectWrite"]) + batches*firehoseRecord/(1<<30)*b.byID["firehoseGigabyte"],
	}
}

// layerMegabytes is the size of the layers that a pull fetches, an assumption that each vendor replaces.
const layerMegabytes = 100

// month is the dollars of a month of load.
type month struct {
	pulls, counting, users, fixed float64
	layers                        float64 // to the internet
}

func (m month) total() float64 { return m.pulls + m.counting + m.users + m.fixed + m.layers }

// layersOf is the dollars of a month's layers to the internet.
func (b *bill) layersOf(pulls, megabytes float64) float64 {
	return b.transfer(pulls * megabytes / 1000)
}

// of a size: the units of counted pulls are those of the simulation, because they depend on the load.
func (b *bill) month(s size, units float64) month {
	work, metrics := b.idle()
	pulls := float64(s.pulls)
	m := month{
		fixed: work + metrics + b.watching(b.basic), pulls: b.pull().
			total() * pulls, layers: b.layersOf(pulls, layerMegabytes),
	}
	if s.deliveredBy() == byFirehose {
		d := b.delivery(pulls * requestsPerPull)
		m.pulls += d.byFirehose - d.byLambda
	}
	recorded := b.background[recordPull].database
	m.counting = (units*b.byID["writeUnit"] - recorded) * pulls
	for _, operation := range slices.Sorted(maps.Keys(monthly)) {
		m.users += monthly[operation] * float64(s.users) * b.operations[operation].total()
	}
	return m
}
