// Package schedule is the local stack's EventBridge Scheduler: it parses rate(…) and cron(…)
// expressions, computes when they are due, and invokes functions with EventBridge's events.
//
// Times are in UTC, and cron has a resolution of minutes. An invocation never delays the next one,
// because AWS starts a run whether or not the last has ended. After a computer slept, each schedule
// runs once, not once for each missed time. Waiting uses only the time package, so that tests can
// use synctest's fake clock.
package schedule

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Job is one schedule of a template. It has the fields of template.Schedule, so that Go can convert
// one to the other. This package cannot import package template, which imports it to check
// expressions.
type Job struct {
	ID         string
	Function   string
	Expression string
	// Input is the JSON payload; empty means the default event of EventBridge.
	Input   string
	Enabled bool
	// Type is "Schedule" (an EventBridge rule) or "ScheduleV2" (EventBridge Scheduler).
	Type string
}

// Account is the AWS region and account in the events.
type Account struct{ Region, ID string }

// event is EventBridge's default event, with fields in AWS's order.
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

// Payload returns the event for the run that is due at the given time.
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
		// EventBridge Scheduler sends the detail as a string.
		e.Source, e.Detail = "aws.scheduler", "{}"
	}
	payload, err := json.Marshal(e)
	if err != nil {
		panic(err) // strings always marshal
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

// expandInput replaces the context attributes of EventBridge Scheduler. EventBridge rules have
// none.
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

// ValidInput is true for an empty input and for JSON.
func ValidInput(input string) bool {
	sample := Job{Type: "ScheduleV2", Input: input}
	return input == "" || json.Valid([]byte(sample.expandInput(Account{}, time.Time{}, "")))
}

func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
