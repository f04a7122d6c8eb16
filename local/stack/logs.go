package stack

import (
	"crypto/rand"
	"encoding/hex"

	"portside/local/gateway"
	"portside/local/lambda"
	"portside/local/logs"
	"portside/local/template"
)

// putLine brings what a function prints into its log group.
func (s *Stack) putLine(l lambda.Line) {
	for _, f := range s.template.Load().Functions {
		if f.ID == l.Function {
			s.logs.Put(f.LogGroup, l.Stream, l.Text)
		}
	}
}

// accessLog brings the gateway's lines into their group, to a new stream each time: as with API Gateway, nobody may count on there
// being one, or on its name.
func (s *Stack) accessLog(l *template.AccessLog) *gateway.AccessLog {
	if l == nil {
		return nil
	}
	name := make([]byte, 16)
	_, _ = rand.Read(name) // never fails
	stream := hex.EncodeToString(name)
	return &gateway.AccessLog{Format: l.Format, Put: func(line string) { s.logs.Put(l.LogGroup, stream, line) }}
}

func subscriptions(t *template.Stack) []logs.Subscription {
	var all []logs.Subscription
	for _, s := range t.Subscriptions {
		all = append(all, logs.Subscription{ID: s.ID, Function: s.Function, Group: s.LogGroup, Pattern: s.Pattern})
	}
	return all
}
