package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"portside/cmd/bench/processes"
)

// invocationLimit is the time limit of the slowest function behind the gateway.
const invocationLimit = 29 * time.Second

// sandbox is a function's process that gets its events directly from the benchmark, so the figures
// include nothing but the function. It handles one event at a time. The owner must call stop.
type sandbox struct {
	cmd    *exec.Cmd
	server *http.Server
	api    *runtimeAPI
	began  time.Time // when the process was started
	ended  chan struct{}
}

// openSandbox starts the function's binary that the running stack has built.
func (b *bench) openSandbox(s *stack, f functionUnderTest) (*sandbox, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	api := &runtimeAPI{events: make(chan []byte), handed: make(chan time.Time, 1), answers: make(chan answer, 1)}
	box := &sandbox{
		api: api, server: &http.Server{Handler: api, ReadHeaderTimeout: invocationLimit},
		cmd: exec.Command(b.binary(f)), ended: make(chan struct{}),
	}
	go func() { _ = box.server.Serve(listener) }() // ends with Close
	box.cmd.Env = s.environment(f, listener.Addr().String())
	box.began = time.Now()
	if err := box.cmd.Start(); err != nil {
		return nil, errors.Join(err, box.server.Close())
	}
	go func() {
		_ = box.cmd.Wait() // Wait reports only that the process was killed
		close(box.ended)
	}()
	return box, nil
}

func (box *sandbox) stop() {
	_ = box.cmd.Process.Kill() // it may have exited
	<-box.ended
	_ = box.server.Close() // its only client has exited
}

// invoke passes an event to the function and returns its response, which must have the status 200.
// The measured time does not include what the function does before it asks for the event.
func (box *sandbox) invoke(ctx context.Context, event []byte) (answer, error) {
	a, err := box.handEvent(ctx, event)
	if err != nil {
		return a, err
	}
	err = a.check(http.StatusOK)
	return a, err
}

// handEvent is like invoke, for a function whose responses are not HTTP.
func (box *sandbox) handEvent(ctx context.Context, event []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, invocationLimit)
	defer cancel()
	select {
	case box.api.events <- event:
	case <-box.ended:
		return answer{}, errors.New("the function exited")
	case <-ctx.Done():
		return answer{}, errors.New("the function did not ask for an event")
	}
	handed := <-box.api.handed
	select {
	case a := <-box.api.answers:
		a.took = a.at.Sub(handed)
		return a, a.err
	case <-box.ended:
		return answer{}, errors.New("the function exited while it handled an event")
	case <-ctx.Done():
		return answer{}, errors.New("the function did not respond")
	}
}

// peak returns the peak memory of the process in MB.
func (box *sandbox) peak() (float64, error) {
	text, err := os.ReadFile(processes.Path(box.cmd.Process.Pid, "status"))
	if err != nil {
		return 0, err
	}
	return processes.Megabytes(string(text), "VmHWM:")
}

// runtimeAPI is the part of the Lambda Runtime API for events and responses.
type runtimeAPI struct {
	events  chan []byte
	handed  chan time.Time // when an event was passed on
	answers chan answer
}

// answer is a response of the function and when it arrived.
type answer struct {
	at   time.Time
	took time.Duration // from the event to the response
	body []byte
	err  error
}

// ServeHTTP makes a request for work wait for an event.
func (a *runtimeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/next") {
		at := time.Now()
		body, err := io.ReadAll(r.Body)
		a.answers <- answer{at: at, body: body, err: err}
		w.WriteHeader(http.StatusAccepted)
		return
	}
	select {
	case event := <-a.events:
		now := time.Now()
		a.handed <- now
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", "bench")
		w.Header().Set("Lambda-Runtime-Deadline-Ms", fmt.Sprint(now.Add(invocationLimit).UnixMilli()))
		_, _ = w.Write(event) // invoke notices a function that has exited
	case <-r.Context().Done():
	}
}

// check replaces the response with its HTTP body. It returns an error unless the response has the status.
func (a *answer) check(status int) error {
	var response events.APIGatewayV2HTTPResponse
	err := errors.Join(a.err, json.Unmarshal(a.body, &response))
	if err == nil && response.StatusCode != status {
		err = fmt.Errorf("the function responded %s", a.body)
	}
	a.body = []byte(response.Body)
	return err
}
