package lambda

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/google/uuid"
)

// invocation is one event that one process handles.
type invocation struct {
	id        string
	payload   []byte
	cold      bool
	delivered time.Time // to a process; before that, the time of creation

	once      sync.Once
	answered  chan struct{} // closed when answer and duration are set
	completed chan struct{} // closed when the process requests its next invocation
	answer    answer
	duration  time.Duration
}

// outcome holds the results of Invoke.
type outcome struct {
	result Result
	err    error
}

func newInvocation(payload []byte) *invocation {
	return &invocation{
		id:        uuid.NewString(),
		payload:   payload,
		delivered: time.Now(),
		answered:  make(chan struct{}),
		completed: make(chan struct{}),
	}
}

// finish sets the invocation's answer. Only the first call has an effect.
func (i *invocation) finish(a answer) {
	i.once.Do(func() {
		i.answer = a
		i.duration = time.Since(i.delivered)
		close(i.answered)
	})
}

func (i *invocation) outcome() outcome {
	return outcome{err: i.answer.err, result: Result{
		Payload:       i.answer.payload,
		FunctionError: i.answer.functionError,
		Cold:          i.cold,
		Duration:      i.duration,
	}}
}

// answer is the result of an invocation, from its process or, if that failed, from the Runtime.
type answer struct {
	payload       []byte
	functionError string
	err           error
	platform      string // log line of the Runtime, if the function could not log the failure
}

// exitFailure returns Lambda's answer for a process that exited during an invocation or its
// initialization.
func (s *sandbox) exitFailure(requestID string) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.initError != nil {
		return answer{payload: s.initError, functionError: Unhandled}
	}
	reason := "Runtime exited without providing a reason"
	if exit, ok := errors.AsType[*exec.ExitError](s.process.Err()); ok {
		reason = "Runtime exited with error: " + exit.Error()
	}
	return unhandled("Runtime.ExitError", fmt.Sprintf("RequestId: %s Error: %s", requestID, reason))
}

func timeoutFailure(requestID string, limit time.Duration) answer {
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	a := unhandled("", fmt.Sprintf("%s %s Task timed out after %.2f seconds", now, requestID, limit.Seconds()))
	a.err = ErrTimeout
	return a
}

func initTimeout(requestID string, limit time.Duration) answer {
	a := unhandled("Sandbox.Timedout",
		fmt.Sprintf("RequestId: %s Error: Init timed out after %.2f seconds", requestID, limit.Seconds()))
	a.err = ErrTimeout
	return a
}

func responseTooLarge() answer {
	a := unhandled("Function.ResponseSizeTooLarge",
		fmt.Sprintf("Response payload size exceeded maximum allowed payload size (%d bytes).", maxResponseBytes))
	a.err = ErrResponseTooLarge
	return a
}

func unhandled(kind, message string) answer {
	payload, err := json.Marshal(struct {
		Message string `json:"errorMessage"`
		Type    string `json:"errorType,omitempty"`
	}{message, kind})
	if err != nil {
		panic(err) // two strings always marshal
	}
	return answer{payload: payload, functionError: Unhandled, platform: message}
}
