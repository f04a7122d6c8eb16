package main

import (
	"cmp"
	"math"
	"slices"
)

// The times and rates of the service, of which docs/capacity.md says where they come from. Those of calls on AWS are
// assumptions to check in the first hour there.
const (
	// batchMs is how long CountUsageFunction takes for a batch of the access log: it reads the day, looks for
	// overlapping batches, and writes one transaction. All batches update the item of the day, so they take effect one
	// after the other. A batch of more than about 20 lines takes largeBatchMs, because the archive gets its lines
	// first.
	batchMs       = 2*tripMs + transactionMs
	largeBatchMs  = batchMs + waitMs
	transactionMs = 12
	// objectLines and objectSeconds are the most that Firehose collects in an object. It has 64 MB.
	objectLines, objectSeconds = 195_000, 60
	// linesPerCore is how many lines of such an object a core counts in a second. objectMemory is the MB of
	// CountUsageFunction with Firehose.
	linesPerCore, objectMemory = 115_000, 1024
	// creationsPerSecond is how many users can be created one by one without a noticeable number of refusals.
	creationsPerSecond = 40
	// noticeMs is how long the notice of a token's expiry takes. The runs of a day send notices for 270 seconds each,
	// every five minutes for 18 hours.
	noticeMs, noticeRuns, noticeSeconds = 70, 216, 270
	// noticesPerOwner is how many notices the owner of a token of 90 days gets in a day.
	noticesPerOwner = 4.0 / 90
)

// limit is one of the limits of the service at a size.
type limit struct {
	what    string
	share   float64 // that the busiest minute uses, 1 for all of it
	movedBy string
	// delivery is the value of LogDelivery with which the limit applies, "" for both.
	delivery string
}

// planner finds the limits of the service.
type planner struct {
	quotas  *quotaList
	stack   deployed
	results []result // of all sizes
}

// The values of the parameter LogDelivery.
const (
	byLambda   = "lambda"
	byFirehose = "firehose"
)

// limits returns all limits of a size, in the same order for each size.
func (p *planner) limits(r result) []limit {
	requests, pulls, quota := r.size.requestRate(), r.size.pullRate(), p.quotas.byID
	return append(p.deliveryLimits(r.size), []limit{
		{"requests that the stack accepts", requests / p.stack.requestsPerSecond, "`RequestsPerSecond` and `RequestBurst`", ""},
		{"requests of API Gateway", requests / quota["apiRequests"], "quota `L-8A5B8E43`, then `RequestsPerSecond`", ""},
		{"concurrent executions of Lambda", p.executions(r.size) / quota["executions"], "quota `L-B99A9384`", ""},
		{"blobs from ECR", pulls * imagePull["image pull: blob"] / quota["ecrLayers"], "quota `L-A60A366D`", ""},
		{"manifests from ECR", pulls * manifestsPerPull / quota["ecrManifests"], "quota `L-16E70933`", ""},
		{"logins of processes at ECR", p.executions(r.size) / seconds / quota["ecrTokens"], "quota `L-55A41110`", ""},
		{"busiest key of a table", busiestKey(r), "more shards, which is a change of the code", ""},
		{"busiest new table", p.busiestTable(r, "newTableReads", "newTableWrites"), "warm throughput of the table", ""},
		{"busiest table", p.busiestTable(r, "tableUnits", "tableUnits"), "a request for this table", ""},
		{"counts of a minute's pulls", float64(r.windowCalls) / (callsPerSecond * seconds), "nothing yet: one invocation counts a minute", ""},
		{"creations of users", r.size.rate(createUser) / creationsPerSecond, "imports, which add seven users in a transaction", ""},
		{"notices before expiry in a day", float64(r.size.users) * noticesPerOwner / noticesADay, "a higher sending rate of SES", ""},
	}...)
}

// noticesADay is how many notices fit into a day.
const noticesADay = noticeRuns * noticeSeconds * 1000 / noticeMs

// executions is the concurrent executions that the requests of the busiest minute need. Requests take less than 100 ms,
// so it is the number of requests, not their time, that counts.
func (p *planner) executions(s size) float64 {
	return math.Ceil(s.requestRate() / p.quotas.byID["requestsPerExecution"])
}

// deliveryLimits are the limits of counting the access log.
func (p *planner) deliveryLimits(s size) []limit {
	lines := s.requestRate()
	return []limit{
		{"lines of the access log, counted by batches", lines / logBatch * batchMs / 1000, "`LogDelivery=firehose`", byLambda},
		{
			"lines of the access log, counted by objects", objectShare(lines),
			"nothing yet: the streams of an object are counted one after the other", byFirehose,
		},
		{"calls of Firehose", lines / logBatch / p.quotas.byID["firehoseCalls"], "a request for this quota", byFirehose},
	}
}

// objectShare is the part of its time in which CountUsageFunction counts the objects of Firehose. As many streams are
// busy as batches would come in a second, and each costs one transaction for an object.
func objectShare(lines float64) float64 {
	interval := min(objectSeconds, objectLines/lines)
	cores := math.Min(1, objectMemory/float64(cpuMemory))
	return (lines/logBatch*largeBatchMs/1000 + interval*lines/(linesPerCore*cores)) / interval
}

func busiestKey(r result) float64 {
	share := 0.0
	for _, h := range r.hot {
		share = max(share, h.share())
	}
	return share
}

// busiestTable counts the units of the indexes as those of their table, so its share is an upper bound.
func (p *planner) busiestTable(r result, reads, writes string) float64 {
	share := 0.0
	for _, used := range r.perTable {
		share = max(share, used.read/p.quotas.byID[reads], used.write/p.quotas.byID[writes])
	}
	return share
}

// first returns the limit that binds first with a value of LogDelivery.
func first(all []limit, delivery string) limit {
	return slices.MaxFunc(applying(all, delivery), func(a, b limit) int { return cmp.Compare(a.share, b.share) })
}

func applying(all []limit, delivery string) []limit {
	return slices.DeleteFunc(slices.Clone(all), func(l limit) bool { return l.delivery != "" && l.delivery != delivery })
}

// firehosePays is the lines of the access log in a second of the busiest minute from which Firehose should deliver
// them: half of what batches can carry.
const firehosePays = logBatch * 1000.0 / batchMs / 2

// deliveredBy is the value of LogDelivery that docs/capacity.md recommends for a size.
func (s size) deliveredBy() string {
	if s.requestRate() > firehosePays {
		return byFirehose
	}
	return byLambda
}
