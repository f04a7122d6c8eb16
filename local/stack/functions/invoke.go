package functions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"portside/local/lambda"
	"portside/local/usage"
)

// Invoke invokes a function. If its sources have changed, it waits for the rebuild first.
func (f *Functions) Invoke(ctx context.Context, function string, payload []byte) (lambda.Result, error) {
	if err := f.waitForBuild(ctx, function); err != nil {
		return lambda.Result{}, err
	}
	return f.Built().Invoke(ctx, function, payload)
}

// Built returns the functions for the gateway, which has waited for their builds already.
func (f *Functions) Built() BuiltFunctions { return BuiltFunctions{f} }

// BuiltFunctions invokes functions without waiting for their builds.
type BuiltFunctions struct{ functions *Functions }

// Invoke invokes a function.
func (b BuiltFunctions) Invoke(ctx context.Context, function string, payload []byte) (lambda.Result, error) {
	b.functions.config.Used.Add(usage.Use{Caller: function, Kind: usage.Invocations, Amount: 1})
	return b.functions.runtime.Invoke(ctx, function, payload)
}

// Invocation is the result of an invocation: Lambda's result or, in Error, a line for the user.
type Invocation struct {
	Payload       []byte `json:"payload"` // any bytes; base64 in JSON
	FunctionError string `json:"functionError,omitempty"`
	Error         string `json:"error,omitempty"`
}

// InvokeAndExplain is Invoke, with all errors in the result as lines for the user.
func (f *Functions) InvokeAndExplain(ctx context.Context, function string, event []byte) Invocation {
	result, err := f.Invoke(ctx, function, event)
	answer := Invocation{Payload: result.Payload, FunctionError: result.FunctionError}
	switch {
	case errors.Is(err, lambda.ErrUnknownFunction):
		known := strings.Join(f.config.Deployment.Functions(), ", ")
		answer.Error = fmt.Sprintf("unknown function %q; the template has %s", function, known)
	case err != nil && result.FunctionError == "":
		answer.Error = err.Error()
	}
	return answer
}

// RotateStep invokes a function for one step of a rotation. The function's name in an ARN
// begins with the stack's name.
func (f *Functions) RotateStep(ctx context.Context, function string, event []byte) error {
	_, id, found := strings.Cut(function, "-")
	if !found {
		id = function
	}
	answer := f.InvokeAndExplain(ctx, id, event)
	if answer.Error != "" {
		return errors.New(answer.Error)
	}
	if answer.FunctionError == "" {
		return nil
	}
	var failure struct {
		Message string `json:"errorMessage"`
	}
	if json.Unmarshal(answer.Payload, &failure) != nil || failure.Message == "" {
		return errors.New(answer.FunctionError)
	}
	return errors.New(failure.Message)
}
