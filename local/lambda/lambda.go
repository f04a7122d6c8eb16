// Package lambda runs functions as AWS Lambda runs them: each sandbox is one process of the
// function's binary, which asks the Lambda Runtime API for work and serves one request at a time.
//
// What must stay true: a process never has two invocations; what a function inherits is exactly
// the environment that the template gives it; and no process outlives the Runtime that started it.
// Functions run as processes rather than inside this one, so that the binary under test is the
// binary that is deployed, and so that a crash costs one invocation, as it does in the cloud.
package lambda

import (
	"errors"
	"time"
)

// Unhandled is the FunctionError of an invocation that ended in an error of the function's own:
// a returned error, a panic, an exit or a timeout.
const Unhandled = "Unhandled"

// MaxPayloadBytes is the largest synchronous request and the largest response, in bytes.
const MaxPayloadBytes = 6 << 20

// Result is the answer of a function that ran.
type Result struct {
	// Payload is the function's response or, with a FunctionError, Lambda's description of the
	// failure: an object with errorMessage and errorType.
	Payload []byte
	// FunctionError is empty, or Unhandled.
	FunctionError string
	// Cold says that the invocation waited for a process to start.
	Cold bool
	// Duration is the time the function had the event, without waiting and starting.
	Duration time.Duration
}

// What an invocation can fail with other than by the function's own error. ErrTimeout and
// ErrResponseTooLarge come with a Result whose Payload is what Lambda answers.
var (
	ErrUnknownFunction  = errors.New("unknown function")
	ErrTimeout          = errors.New("function timed out")
	ErrThrottled        = errors.New("all sandboxes of the function are busy")
	ErrPayloadTooLarge  = errors.New("request payload exceeds 6 MB")
	ErrResponseTooLarge = errors.New("response payload exceeds 6 MB")
	ErrStopped          = errors.New("the Lambda runtime has stopped")
)
