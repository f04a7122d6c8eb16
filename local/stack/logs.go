package stack

import (
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

func subscriptions(t *template.Stack) []logs.Subscription {
	var all []logs.Subscription
	for _, s := range t.Subscriptions {
		all = append(all, logs.Subscription{ID: s.ID, Function: s.Function, Group: s.LogGroup, Pattern: s.Pattern})
	}
	return all
}
