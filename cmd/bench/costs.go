package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"portside/cmd/bench/figures"
	"portside/cmd/capacity/usage"
	coreaudit "portside/shared/core/audit"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/transactions"
)

// The measurement of what operations use. Each request is measured on a stack that delays calls of DynamoDB, so that
// those that do not wait for each other overlap.
const (
	costUsers    = 2_000
	costRequests = 100
	costWarmUps  = 5
	callDelay    = 2 * time.Millisecond
	usageFile    = "cmd/capacity/usage.json"
	quietChecks  = 40
	quietTime    = 500 * time.Millisecond
	idleRuns     = 20

	recordPullsFunction = "RecordPullsFunction"
)

// backgrounds are the functions that work after a request, with what their work is counted in.
var backgrounds = map[string]string{
	countUsageFunction: "count a line of the access log", recordPullsFunction: "record a pull",
	"CountPullsFunction": "count the pulls of a minute", "IndexChartsFunction": "index a chart",
	"MeasureStorageFunction": "", "SendMailFunction": "", "RotateTokensFunction": "", "SealAuditFunction": "",
}

// scheduled are runs of functions that have nothing to do, with their events.
var scheduled = []struct{ function, name, event string }{
	{"CountPullsFunction", "idle: count pulls", "countpulls/schedule.json"},
	{"SendMailFunction", "idle: send mails", "sendmail/schedule.json"},
	{"RotateTokensFunction", "idle: rotate tokens", "rotatetokens/daily.json"},
	{"MeasureStorageFunction", "idle: measure the storage", "measurestorage/hourly.json"},
	{"SealAuditFunction", "idle: seal the audit log", "sealaudit/hourly.json"},
}

// costOperation is an operation to measure.
type costOperation struct {
	name     string
	runs     int
	requests float64
	registry float64 // calls of the registry that wait for each other
	isPull   bool    // each run is another pull in the log
	send     func(ctx context.Context, i int) error
}

// costMeter collects what the stack reports.
type costMeter struct {
	*stack
	result usage.Measurement
	done   *tally // of background functions
	lines  float64
}

// costs writes what operations use into a file that cmd/capacity prices.
func (b *bench) costs(ctx context.Context, _ *stack) error {
	b.logProgress("starting another stack, which reports the units of each call")
	s, err := b.startStackIn(ctx, filepath.Join(b.dir, "costs"), "-dynamodb-units", "-dynamodb-delay", callDelay.String())
	if err != nil {
		return err
	}
	defer s.Stop()
	if err := b.importUsers(ctx, s, costUsers); err != nil {
		return err
	}
	operations, err := b.costOperations(ctx, s)
	if err != nil {
		return err
	}
	m := &costMeter{stack: s, done: newTally()}
	m.result.Date, m.result.Machine = time.Now().UTC().Format(time.DateOnly), figures.Machine()
	for _, o := range operations {
		b.logProgress("%d times: %s", o.runs, o.name)
		if err := m.measure(ctx, o); err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
	}
	if err := m.finish(ctx, b.repo); err != nil {
		return err
	}
	b.table.AddFigure("operations whose use of AWS is measured", "%d", len(m.result.Operations))
	text, err := json.MarshalIndent(m.result, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.repo, usageFile), append(text, '\n'), 0o600)
}

// measure runs an operation several times and adds its average.
func (m *costMeter) measure(ctx context.Context, o costOperation) error {
	for i := range costWarmUps {
		if err := o.send(ctx, i); err != nil {
			return err
		}
	}
	if err := m.quiet(ctx); err != nil {
		return err
	}
	before, err := m.cpuTimes()
	if err != nil {
		return err
	}
	if o.isPull {
		delete(m.done.functions, recordPullsFunction) // what other pulls used
	}
	used := newTally()
	for i := range o.runs {
		if err := o.send(ctx, costWarmUps+i); err != nil {
			return err
		}
		if err := m.collect(ctx, used); err != nil {
			return err
		}
	}
	after, err := m.cpuTimes()
	if err != nil {
		return err
	}
	m.lines += float64(o.runs+costWarmUps) * o.requests
	used.addCPU(before, after)
	operation := used.operation(o.name, float64(o.runs))
	operation.Requests = o.requests
	for name, f := range operation.Functions {
		f.Waits += o.registry
		operation.Functions[name] = f
	}
	m.result.Operations = append(m.result.Operations, operation)
	if !o.isPull {
		return nil
	}
	work := backgroundWork{name: backgrounds[recordPullsFunction], count: float64(o.runs), before: before}
	return m.addBackground(ctx, recordPullsFunction, work)
}

// backgroundWork is the number of pieces of work, or zero for the number of invocations, and the CPU times before them.
type backgroundWork struct {
	name   string
	count  float64
	before map[string]float64
}

// addBackground adds what a function has used in the background since the times before.
func (m *costMeter) addBackground(ctx context.Context, function string, work backgroundWork) error {
	if err := m.quiet(ctx); err != nil {
		return err
	}
	after, err := m.cpuTimes()
	if err != nil {
		return err
	}
	one := m.done.only(function)
	one.addCPU(work.before, after)
	if work.count == 0 {
		work.count = one.invocations()
	}
	if work.count > 0 && one.invocations() > 0 {
		m.result.Background = append(m.result.Background, one.operation(work.name, work.count))
	}
	return nil
}

// quiet waits until the functions in the background have finished, so that their CPU time is not added to the next
// operation.
func (m *costMeter) quiet(ctx context.Context) error {
	dropped := newTally() // of warm-ups
	for range quietChecks {
		select {
		case <-time.After(quietTime):
		case <-ctx.Done():
			return ctx.Err()
		}
		found := len(m.done.functions)
		before := m.done.invocations()
		if err := m.collect(ctx, dropped); err != nil {
			return err
		}
		if len(m.done.functions) == found && m.done.invocations() == before {
			return nil
		}
	}
	return errors.New("functions in the background do not finish")
}

// collect adds the use since the last call.
func (m *costMeter) collect(ctx context.Context, used *tally) error {
	calls, err := m.takeCalls(ctx)
	if err != nil {
		return err
	}
	var uses []localUse
	if err := m.control(ctx, report{path: "usage"}, &uses); err != nil {
		return err
	}
	byFunction := map[string][]call{}
	for _, c := range calls {
		name := functionOf(c.AccessKeyID)
		byFunction[name] = append(byFunction[name], c)
	}
	for name, calls := range byFunction {
		if to := m.tallyOf(name, used); to != nil {
			to.addCalls(name, calls)
		}
	}
	for _, u := range uses {
		if to := m.tallyOf(functionOf(u.Caller), used); to != nil {
			to.addUse(u)
		}
	}
	return nil
}

// tallyOf returns where the use of a function belongs. Other callers are the operator's commands.
func (m *costMeter) tallyOf(name string, used *tally) *tally {
	if _, isBackground := backgrounds[name]; isBackground {
		return m.done
	}
	if name == "" {
		return nil
	}
	return used
}

// finish adds the functions in the background, by their work.
func (m *costMeter) finish(ctx context.Context, repo string) error {
	for name, what := range backgrounds {
		if name == recordPullsFunction || what == "" {
			continue // measured with the pulls, or without work
		}
		work := backgroundWork{name: what}
		if name == countUsageFunction {
			work.count = m.lines
		}
		if err := m.addBackground(ctx, name, work); err != nil {
			return err
		}
	}
	if err := m.writeOldEvent(ctx); err != nil {
		return err
	}
	for _, idle := range scheduled {
		event, err := os.ReadFile(filepath.Join(repo, "events", idle.event))
		if err != nil {
			return err
		}
		if err := m.runIdle(ctx, idle.function, backgroundWork{name: idle.name}, event); err != nil {
			return fmt.Errorf("%s: %w", idle.name, err)
		}
	}
	sortByName(m.result.Background)
	return nil
}

// writeOldEvent writes an audit event of a complete hour. The first run of the sealing seals it, and the next ones have
// nothing to do, as in a stack that has worked for an hour.
func (m *costMeter) writeOldEvent(ctx context.Context) error {
	log := auditlog.New(m.Tables["AuditTable"], func() time.Time { return time.Now().Add(-3 * time.Hour) })
	client, _ := m.meteredClient()
	return transactions.Write(ctx, client, log.Write(coreaudit.WithActor(ctx, auditActor(0)), auditChange(0)))
}

// runIdle invokes a function without work. The runs before have started it.
func (m *costMeter) runIdle(ctx context.Context, function string, work backgroundWork, event []byte) (err error) {
	if err := m.invokeFunction(ctx, function, event); err != nil {
		return err
	}
	if err := m.quiet(ctx); err != nil {
		return err
	}
	if work.before, err = m.cpuTimes(); err != nil {
		return err
	}
	delete(m.done.functions, function)
	for range idleRuns {
		if err := m.invokeFunction(ctx, function, event); err != nil {
			return err
		}
		if err := m.collect(ctx, m.done); err != nil {
			return err
		}
	}
	return m.addBackground(ctx, function, work)
}

func (s *stack) invokeFunction(ctx context.Context, function string, event []byte) error {
	var answer struct{ FunctionError, Error string }
	err := s.control(ctx, report{"invoke/" + function, event}, &answer)
	if failed := answer.FunctionError + answer.Error; err == nil && failed != "" {
		return errors.New(failed)
	}
	return err
}

// report is what the stack answers only to its user.
type report struct {
	path string
	body []byte
}

// control takes a report of the stack.
func (s *stack) control(ctx context.Context, what report, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.API+"/_local/"+what.path, bytes.NewReader(what.body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.Control)
	response, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the report %s: %s", what.path, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(into)
}

// functionOf returns the function of an access key, of a role or of a log group. It returns "" for the operator, and
// ApiAccessLogs for the access log.
func functionOf(caller string) string {
	name := strings.TrimPrefix(caller, "ASIA")
	if i := strings.LastIndexAny(name, "/-"); i >= 0 {
		name = name[i+1:]
	}
	switch {
	case strings.HasSuffix(name, "FunctionRole"):
		return strings.TrimSuffix(name, "Role")
	case strings.HasSuffix(name, "Logs") && name != "ApiAccessLogs":
		return strings.TrimSuffix(name, "Logs") + "Function"
	case strings.HasSuffix(name, "Function"), name == "ApiAccessLogs":
		return name
	}
	return ""
}
