package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"portside/cmd/bench/figures"
)

// The stack of this measurement, and the number of requests of each kind.
const (
	dynamoDBDelay = 5 * time.Millisecond
	tripUsers     = 5_000
	tripRequests  = 30
	firstRequests = 5 // not counted
)

// operation is a kind of request, with the largest number of calls that may wait for each other.
type operation struct {
	what   string
	target float64
	send   func(ctx context.Context, i int) error
}

// call is a call of DynamoDB as the stack reports it. Its times are nanoseconds since the stack's start.
type call struct {
	AccessKeyID string `json:"accessKeyId"`
	Start, End  int64
	Units       struct{ Read, Write map[string]float64 }
}

// roundTrips measures how many calls of DynamoDB wait for each other, on a stack that delays each call. Nothing changes
// in the functions.
func (b *bench) roundTrips(ctx context.Context, _ *stack) error {
	b.logProgress("starting another stack, with %s before each call of DynamoDB", dynamoDBDelay)
	s, err := b.startStackIn(ctx, filepath.Join(b.dir, "delayed"), "-dynamodb-delay", dynamoDBDelay.String())
	if err != nil {
		return err
	}
	defer s.Stop()
	if err := b.importUsers(ctx, s, tripUsers); err != nil {
		return err
	}
	operations, err := s.operations(ctx)
	if err != nil {
		return err
	}
	b.logProgress("sending %d requests of %d kinds", firstRequests+tripRequests, len(operations))
	for _, o := range operations {
		if err := b.measureTrips(ctx, s, o); err != nil {
			return fmt.Errorf("%s: %w", o.what, err)
		}
	}
	return nil
}

// operations returns the requests to measure. Users are created before they are changed and deleted.
func (s *stack) operations(ctx context.Context) ([]operation, error) {
	path, err := s.adminPath(ctx)
	if err != nil {
		return nil, err
	}
	customer, err := s.customer(ctx)
	if err != nil {
		return nil, err
	}
	get := func(path func(i int) string) func(context.Context, int) error {
		return func(ctx context.Context, i int) error {
			_, err := s.send(ctx, getRequest(path(i)))
			return err
		}
	}
	fixed := func(path string) func(context.Context, int) error { return get(func(int) string { return path }) }
	created := &newUsers{stack: s}
	return []operation{
		{"get a user", 1, fixed(path)},
		{"first page of the users", 3, fixed("/v1/users?limit=20")},
		{"page of the users at random offsets", 4, get(func(i int) string { return fmt.Sprint("/v1/users?limit=20&offset=", 100+i*131) })},
		{"page of the viewers at random offsets", 4, get(func(i int) string {
			return fmt.Sprint("/v1/users?role=viewer&limit=20&offset=", 100+i*21)
		})},
		{"search users by the second word of the name", 3, get(func(i int) string {
			return fmt.Sprintf("/v1/users/search?limit=20&q=example%%20%05d", i)
		})},
		{"create a user", 3, created.create},
		{"update a user", 3, created.update},
		{"create an API key for another user", 3, created.createKey},
		{"delete a user", 3, created.delete},
		{"create a token", 2, s.createToken},
		{"list tokens", 2, fixed("/api/v1/tokens")},
		{"index of the charts", 1, func(ctx context.Context, _ int) error {
			_, err := customer.get(ctx, s.API+"/charts/index.yaml", http.StatusOK)
			return err
		}},
		{"dashboard over a day", 2, fixed("/v1/analytics/dashboard?period=today")},
	}, nil
}

// newUsers are created, changed and deleted in the order of their numbers.
type newUsers struct {
	stack *stack
	paths []string
}

func (u *newUsers) create(ctx context.Context, i int) error {
	body, err := u.stack.send(ctx, postRequest("/v1/users",
		fmt.Sprintf(`{"email":"trip%d@example.com","name":"Trip","role":"user","sendActivationEmail":false}`, i)))
	if err != nil {
		return err
	}
	var made struct{ Data struct{ ID string } }
	if err := json.Unmarshal(body, &made); err != nil || made.Data.ID == "" {
		return errors.Join(fmt.Errorf("no user in %s", body), err)
	}
	u.paths = append(u.paths, "/v1/users/"+made.Data.ID)
	return nil
}

func (u *newUsers) update(ctx context.Context, i int) error {
	_, err := u.stack.send(ctx, request{http.MethodPut, u.paths[i], jsonType, []byte(`{"name":"Changed"}`)})
	return err
}

func (u *newUsers) createKey(ctx context.Context, i int) error {
	_, err := u.stack.send(ctx, postRequest(u.paths[i]+"/api-keys", `{"name":"trip"}`))
	return err
}

func (u *newUsers) delete(ctx context.Context, i int) error {
	_, err := u.stack.send(ctx, request{method: http.MethodDelete, path: u.paths[i]})
	return err
}

func (s *stack) createToken(ctx context.Context, i int) error {
	_, err := s.send(ctx, postRequest("/api/v1/tokens", fmt.Sprintf(`{"name":"trip%d","scopes":["read:helm-charts"]}`, i)))
	return err
}

// measureTrips adds the chain of calls and the time of an operation. The first requests start the function.
func (b *bench) measureTrips(ctx context.Context, s *stack, o operation) error {
	var requests [][]call
	var times []float64
	for i := range firstRequests + tripRequests {
		if _, err := s.takeCalls(ctx); err != nil {
			return err
		}
		began := time.Now()
		if err := o.send(ctx, i); err != nil {
			return err
		}
		took := milliseconds(time.Since(began))
		calls, err := s.takeCalls(ctx)
		if err != nil {
			return err
		}
		if i >= firstRequests {
			requests, times = append(requests, calls), append(times, took)
		}
	}
	what := fmt.Sprintf("%s, %s before each call: ", o.what, dynamoDBDelay)
	b.table.AddAtMost(what+"calls one after the other", medianChain(requests), o.target, "calls")
	b.table.AddFigure(what+"median", "%s ms", figures.Number(figures.Quantile(times, 0.5)))
	return nil
}

// takeCalls returns the calls since it was last called.
func (s *stack) takeCalls(ctx context.Context) ([]call, error) {
	var taken struct{ Recent []call }
	err := s.control(ctx, report{path: "dynamodb/calls"}, &taken)
	return taken.Recent, err
}

// medianChain returns the median of the longest chains of calls. Each function has its own access key. Only calls of
// the function that called in most requests count, because others, such as the one that counts log lines, may have
// worked at the same time.
func medianChain(requests [][]call) float64 {
	chains := map[string][]float64{}
	for _, calls := range requests {
		byKey := map[string][]call{}
		for _, c := range calls {
			byKey[c.AccessKeyID] = append(byKey[c.AccessKeyID], c)
		}
		for key, calls := range byKey {
			chains[key] = append(chains[key], float64(chain(calls)))
		}
	}
	most := []float64{0}
	for _, ofKey := range chains {
		if len(ofKey) > len(most) {
			most = ofKey
		}
	}
	return figures.Quantile(most, 0.5)
}

// chain returns the largest number of calls of which each began after the one before it had ended. The call that ends
// first is always part of such a chain.
func chain(calls []call) int {
	sorted := slices.SortedFunc(slices.Values(calls), func(a, b call) int { return cmp.Compare(a.End, b.End) })
	length, end := 0, int64(-1)
	for _, c := range sorted {
		if c.Start > end {
			length, end = length+1, c.End
		}
	}
	return length
}
