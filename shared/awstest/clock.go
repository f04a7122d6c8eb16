package awstest

import "time"

// RealTime returns the time of this machine. It is for what a real engine, the transport or a deadline compares with its
// own clock. Every other test uses a fixed time, so that its result is the same on every day.
func RealTime() time.Time { return time.Now() } //nolint:forbidigo // the one place where tests read the real clock
