package stack

import (
	"context"
	"errors"
	"io/fs"

	"portside/local/build"
	"portside/local/lambda"
	"portside/local/usage"
)

// Invoke invokes a function. If its sources have changed, it waits for the rebuild first.
func (s *Stack) Invoke(ctx context.Context, function string, payload []byte) (lambda.Result, error) {
	if err := s.waitForBuild(ctx, function); err != nil {
		return lambda.Result{}, err
	}
	return built{s}.Invoke(ctx, function, payload)
}

// built invokes functions without waiting for their builds, because the gateway has waited already.
type built struct{ *Stack }

func (b built) Invoke(ctx context.Context, function string, payload []byte) (lambda.Result, error) {
	b.used.Add(usage.Use{Caller: function, Kind: usage.Invocations, Amount: 1})
	return b.runtime.Invoke(ctx, function, payload)
}

// waitForBuild waits until the function's binary includes all saves of its sources, and until the engines that it calls are built.
func (s *Stack) waitForBuild(ctx context.Context, function string) error {
	err := s.watcher.Wait(ctx, function)
	if err == nil {
		return s.waitForEngines(ctx, function)
	}
	if _, isBuild := errors.AsType[*build.Error](err); !isBuild && errors.Is(err, fs.ErrNotExist) {
		s.reportDataLost()
	}
	return err
}

// mistakeIn waits until a function can be invoked, and returns why it cannot.
func (s *Stack) mistakeIn(ctx context.Context, function string) (string, error) {
	err := s.waitForBuild(ctx, function)
	if failed, ok := errors.AsType[*build.Error](err); ok {
		return failed.Error(), nil
	}
	if errors.Is(err, errEngineNotBuilt) {
		return err.Error(), nil
	}
	return "", err
}
