// Package lambda runs functions as AWS Lambda does: each sandbox is one process of the function's
// binary, which gets invocations from the Lambda Runtime API, one at a time.
//
// A process never has two invocations at once. A function's environment has only the variables
// that Lambda and the template set. No process outlives the Runtime that started it. Functions run
// as separate processes, so that the tested binary is the deployed binary, and so that a crash
// fails only one invocation.
package lambda

import (
	"errors"
	"time"
)

// Unhandled is the FunctionError of an invocation in which the function failed: it returned an
// error, panicked, exited or timed out.
const Unhandled = "Unhandled"

// MaxPayloadBytes is Lambda's limit on a synchronous request and on a response.
const MaxPayloadBytes = 6 << 20

// Result is the result of an invocation.
type Result struct {
	// Payload is the function's response. With a FunctionError, it is Lambda's description of the
	// failure, an object with errorMessage and errorType.
	Payload []byte
	// FunctionError is empty, or Unhandled.
	FunctionError string
	// Cold is true if a process was started for the invocation.
	Cold bool
	// Duration is the time from delivery of the event to the answer, without waiting and process
	// start.
	Duration time.Duration
}

// Errors of Invoke. With ErrTimeout and ErrResponseTooLarge, the Result's Payload is Lambda's
// answer.
var (
	ErrUnknownFunction  = errors.New("unknown function")
	ErrTimeout          = errors.New("function timed out")
	ErrThrottled        = errors.New("the concurrency of the function or of the account is used up: its sandboxes are busy")
	ErrPayloadTooLarge  = errors.New("request payload exceeds 6 MB")
	ErrResponseTooLarge = errors.New("response payload exceeds 6 MB")
	ErrStopped          = errors.New("the Lambda runtime has stopped")
)
