package stack

import (
	"portside/local/crashpoint"
	"portside/local/iam"
)

// crashPoints returns the guard that kills functions at their calls of AWS.
func (s *Stack) crashPoints() crashpoint.Guard {
	return crashpoint.Guard{
		Hook:       s.options.Crash,
		FunctionOf: s.functionOf,
		Kill:       func(function string) { s.runtime.KillBusy(function) },
	}
}

// IsBusy reports whether a process of a function works on an invocation.
func (s *Stack) IsBusy(function string) bool { return s.runtime.IsBusy(function) }

// functionOf returns the function whose role has an access key ID.
func (s *Stack) functionOf(accessKeyID string) string {
	for _, f := range s.template.Load().Functions {
		if iam.NewSession(f.Role).AccessKeyID == accessKeyID {
			return f.ID
		}
	}
	return ""
}

// crashPointsOfS3 returns the address at which callers reach the S3 engine. It is the engine's own, unless calls can kill functions.
func (s *Stack) crashPointsOfS3(engine string) (string, error) {
	if s.options.Crash == nil {
		return engine, nil
	}
	proxy, err := crashpoint.Proxy(engine)
	if err != nil {
		return "", err
	}
	return s.startServer("S3", s.crashPoints().Wrap(proxy))
}
