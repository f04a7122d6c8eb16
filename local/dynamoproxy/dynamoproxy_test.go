package dynamoproxy_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/local/dynamoproxy"
	"portside/local/engines"
	"portside/local/template"
	"portside/testclient"
)

// startEngine returns the URL of an engine with the table "notes".
func startEngine(tb testing.TB) string {
	tb.Helper()
	binary, err := filepath.Abs(filepath.Join("..", "..", ".local", "bin", "dynoxide"))
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		tb.Fatalf("run `make engines` first: %v", err)
	}
	p, err := engines.StartDynamoDB(tb.Context(), engines.DynamoDB{Binary: binary})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(p.Kill)
	notes := template.Table{
		Name: "notes", Attributes: []template.Attribute{{Name: "id", Type: "S"}}, Keys: []template.Key{{Name: "id", Type: "HASH"}},
	}
	if err := engines.CreateTables(tb.Context(), p.Endpoint, []template.Table{notes}); err != nil {
		tb.Fatal(err)
	}
	return p.Endpoint
}

// serve runs a proxy and returns it with its URL.
func serve(tb testing.TB, c dynamoproxy.Config) (*dynamoproxy.Proxy, string) {
	tb.Helper()
	proxy, err := dynamoproxy.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	server := httptest.NewServer(proxy)
	tb.Cleanup(server.Close)
	return proxy, server.URL
}

func client(endpoint string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: engines.Region, BaseEndpoint: aws.String(endpoint), RetryMaxAttempts: 1, HTTPClient: testclient.SDKClient{},
		Credentials: credentials.NewStaticCredentialsProvider("key-of-notes", "secret", ""),
	})
}

func note(id string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: id}}
}

func put(ctx context.Context, to *dynamodb.Client, item map[string]types.AttributeValue) error {
	_, err := to.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String("notes"), Item: item, ConditionExpression: aws.String("attribute_not_exists(id)"),
	})
	return err
}

func get(ctx context.Context, from *dynamodb.Client, id string) (map[string]types.AttributeValue, error) {
	out, err := from.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("notes"), Key: note(id)})
	if err != nil {
		return nil, err
	}
	return out.Item, nil
}

func TestForwardsRequestsAndAnswers(t *testing.T) {
	proxy, url := serve(t, dynamoproxy.Config{Engine: startEngine(t)})
	to, large := client(url), note("large")
	large["text"] = &types.AttributeValueMemberS{Value: strings.Repeat("0123456789", 30_000)}
	for _, item := range []map[string]types.AttributeValue{note("small"), large} {
		if err := put(t.Context(), to, item); err != nil {
			t.Fatal(err)
		}
	}
	item, err := get(t.Context(), to, "large")
	if err != nil || len(item["text"].(*types.AttributeValueMemberS).Value) != 300_000 {
		t.Errorf("the large item has %d attributes, %v", len(item), err)
	}
	err = put(t.Context(), to, note("small"))
	if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); !ok {
		t.Errorf("an error of the engine reaches the caller as %v", err)
	}
	calls := proxy.TakeCalls()
	if calls.ByOperation["PutItem"] != 3 || calls.ByOperation["GetItem"] != 1 || len(calls.Recent) != 4 {
		t.Errorf("calls = %+v, want three PutItem and one GetItem", calls)
	}
	for _, c := range calls.Recent {
		if c.AccessKeyID != "key-of-notes" || c.End < c.Start {
			t.Errorf("call = %+v", c)
		}
	}
	if again := proxy.TakeCalls(); len(again.ByOperation)+len(again.Recent) != 0 {
		t.Errorf("taken twice: %+v", again)
	}
}

// TestCallsOverlapOnlyIfTheyRunAtOnce derives from the calls which of them waited for another.
func TestCallsOverlapOnlyIfTheyRunAtOnce(t *testing.T) {
	const delay = 20 * time.Millisecond
	proxy, url := serve(t, dynamoproxy.Config{Engine: startEngine(t), Delay: delay})
	to := client(url)
	for range 20 {
		if _, err := get(t.Context(), to, "1"); err != nil {
			t.Fatal(err)
		}
	}
	calls := proxy.TakeCalls().Recent
	for i, c := range calls {
		if c.End-c.Start < delay {
			t.Errorf("call %d was not delayed: %+v", i, c)
		}
		if i > 0 && c.Start < calls[i-1].End {
			t.Errorf("call %d waited for %+v but is %+v", i, calls[i-1], c)
		}
	}
	if len(calls) != 20 {
		t.Errorf("%d calls, want 20", len(calls))
	}
}

func TestCallerThatLeavesEndsTheDelay(t *testing.T) {
	proxy, err := dynamoproxy.New(dynamoproxy.Config{Engine: startEngine(t), Delay: 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	arrived := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		proxy.ServeHTTP(w, r)
	}))
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-arrived
		leave()
	}()
	if _, err := get(ctx, client(server.URL), "1"); !errors.Is(err, context.Canceled) {
		t.Errorf("get = %v, want that it is canceled", err)
	}
	server.Close() // waits for the call
	if calls := proxy.TakeCalls(); calls.ByOperation["GetItem"] != 1 {
		t.Errorf("calls = %+v, want the one that ended", calls)
	}
}

// TestConnectionsPersist sends all requests over one connection, and counts the connections that the proxy opens to the
// engine. The client of the standard library opens another one if its goroutine that writes has not ended 50 ms after
// the response, as on a busy machine.
func TestConnectionsPersist(t *testing.T) {
	const requests, mostToEngine = 50, 5
	var toEngine atomic.Int64
	engine := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = w.Write([]byte("{}"))
	}))
	engine.Config.ConnState = countNew(&toEngine)
	engine.Start()
	defer engine.Close()
	_, url := serve(t, dynamoproxy.Config{Engine: engine.URL})
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	responses := bufio.NewReader(connection)
	for n := range requests {
		if err := postOver(t, connection, responses, url); err != nil {
			t.Fatalf("request %d over one connection: %v", n+1, err)
		}
	}
	if n := toEngine.Load(); n > mostToEngine {
		t.Errorf("%d connections to the engine for %d requests, want one and at most %d", n, requests, mostToEngine)
	}
}

// postOver sends a request over an open connection and reads the response.
func postOver(t *testing.T, connection io.Writer, responses *bufio.Reader, url string) error {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	if err := r.Write(connection); err != nil {
		return err
	}
	response, err := http.ReadResponse(responses, r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return errors.Join(err, response.Body.Close())
}

func post(t *testing.T, url string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func countNew(connections *atomic.Int64) func(net.Conn, http.ConnState) {
	return func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
}

func TestKeepsOnlyRecentCalls(t *testing.T) {
	proxy, url := serve(t, dynamoproxy.Config{Engine: startEngine(t)})
	to := client(url)
	var workers sync.WaitGroup
	for worker := range 5 {
		workers.Go(func() {
			for i := range 501 {
				if _, err := get(t.Context(), to, strconv.Itoa(worker*1_000+i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
	calls := proxy.TakeCalls()
	if calls.ByOperation["GetItem"] != 2_505 || len(calls.Recent) != 1_000 {
		t.Errorf("%v calls, %d of them recent; want 2,505 and 1,000", calls.ByOperation, len(calls.Recent))
	}
}

func TestEngineThatDoesNotAnswer(t *testing.T) {
	_, url := serve(t, dynamoproxy.Config{Engine: "http://127.0.0.1:1"})
	response := post(t, url)
	defer response.Body.Close()
	if response.StatusCode != http.StatusBadGateway { // which the SDK repeats
		t.Errorf("status %s, want 502", response.Status)
	}
	if _, err := dynamoproxy.New(dynamoproxy.Config{Engine: "://"}); err == nil {
		t.Error("an invalid URL is no error")
	}
}

// TestUnitsAreReported reads and writes through a proxy with Units. Callers still get the normal responses.
func TestUnitsAreReported(t *testing.T) {
	proxy, url := serve(t, dynamoproxy.Config{Engine: startEngine(t), Units: true})
	to := client(url)
	if err := put(t.Context(), to, note("1")); err != nil {
		t.Fatal(err)
	}
	if item, err := get(t.Context(), to, "1"); err != nil || len(item) != 1 {
		t.Errorf("the item is %v, %v", item, err)
	}
	calls := proxy.TakeCalls().Recent
	if len(calls) != 2 || calls[0].Units.Write["notes"] != 1 || calls[1].Units.Read["notes"] != 0.5 {
		t.Errorf("calls = %+v, want a write unit and half a read unit", calls)
	}
}
