package delivery

import (
	"crypto/rand"
	"encoding/hex"

	"portside/local/async"
	"portside/local/gateway"
	"portside/local/lambda"
	"portside/local/logs"
	"portside/local/stack/deployment"
	"portside/local/template"
	"portside/local/usage"
)

// Logs are the log groups of a stack. Functions can subscribe to them.
type Logs struct {
	deployment *deployment.Deployment
	used       *usage.Counter
	groups     *logs.Groups
}

func newLogs(c Config, deliver func(async.Event)) *Logs {
	return &Logs{
		deployment: c.Deployment, used: c.Used,
		groups: logs.New(logs.Config{AccountID: deployment.AccountID, Deliver: deliver}),
	}
}

// PutLine puts a line of a function's output into the function's log group.
func (l *Logs) PutLine(line lambda.Line) {
	if f, found := l.deployment.Function(line.Function); found {
		l.put(f.LogGroup, line.Stream, line.Text)
	}
}

func (l *Logs) put(group, stream, line string) {
	l.used.AddRecord(group, line)
	l.groups.Put(group, stream, line)
}

// AccessLog puts the gateway's lines into their log group. The name of the stream is random, because functions must not
// depend on API Gateway's names. Without an access log in the template, it returns nil.
func (l *Logs) AccessLog(to *template.AccessLog) *gateway.AccessLog {
	if to == nil {
		return nil
	}
	name := make([]byte, 16)
	_, _ = rand.Read(name) // never fails
	stream := hex.EncodeToString(name)
	return &gateway.AccessLog{Format: to.Format, Put: func(line string) { l.put(to.LogGroup, stream, line) }}
}

func (l *Logs) subscribe(t *template.Stack) {
	var all []logs.Subscription
	for _, s := range t.Subscriptions {
		all = append(all, logs.Subscription{ID: s.ID, Function: s.Function, Group: s.LogGroup, Pattern: s.Pattern})
	}
	l.groups.Subscribe(all)
}
