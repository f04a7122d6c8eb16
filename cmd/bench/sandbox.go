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
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// invocationLimit is that of the slowest function behind the gateway.
const invocationLimit = 29 * time.Second

// sandbox is a function's process whose events come from the benchmark itself, so that nothing but the function is in the
// figures. It takes one event at a time, and must be ended with stop.
type sandbox struct {
	cmd    *exec.Cmd
	server *http.Server
	api    *runtimeAPI
	began  time.Time // its exec
	ended  chan struct{}
}

// openSandbox starts the function's binary of the stack that runs.
func (b *bench) openSandbox(s *stack, f subject) (*sandbox, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	api := &runtimeAPI{events: make(chan []byte), handed: make(chan time.Time, 1), answers: make(chan answer, 1)}
	box := &sandbox{
		api: api, server: &http.Server{Handler: api, ReadHeaderTimeout: invocationLimit},
		cmd: exec.Command(filepath.Join(b.repo, ".local", "build", f.id, "bootstrap")), ended: make(chan struct{}),
	}
	go func() { _ = box.server.Serve(listener) }() // ends with Close
	box.cmd.Env = s.environment(f, listener.Addr().String())
	box.began = time.Now()
	if err := box.cmd.Start(); err != nil {
		return nil, errors.Join(err, box.server.Close())
	}
	go func() {
		_ = box.cmd.Wait() // it is killed, which is what Wait tells
		close(box.ended)
	}()
	return box, nil
}

func (box *sandbox) stop() {
	_ = box.cmd.Process.Kill() // it may be gone
	<-box.ended
	_ = box.server.Close() // its only client is gone
}

// invoke hands the function an event and returns its answer, which must be a 200. What the function does before it asks for
// the event is not in the answer's time.
func (box *sandbox) invoke(ctx context.Context, event []byte) (answer, error) {
	a, err := box.hand(ctx, event)
	if err != nil {
		return a, err
	}
	return a, a.check()
}

// hand is invoke for a function whose answers are no HTTP.
func (box *sandbox) hand(ctx context.Context, event []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, invocationLimit)
	defer cancel()
	select {
	case box.api.events <- event:
	case <-box.ended:
		return answer{}, errors.New("the function ended")
	case <-ctx.Done():
		return answer{}, errors.New("the function asked for no event")
	}
	handed := <-box.api.handed
	select {
	case a := <-box.api.answers:
		a.took = a.at.Sub(handed)
		return a, a.err
	case <-box.ended:
		return answer{}, errors.New("the function ended at an event")
	case <-ctx.Done():
		return answer{}, errors.New("the function did not answer")
	}
}

// peak is the most memory that the process ever had, in MB.
func (box *sandbox) peak() (float64, error) {
	text, err := os.ReadFile(procPath(box.cmd.Process.Pid, "status"))
	if err != nil {
		return 0, err
	}
	return megabytes(string(text), "VmHWM:")
}

// runtimeAPI is the part of the Lambda Runtime API that events and answers need.
type runtimeAPI struct {
	events  chan []byte
	handed  chan time.Time // when an event went out
	answers chan answer
}

// answer is when the function answered, and what.
type answer struct {
	at   time.Time
	took time.Duration // from the event to the answer
	body []byte
	err  error
}

// ServeHTTP lets a request for work wait for an event.
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
		_, _ = w.Write(event) // a function that is gone is seen by its end
	case <-r.Context().Done():
	}
}

// check replaces the answer by the body in it.
func (a *answer) check() error {
	var response events.APIGatewayV2HTTPResponse
	err := errors.Join(a.err, json.Unmarshal(a.body, &response))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("the function answered %s", a.body)
	}
	a.body = []byte(response.Body)
	return err
}
