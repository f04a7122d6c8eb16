package stack

import (
	"cmp"
	"io"
	"path/filepath"
	"time"

	"portside/local/crashpoint"
)

// Options are the settings of a stack. Empty fields have the defaults of `make run`.
type Options struct {
	Addr      string // default 127.0.0.1:3000; port 0 means a free port
	RepoDir   string // folder of template.yaml and Makefile; default is the working directory
	DataDir   string // default .local/data below RepoDir
	RateLimit *int   // RateLimitPerMinute; nil means the template's default
	// Parameters override the template's parameters by name.
	Parameters map[string]string
	Color      bool // colors in the log
	Log        io.Writer
	// KeepLog makes Log short, and writes all lines to LogFile.
	KeepLog bool
	// RetryDelays are those of async.Config, for failed asynchronous invocations.
	RetryDelays []time.Duration
	// BuildOnRequest starts the stack before all functions are built. They are built in the background, and first those that are invoked.
	BuildOnRequest bool
	// BuildEngines starts the stack before the S3 server and the registry are built. They are built in the background; functions whose
	// roles permit calls of S3 or ECR wait for them. Then Crash does not see calls of S3.
	BuildEngines bool
	// Emulator is the path of a program that runs the functions as built for AWS, on arm64. If it is empty, they are built for this
	// machine.
	Emulator string
	// DynamoDBDelay is added to each call of DynamoDB, to measure how many calls wait for each other.
	DynamoDBDelay time.Duration
	// FreeBytes returns the free space of the disk with a folder; nil means that of the operating system.
	FreeBytes func(dir string) (float64, error)
	// Concurrency limits the concurrent invocations of the functions without reserved concurrency; 0 means AWS's default.
	Concurrency int
	// DynamoDBUnits makes the stack report the units of each call of DynamoDB.
	DynamoDBUnits bool
	// Crash decides which calls of AWS kill their function. Nil kills none.
	Crash crashpoint.Hook
}

// Data returns the data folder.
func (o Options) Data() string {
	return cmp.Or(o.DataDir, filepath.Join(o.RepoDir, ".local", "data"))
}
