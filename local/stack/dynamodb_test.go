package stack_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"portside/local/dynamoproxy"
)

// takeCalls requests the calls of DynamoDB and returns the status as well.
func takeCalls(t *testing.T, api, control string) (dynamoproxy.Calls, int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, api+"/_local/dynamodb/calls", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+control)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var calls dynamoproxy.Calls
	if response.StatusCode == http.StatusOK {
		if err := json.NewDecoder(response.Body).Decode(&calls); err != nil {
			t.Fatal(err)
		}
	}
	return calls, response.StatusCode
}

func TestCallsOfDynamoDBAreCountedAndDelayed(t *testing.T) {
	o := options(repo(t))
	o.DynamoDBDelay = 3 * time.Millisecond
	s := start(t, o)
	perform(t, s.Info().API,
		step{"PUT", "/notes/1", "remember", 204, ""},
		step{"GET", "/notes/1", "", 200, "remember"},
	)
	calls, status := takeCalls(t, s.Info().API, s.Info().Control)
	if status != http.StatusOK || calls.ByOperation["PutItem"] != 1 || calls.ByOperation["GetItem"] != 1 {
		t.Errorf("%d: %+v, want one PutItem and one GetItem", status, calls)
	}
	for _, c := range calls.Recent {
		if c.End-c.Start < o.DynamoDBDelay {
			t.Errorf("%+v was not delayed", c)
		}
	}
	if _, status := takeCalls(t, s.Info().API, "wrong"); status != http.StatusForbidden {
		t.Errorf("without the control token: %d, want 403", status)
	}
}
