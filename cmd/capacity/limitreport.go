package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// plan simulates all sizes.
func plan(stack deployed, profiles map[string]profile) (*planner, error) {
	quotas, err := parseQuotas(documentedQuotas)
	if err != nil {
		return nil, err
	}
	p := &planner{quotas: quotas, stack: stack}
	for _, s := range sizes() {
		p.results = append(p.results, simulate(s, profiles))
	}
	return p, nil
}

// limitReport returns the generated part of docs/capacity.md about quotas, and which of them binds first.
func (p *planner) limitReport() string {
	out := &strings.Builder{}
	out.WriteString("| Quota | Default | Raised by | Source |\n|---|---|---|---|\n")
	for _, q := range p.quotas.all {
		fmt.Fprintf(out, "| %s | %s %s | %s | [documented](%s) |\n", q.What, thousands(q.Value), q.Unit, q.RaisedBy, q.Source)
	}
	out.WriteString("\n### Which limit binds first\n\n" +
		"| Size | With `LogDelivery=lambda`, the default | Moved by | With `LogDelivery=firehose` | Moved by |\n|---|---|---|---|---|\n")
	for _, r := range p.results {
		lambda, firehose := first(p.limits(r), byLambda), first(p.limits(r), byFirehose)
		fmt.Fprintf(out, "| %s | %s: %s | %s | %s: %s | %s |\n",
			r.size.name, lambda.what, percent(lambda.share), lambda.movedBy, firehose.what, percent(firehose.share),
			firehose.movedBy)
	}
	p.writeShares(out)
	return out.String()
}

// writeShares writes how much of each limit each size uses.
func (p *planner) writeShares(out *strings.Builder) {
	out.WriteString("\nThe share of each limit that the busiest minute uses. " +
		"Above 100 %, requests are refused or work is left undone:\n\n| Limit |")
	var columns [][]limit
	for _, r := range p.results {
		_, pulls, _ := strings.Cut(r.size.name, ", ")
		fmt.Fprintf(out, " %s |", pulls)
		columns = append(columns, p.limits(r))
	}
	out.WriteString(" Moved by |\n|---|" + strings.Repeat("---|", len(columns)) + "---|\n")
	for row, l := range columns[0] {
		fmt.Fprintf(out, "| %s |", l.what)
		for _, column := range columns {
			fmt.Fprintf(out, " %s |", percent(column[row].share))
		}
		fmt.Fprintf(out, " %s |\n", l.movedBy)
	}
}

// percent marks a share above the limit.
func percent(share float64) string {
	text := thousands(math.Round(100*share)) + " %"
	switch {
	case share < 0.01:
		return "below 1 %"
	case share > 1:
		return "**" + text + "**"
	}
	return text
}

// thousands returns a whole number with commas.
func thousands(n float64) string {
	text := strconv.FormatFloat(n, 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

const daySeconds = 24 * 3600

// ingestionReport returns the generated part of docs/capacity.md about the delivery of the access log.
func (p *planner) ingestionReport() string {
	const batches = 1000.0 / batchMs
	out := &strings.Builder{}
	fmt.Fprintf(out, "At %d ms for a read or a query and %d ms for the transaction, a batch takes %d ms: **about %.0f batches a second**. "+
		"One of more than about 20 lines takes %d ms more, for the archive. "+
		"The busiest minute counts, although Lambda queues batches for up to six hours, because the metrics should be current:\n\n",
		tripMs, transactionMs, batchMs, batches, waitMs)
	out.WriteString("| Size | Requests a day, mean | Lines a second, peak | Batches a second, peak " +
		"| Used of `lambda` | Used of `firehose` | Delivery |\n|---|---|---|---|---|---|---|\n")
	for _, s := range sizes() {
		lines := s.requestRate()
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | `%s` |\n",
			s.name, thousands(lines/peak*daySeconds), thousands(lines), thousands(lines/logBatch),
			percent(lines/logBatch*batchMs/1000), percent(objectShare(lines)), s.deliveredBy())
	}
	fmt.Fprintf(out, "\n**Firehose takes over at half of the limit of `lambda`**: when the metric *Invocations* of `CountUsageFunction` "+
		"shows %s batches in the busiest hour. That is about %s requests a day, or %s pulls a month, if a batch has %d lines.\n",
		thousands(roundTo(firehosePays/logBatch*3600, 1000)), millions(firehosePays/peak*daySeconds),
		millions(firehosePays/peak*secondsPerMonth/requestsPerPull), logBatch)
	return out.String()
}

func roundTo(n, step float64) float64 { return math.Round(n/step) * step }

// millions returns a number as whole millions.
func millions(n float64) string { return fmt.Sprintf("%.0f million", n/million) }
