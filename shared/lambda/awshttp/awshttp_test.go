package awshttp_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdkhttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/lambda/awshttp"
)

// exchange is one call to a server that answers before the client has noticed that it sent the whole call. Busy
// machines do that.
type exchange struct {
	client   *awshttp.Client
	reading  chan struct{} // closed when the SDK reads the answer
	once     sync.Once
	written  chan error // the outcome of sending the call
	writes   atomic.Int64
	received chan string
	endpoint string
}

func newExchange(t *testing.T) *exchange {
	t.Helper()
	x := &exchange{reading: make(chan struct{}), written: make(chan error, 1), received: make(chan string, 1)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		x.received <- string(body)
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(server.Close)
	x.endpoint = server.URL
	x.client = awshttp.From(sdkhttp.NewBuildableClient().WithTransportOptions(func(transport *http.Transport) {
		transport.DialContext = x.dial
	}))
	return x
}

func (x *exchange) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	return &slowConn{conn, x}, err
}

// slowConn returns from Write only when the SDK reads the answer, if the server has the whole call by then.
type slowConn struct {
	net.Conn
	x *exchange
}

func (c *slowConn) Write(data []byte) (int, error) {
	n, err := c.Conn.Write(data)
	c.x.writes.Add(1)
	if strings.HasSuffix(string(data), end) {
		<-c.x.reading
	}
	return n, err
}

// Do implements aws.HTTPClient.
func (x *exchange) Do(r *http.Request) (*http.Response, error) {
	trace := &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) { x.written <- info.Err }}
	response, err := x.client.Do(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	if err == nil {
		response.Body = &answer{response.Body, x}
	}
	return response, err
}

type answer struct {
	io.ReadCloser
	x *exchange
}

func (a *answer) Read(p []byte) (int, error) {
	a.x.once.Do(func() { close(a.x.reading) })
	return a.ReadCloser.Read(p)
}

// end is the end of the calls.
const end = `e"}},"TableName":"t"}`

func TestFastAnswersLeaveTheConnectionOpen(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(*testing.T, *exchange) error{
		"small body": putItem(100),
		"body larger than the buffer of net/http": putItem(10_000),
		"body that is not copied":                 putItem(100_000),
		"file":                                    putObject,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newExchange(t)
			if err := call(t, x); err != nil {
				t.Error(err)
			}
			if body := <-x.received; !strings.HasSuffix(body, end) {
				t.Errorf("the server received %d bytes without the end", len(body))
			}
			if err := <-x.written; err != nil {
				t.Errorf("net/http could not send the call: %v", err)
			}
		})
	}
}

func TestSmallCallIsOneWrite(t *testing.T) {
	t.Parallel()
	x := newExchange(t)
	if err := putItem(100)(t, x); err != nil {
		t.Fatal(err)
	}
	if n := x.writes.Load(); n != 1 {
		t.Errorf("%d writes to the connection, want 1", n)
	}
}

func putItem(size int) func(*testing.T, *exchange) error {
	return func(t *testing.T, x *exchange) error {
		t.Helper()
		client := dynamodb.New(dynamodb.Options{
			BaseEndpoint: &x.endpoint, HTTPClient: x, Region: "eu-central-1", DisableValidateResponseChecksum: true,
			Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""), RetryMaxAttempts: 1,
		})
		value := strings.Repeat("v", size) + "e"
		_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{
			Item: map[string]types.AttributeValue{"z": &types.AttributeValueMemberS{Value: value}}, TableName: aws.String("t"),
		})
		return err
	}
}

func putObject(t *testing.T, x *exchange) error {
	t.Helper()
	client := s3.New(s3.Options{
		BaseEndpoint: &x.endpoint, HTTPClient: x, Region: "eu-central-1", UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""), RetryMaxAttempts: 1,
	})
	_, err := client.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String("b"), Key: aws.String("k"), Body: strings.NewReader(strings.Repeat("f", 1<<20) + end),
	})
	return err
}
