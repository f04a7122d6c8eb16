// Package schedule invokes functions when their schedules say so, as EventBridge does: it reads
// rate(…) and cron(…) expressions, computes when they are due, and makes up the events.
//
// What must stay true: times are UTC and whole minutes for cron; an invocation never delays the
// next one, since AWS starts the next run whether or not the last has ended; and a computer that
// slept runs what it missed once, not once for each time missed. Waiting uses the time package
// alone, so that tests run it in a synctest bubble, where hours pass at once.
package schedule

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Job is one schedule of a template. Its fields are those of template.Schedule, so that one
// converts to the other; this package cannot import that one, which checks expressions with it.
type Job struct {
	ID         string
	Function   string
	Expression string
	// Input is the JSON payload; empty for the event that AWS makes up.
	Input   string
	Enabled bool
	// Type is "Schedule" (an EventBridge rule) or "ScheduleV2" (EventBridge Scheduler).
	Type string
}

// Account is where the events say they come from.
type Account struct{ Region, ID string }

// event is what EventBridge sends; the order of the fields is AWS's.
type event struct {
	Version    string   `json:"version"`
	ID         string   `json:"id"`
	DetailType string   `json:"detail-type"`
	Source     string   `json:"source"`
	Account    string   `json:"account"`
	Time       string   `json:"time"`
	Region     string   `json:"region"`
	Resources  []string `json:"resources"`
	Detail     any      `json:"detail"`
}

// Payload is the event for a run that was due at that time.
func (j Job) Payload(a Account, due time.Time) []byte {
	id := uuid.NewString()
	if j.Input != "" {
		return []byte(j.expandInput(a, due, id))
	}
	e := event{
		Version: "0", ID: id, DetailType: "Scheduled Event", Source: "aws.events", Account: a.ID,
		Time: formatTime(due), Region: a.Region, Resources: []string{j.arn(a)}, Detail: struct{}{},
	}
	if j.isV2() {
		// Scheduler's templated target sends the detail as text, an oddity that functions see.
		e.Source, e.Detail = "aws.scheduler", "{}"
	}
	payload, err := json.Marshal(e)
	if err != nil {
		panic(err) // strings only: cannot happen
	}
	return payload
}

func (j Job) isV2() bool { return j.Type == "ScheduleV2" }

func (j Job) arn(a Account) string {
	if j.isV2() {
		return "arn:aws:scheduler:" + a.Region + ":" + a.ID + ":schedule/default/" + j.ID
	}
	return "arn:aws:events:" + a.Region + ":" + a.ID + ":rule/" + j.ID
}

// expandInput puts values in place of the words that EventBridge Scheduler knows; rules know none.
func (j Job) expandInput(a Account, due time.Time, id string) string {
	if !j.isV2() {
		return j.Input
	}
	return strings.NewReplacer(
		"<aws.scheduler.schedule-arn>", j.arn(a),
		"<aws.scheduler.scheduled-time>", formatTime(due),
		"<aws.scheduler.execution-id>", id,
		"<aws.scheduler.attempt-number>", "1",
	).Replace(j.Input)
}

// ValidInput is true for what can be sent to a function: nothing, or JSON.
func ValidInput(input string) bool {
	sample := Job{Type: "ScheduleV2", Input: input}
	return input == "" || json.Valid([]byte(sample.expandInput(Account{}, time.Time{}, "")))
}

func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
