package iam

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// Question is what an engine in another process asks an Authorizer: which requests its session may make.
type Question struct {
	Session  Session   `json:"session"`
	Requests []Request `json:"requests"`
	// IsUncounted keeps the requests out of the counts of Observe, because the engine asks only once about several.
	IsUncounted bool `json:"isUncounted,omitempty"`
}

// Answer is the response to a Question.
type Answer struct {
	Principal string     `json:"principal"` // ARN of the session
	Decisions []Decision `json:"decisions"` // one for each request; none if the session is invalid
}

// ServeHTTP answers a Question. It logs denied requests.
func (a *Authorizer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q Question
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCallBytes)).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(a.answer(q)) // fails if the engine has exited
}

func (a *Authorizer) answer(q Question) Answer {
	var answer Answer
	for _, request := range q.Requests {
		err := a.decide(q.Session, request)
		decision := Allow
		denial, denied := errors.AsType[*Denial](err)
		switch {
		case denied && denial.IsExplicit:
			decision = Deny
		case err != nil:
			decision = NoMatch
		}
		answer.Decisions = append(answer.Decisions, decision)
	}
	if role, ok := q.Session.RoleID(); ok {
		answer.Principal = a.principal(role)
	}
	for i, decision := range answer.Decisions {
		if decision == Allow && !q.IsUncounted {
			a.count(q.Session, q.Requests[i])
		}
	}
	return answer
}

// Ask sends a Question to the Authorizer at a URL.
func Ask(ctx context.Context, client *http.Client, url string, q Question) (answer Answer, err error) {
	body, err := json.Marshal(q)
	if err != nil {
		return answer, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return answer, err
	}
	response, err := client.Do(request)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	err = json.NewDecoder(response.Body).Decode(&answer)
	if got, want := len(answer.Decisions), len(q.Requests); err == nil && got != want {
		err = fmt.Errorf("the authorizer answered %s with %d decisions about %d requests", response.Status, got, want)
	}
	return answer, err
}
