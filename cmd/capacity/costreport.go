package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"portside/cmd/capacity/usage"
)

const million = 1e6

// costReport returns the generated part of docs/cost.md.
func costReport(b *bill, results []result) string {
	out := &strings.Builder{}
	fmt.Fprintf(out, "Measured on %s on %s. A batch of the access log has %d lines.\n\n",
		b.measured.Date, b.machine(), logBatch)
	b.writeOperations(out)
	b.writeUse(out)
	b.writeMonths(out, results)
	b.writeDelivery(out)
	b.writeLayers(out)
	b.writeIdle(out)
	b.writeUsual(out, results)
	b.writePrices(out)
	return out.String()
}

// linesOfBatch is how many lines of the access log an invocation counted.
func (b *bill) linesOfBatch() float64 {
	for _, o := range b.measured.Background {
		if o.Name == countLine {
			return 1 / o.Functions["CountUsageFunction"].Invocations
		}
	}
	return 0
}

// machine is without the load of the moment.
func (b *bill) machine() string {
	machine, _, _ := strings.Cut(b.measured.Machine, "; load")
	return machine
}

func (b *bill) writeOperations(out *strings.Builder) {
	out.WriteString("## Dollars per million\n\n" +
		"| Operation | API | Lambda | DynamoDB | Logs | Others | Total |\n|---|---|---|---|---|---|---|\n")
	for _, name := range pricedOperations() {
		writeCost(out, name, b.operations[name])
	}
	writeCost(out, fmt.Sprintf("**pull of an image, %d requests**", requestsPerPull), b.pull())
	fmt.Fprintf(out, "| **its layers, %d MB, to the internet**, %.2f for 100 GB | | | | | | %.2f |\n",
		layerMegabytes, b.transfer(100), b.layersOf(million, layerMegabytes))
	out.WriteString("\nWork in the background. The operations above include *count a line* and, if they are a pull, *record a pull*:\n\n" +
		"| Work | API | Lambda | DynamoDB | Logs | Others | Total |\n|---|---|---|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(b.background)) {
		writeCost(out, name, b.background[name])
	}
	out.WriteString("\n")
}

func writeCost(out *strings.Builder, name string, c cost) {
	c = c.times(million)
	fmt.Fprintf(out, "| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name, c.api, c.lambda, c.database, c.logs,
		c.others, c.total())
}

func (b *bill) writeUse(out *strings.Builder) {
	out.WriteString("## What an operation uses\n\n" +
		"| Operation | Billed ms | CPU ms | Waits | Read units | Write units | Log records | Log bytes | Other calls |\n" +
		"|---|---|---|---|---|---|---|---|---|\n")
	for _, o := range slices.Concat(b.measured.Operations, b.measured.Background) {
		b.writeUseOf(out, o)
	}
	out.WriteString("\n*Waits* are calls of DynamoDB, and of other services, that wait for each other.\n\n")
}

func (b *bill) writeUseOf(out *strings.Builder, o usage.Operation) {
	var billed, cpu, trips, waits float64
	for _, name := range slices.Sorted(maps.Keys(o.Functions)) {
		f := o.Functions[name]
		billed, cpu, trips, waits = billed+billedMs(f, b.pricing.memory[name]), cpu+f.CPUMs, trips+f.Trips, waits+f.Waits
	}
	var others []string
	for _, action := range slices.Sorted(maps.Keys(o.Calls)) {
		others = append(others, fmt.Sprintf("%.3g %#q", o.Calls[action], action))
	}
	fmt.Fprintf(out, "| %s | %.3g | %s | %.2g + %.2g | %s | %s | %.2g | %.0f | %s |\n", o.Name, billed, roundCPU(cpu),
		trips, waits,
		byTable(o.ReadUnits), byTable(o.WriteUnits), o.LogRecords, o.LogBytes, strings.Join(others, ", "))
}

// roundCPU keeps the digits that another run on the same machine is likely to have.
func roundCPU(ms float64) string {
	const precise = 10
	if ms < precise {
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}

func byTable(units map[string]float64) string {
	var parts []string
	for _, table := range slices.Sorted(maps.Keys(units)) {
		parts = append(parts, fmt.Sprintf("%s %.3g", strings.TrimSuffix(table, "Table"), units[table]))
	}
	return strings.Join(parts, ", ")
}

func (b *bill) writeMonths(out *strings.Builder, results []result) {
	out.WriteString("## Dollars a month\n\n| Size | Pulls | Counting them | Users | Fixed | Layers | Total |\n|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		s, m := r.size, b.month(r.size, r.unitsPerPull)
		fmt.Fprintf(out, "| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", s.name, m.pulls, m.counting, m.users, m.fixed,
			m.layers, m.total())
	}
	out.WriteString("\n")
}

// writeLayers writes what layers cost by their size, because no measurement knows how large a vendor's images are.
func (b *bill) writeLayers(out *strings.Builder) {
	fmt.Fprintf(out, "### Layers to the internet\n\n"+
		"*Layers* are %d MB for each pull, an assumption. They go from Amazon ECR to the client, past the gateway: %.2f dollars for 100 GB, "+
		"less in large volumes. Take the row of your images, and leave out pulls of clients that have the layers already. "+
		"Pulls from AWS in the same region cost no transfer. In dollars:\n\n| Layers of a pull |", layerMegabytes,
		b.transfer(100))
	for _, s := range sizes() {
		_, pulls, _ := strings.Cut(s.name, ", ")
		fmt.Fprintf(out, " %s |", pulls)
	}
	out.WriteString("\n|---|" + strings.Repeat("---|", len(sizes())) + "\n")
	for _, megabytes := range []float64{1, 10, layerMegabytes, 1000} {
		fmt.Fprintf(out, "| %s MB |", thousands(megabytes))
		for _, s := range sizes() {
			fmt.Fprintf(out, " %.0f |", b.layersOf(float64(s.pulls), megabytes))
		}
		out.WriteString("\n")
	}
	out.WriteString("\n")
}

// writeDelivery names the largest saving that is a parameter away.
func (b *bill) writeDelivery(out *strings.Builder) {
	out.WriteString("Part of the pulls is counting the lines of the access log, " +
		"here with the delivery that [capacity.md](capacity.md#log-ingestion) recommends for the size. " +
		"With `LogDelivery=firehose`, one delivery has the lines of a minute instead of a second:\n\n" +
		"| Size | Lines a month | `lambda` | `firehose` |\n|---|---|---|---|\n")
	for _, s := range sizes() {
		lines := float64(s.pulls) * requestsPerPull
		d := b.delivery(lines)
		fmt.Fprintf(out, "| %s | %.0f million | %.2f | %.2f |\n", s.name, lines/million, d.byLambda, d.byFirehose)
	}
	out.WriteString("\nIt is computed, with a batch a second for each busy stream of the log, and records of Firehose of 5 KB.\n\n")
}

func (b *bill) writeIdle(out *strings.Builder) {
	work, metrics := b.idle()
	fixed := work + metrics
	fmt.Fprintf(out, "## Without requests\n\nA month without requests costs %.2f dollars: %.2f for the scheduled functions, "+
		"%.2f for the %d metrics that they publish, and %.2f for %d alarms with %d metrics. With `Monitoring=full`, it costs %.2f, with %d alarms, %d metrics and a dashboard. ",
		fixed+b.watching(b.basic), work, metrics, customMetrics, b.watching(b.basic), b.basic.alarms, b.basic.metrics,
		fixed+b.watching(b.full), b.full.alarms, b.full.metrics)
	fmt.Fprintf(out, "A secret with a managed token, a client secret or the key of a model costs %.2f more each.\n\n",
		b.byID["secret"])
}

// The usual way of the same work.
const (
	itemBytes   = 176  // of a user in a list: 4,287 read units for 99,990 users in docs/performance.md
	readBytes   = 4096 // of a read unit
	usersOfPage = 100_000
	middle      = usersOfPage / 2
	pageLimit   = 20
	putsOfAPull = 9 // the entry, and a counter each for the total, the user, the repository and the reference, of the day and of the month
)

// usualSize is the place of the size at which counting a pull is compared.
func usualSize() int {
	return slices.IndexFunc(sizes(), func(s size) bool { return s.pulls == 1e8 })
}

func (b *bill) writeUsual(out *strings.Builder, results []result) {
	out.WriteString("## The usual way\n\nDollars per million:\n\n" +
		"| Work | Here | The usual way | Formula of the usual way |\n|---|---|---|---|\n")
	row := func(what string, here, usual float64, formula string) {
		fmt.Fprintf(out, "| %s | %.2f | %.2f | %s |\n", what, here*million, usual*million, formula)
	}
	get, list, board := b.operations[getUser].total(), b.operations[listUsers], b.operations[dashboard]
	row(getUser+", authenticated by a Lambda authorizer", get, get+b.authorizer(),
		"one more invocation with the CPU time of `health`; the calls of DynamoDB move there")
	row(fmt.Sprintf("a page at place %d of %d users", middle, usersOfPage), list.total(),
		list.total()+b.readOf(middle+pageLimit)-b.unitsOf(listUsers, "UsersTable"),
		fmt.Sprintf("a Query from the start reads (offset + %d) × %d bytes / %d units", pageLimit, itemBytes, readBytes))
	row(fmt.Sprintf("the dashboard of %d users", usersOfPage), board.total(),
		board.total()+b.readOf(usersOfPage)/2-b.unitsOf(dashboard, "AnalyticsTable"),
		fmt.Sprintf("an eventually consistent Scan reads users × %d bytes / %d / 2 units; the requests come on top",
			itemBytes, readBytes))
	units := results[usualSize()].unitsPerPull
	row("count a pull, at 10⁸ a month", units*b.byID["writeUnit"], putsOfAPull*b.byID["writeUnit"],
		fmt.Sprintf("one write for the entry and for each of 8 counters, %d units", putsOfAPull))
	out.WriteString("\n")
}

// authorizer is the dollars of one more invocation.
func (b *bill) authorizer() float64 {
	cpu := 0.0
	for _, o := range b.measured.Operations {
		if o.Name == "health" {
			cpu = o.Functions["SystemFunction"].CPUMs
		}
	}
	memory := b.pricing.memory["SystemFunction"]
	seconds := billedMs(usage.Function{CPUMs: cpu}, memory) / 1e3
	return b.byID["invocation"] + seconds*memory/1024*b.byID["gigabyteSecond"]
}

// readOf is the dollars of reading that many users.
func (b *bill) readOf(users float64) float64 {
	return users * itemBytes / readBytes * b.byID["readUnit"]
}

// unitsOf is the dollars of what an operation reads of a table.
func (b *bill) unitsOf(operation, table string) float64 {
	for _, o := range b.measured.Operations {
		if o.Name == operation {
			return o.ReadUnits[table] * b.byID["readUnit"]
		}
	}
	return 0
}

func (b *bill) writePrices(out *strings.Builder) {
	fmt.Fprintf(out, "## Prices\n\nList prices of %s in dollars:\n\n"+
		"| Price | Dollars | Per | Noted | Source |\n|---|---|---|---|---|\n", b.Region)
	for _, p := range b.Prices {
		fmt.Fprintf(out, "| %s | %.10g | %.0f | %s | %s |\n", p.What, p.Dollars, p.Per, p.Date, p.Source)
	}
}
