package stack

import (
	"crypto/rand"
	"encoding/hex"

	"portside/local/gateway"
	"portside/local/lambda"
	"portside/local/logs"
	"portside/local/template"
)

// logLine puts a line of a function's output into the function's log group.
func (s *Stack) logLine(l lambda.Line) {
	for _, f := range s.template.Load().Functions {
		if f.ID == l.Function {
			s.putLine(f.LogGroup, l.Stream, l.Text)
		}
	}
}

func (s *Stack) putLine(group, stream, line string) {
	s.used.AddRecord(group, line)
	s.logs.Put(group, stream, line)
}

// accessLog puts the gateway's lines into their log group, in a stream with a random name, because
// functions must not depend on API Gateway's stream names.
func (s *Stack) accessLog(l *template.AccessLog) *gateway.AccessLog {
	if l == nil {
		return nil
	}
	name := make([]byte, 16)
	_, _ = rand.Read(name) // never fails
	stream := hex.EncodeToString(name)
	return &gateway.AccessLog{Format: l.Format, Put: func(line string) { s.putLine(l.LogGroup, stream, line) }}
}

func subscriptions(t *template.Stack) []logs.Subscription {
	var all []logs.Subscription
	for _, s := range t.Subscriptions {
		all = append(all, logs.Subscription{ID: s.ID, Function: s.Function, Group: s.LogGroup, Pattern: s.Pattern})
	}
	return all
}
