package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"portside/cmd/capacity/usage"
)

//go:embed prices.json
var listPrices []byte

// price is a list price of AWS.
type price struct {
	ID      string  `json:"id"`
	What    string  `json:"what"`
	Dollars float64 `json:"dollars"`
	Per     float64 `json:"per"`
	Source  string  `json:"source"`
	Date    string  `json:"date"`
	// UpTo is the end of a tier of transfer to the internet, in GB of a month. The last tier has no end.
	UpTo float64 `json:"upTo"`
}

// priceList has prices by ID.
type priceList struct {
	Region string  `json:"region"`
	Prices []price `json:"prices"`
	byID   map[string]float64
}

func parsePrices(text []byte) (*priceList, error) {
	list := &priceList{byID: map[string]float64{}}
	if err := json.Unmarshal(text, list); err != nil {
		return nil, fmt.Errorf("read prices.json: %w", err)
	}
	for _, p := range list.Prices {
		list.byID[p.ID] = p.Dollars / p.Per
	}
	return list, nil
}

// The assumptions about time on AWS.
const (
	// cpuMemory is the memory in MB at which a function has a whole core.
	cpuMemory = 1769
	// tripMs is a call of DynamoDB, and waitMs one of another service, in milliseconds.
	tripMs = 5
	waitMs = 25
	// recordOverhead is what CloudWatch adds to each record of a log, in bytes.
	recordOverhead = 26
)

// cost is the dollars of an operation by service.
type cost struct{ api, lambda, database, logs, others float64 }

func (c cost) total() float64 { return c.api + c.lambda + c.database + c.logs + c.others }

func (c cost) plus(other cost) cost {
	return cost{
		c.api + other.api, c.lambda + other.lambda, c.database + other.database, c.logs + other.logs, c.others + other.others,
	}
}

func (c cost) times(n float64) cost {
	return cost{c.api * n, c.lambda * n, c.database * n, c.logs * n, c.others * n}
}

// pricing computes what operations cost.
type pricing struct {
	*priceList
	memory map[string]float64 // of each function in MB
}

// billedMs is the time of a function that Lambda bills.
func billedMs(f usage.Function, memory float64) float64 {
	return f.CPUMs*math.Max(1, cpuMemory/memory) + f.Trips*tripMs + f.Waits*waitMs
}

// of returns the cost of an operation, without the work that it causes in the background.
func (p pricing) of(o usage.Operation) (cost, error) {
	c := cost{api: o.Requests * p.byID["request"]}
	for _, name := range slices.Sorted(maps.Keys(o.Functions)) { // in order, because the sums of fractions depend on it
		f, memory := o.Functions[name], p.memory[name]
		if memory == 0 {
			return cost{}, fmt.Errorf("the template has no memory of %s", name)
		}
		c.lambda += f.Invocations*p.byID["invocation"] + billedMs(f, memory)/1e3*memory/1024*p.byID["gigabyteSecond"]
	}
	c.database = sumOf(o.ReadUnits)*p.byID["readUnit"] + sumOf(o.WriteUnits)*p.byID["writeUnit"]
	c.logs = (o.LogBytes + recordOverhead*o.LogRecords) / (1 << 30) * p.byID["logGigabyte"]
	for _, action := range slices.Sorted(maps.Keys(o.Calls)) {
		dollars, err := p.call(action)
		if err != nil {
			return cost{}, err
		}
		c.others += o.Calls[action] * dollars
	}
	return c, nil
}

// calls are the prices of calls. Those without a price are free.
var calls = map[string]string{
	"s3:GetObject": "objectRead", "s3:HeadObject": "objectRead", "s3:PutObject": "objectWrite", "s3:ListBucket": "objectWrite",
	"s3:DeleteObject": "", "s3:GetObjectTagging": "objectRead", "ses:SendEmail": "mail", "ecr:GetAuthorizationToken": "",
	"s3:ListBucketVersions": "objectWrite", "s3:ListBucketMultipartUploads": "objectWrite", "ecr:DescribeRepositories": "", "lambda:InvokeFunction": "",
}

func (p pricing) call(action string) (float64, error) {
	id, known := calls[action]
	if !known {
		return 0, fmt.Errorf("no price for calls of %s", action)
	}
	return p.byID[id], nil
}

// transfer returns the dollars of a month's transfer to the internet. The prices are in the order of their tiers.
func (p pricing) transfer(gigabytes float64) float64 {
	dollars, begin := 0.0, 0.0
	for _, tier := range p.Prices {
		if !strings.HasPrefix(tier.ID, "transfer") {
			continue
		}
		end := tier.UpTo
		if end == 0 {
			end = math.Inf(1)
		}
		dollars += max(0, min(gigabytes, end)-begin) * tier.Dollars / tier.Per
		begin = end
	}
	return dollars
}

func sumOf(units map[string]float64) float64 {
	sum := 0.0
	for _, key := range slices.Sorted(maps.Keys(units)) {
		sum += units[key]
	}
	return sum
}
