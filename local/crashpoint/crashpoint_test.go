package crashpoint_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"portside/local/crashpoint"
	"portside/local/faultproxy"
)

// service counts the calls that it serves.
type service struct{ served int }

// ServeHTTP implements http.Handler.
func (s *service) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.served++
	_, _ = w.Write([]byte("response"))
}

// call sends a DynamoDB call that is signed with an access key to a guarded service. The function Probe has the key
// "ASIAProbe".
func call(t *testing.T, accessKey string, g crashpoint.Guard) (gotResponse bool, served int) {
	t.Helper()
	g.FunctionOf = func(key string) string {
		function, isSession := strings.CutPrefix(key, "ASIA")
		if !isSession {
			return ""
		}
		return function
	}
	engine := &service{}
	guarded := g.Wrap(engine)
	// The client's call fails before the server's goroutine ends, which still writes what the caller reads.
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		guarded.ServeHTTP(w, r)
	}))
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+accessKey+"/20260102/us-east-1/dynamodb/aws4_request")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.PutItem")
	response, err := server.Client().Do(r)
	<-ended
	if err != nil {
		return false, engine.served
	}
	return response.Body.Close() == nil, engine.served
}

func TestActions(t *testing.T) {
	put := crashpoint.Call{Function: "Probe", Call: faultproxy.Call{Service: faultproxy.DynamoDB, Operation: "PutItem"}}
	for action, want := range map[crashpoint.Action]struct {
		gotResponse bool
		served      int
		killed      string
	}{
		crashpoint.Forward:    {true, 1, ""},
		crashpoint.KillBefore: {false, 0, "Probe"},
		crashpoint.KillAfter:  {false, 1, "Probe"},
	} {
		t.Run(fmt.Sprint("action ", action), func(t *testing.T) {
			var seen crashpoint.Call
			killed := ""
			gotResponse, served := call(t, "ASIAProbe", crashpoint.Guard{
				Hook: func(c crashpoint.Call) crashpoint.Action { seen = c; return action },
				Kill: func(function string) { killed = function },
			})
			if gotResponse != want.gotResponse || served != want.served || killed != want.killed || seen != put {
				t.Errorf("response %v, served %d, killed %q, call %+v", gotResponse, served, killed, seen)
			}
		})
	}
}

func TestCallsOfTheDeveloperPass(t *testing.T) {
	gotResponse, served := call(t, "local", crashpoint.Guard{
		Hook: func(crashpoint.Call) crashpoint.Action { return crashpoint.KillBefore },
	})
	if !gotResponse || served != 1 {
		t.Errorf("response %v, served %d", gotResponse, served)
	}
}

func TestReads(t *testing.T) {
	for operation, want := range map[string]bool{"GetItem": true, "PutItem": false, http.MethodHead: true,
		http.MethodPost: false} {
		if got := (crashpoint.Call{Call: faultproxy.Call{Operation: operation}}).IsRead(); got != want {
			t.Errorf("%s: %v", operation, got)
		}
	}
}
