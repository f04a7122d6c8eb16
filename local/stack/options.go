package stack

import (
	"cmp"
	"context"
	"io"
	"maps"
	"path/filepath"
	"strconv"
	"time"

	"portside/local/crashpoint"
	"portside/local/stack/folder"
	"portside/local/stack/operator"
	"portside/local/stack/services"
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
	// BuildOnRequest starts the stack before all functions are built. They are built in the background, and first those
	// that are invoked.
	BuildOnRequest bool
	// BuildEngines starts the stack before the S3 server and the registry are built. They are built in the background;
	// functions whose roles permit calls of S3 or ECR wait for them. Then Crash does not see calls of S3.
	BuildEngines bool
	// Emulator is the path of a program that runs the functions as built for AWS, on arm64. If it is empty, they are
	// built for this machine.
	Emulator string
	// DynamoDBDelay is added to each call of DynamoDB, to measure how many calls wait for each other.
	DynamoDBDelay time.Duration
	// FreeBytes returns the free space of the disk with a folder; nil asks the operating system.
	FreeBytes func(dir string) (float64, error)
	// Concurrency limits the concurrent invocations of the functions without reserved concurrency; 0 means AWS's
	// default.
	Concurrency int
	// DynamoDBUnits makes the stack report the units of each call of DynamoDB.
	DynamoDBUnits bool
	// Crash decides which calls of AWS kill their function. Nil kills none.
	Crash crashpoint.Hook
}

// Data returns the data folder.
func (o Options) Data() string { return cmp.Or(o.DataDir, folder.Default(o.RepoDir)) }

// KeyFile returns the path of the first admin's API key.
func (o Options) KeyFile() string { return operator.KeyFile(o.Data()) }

// LogFile returns the path of the file that has all lines since the start of the stack, if KeepLog is set. The file
// with ".1" at the end of its name has the last lines of the run before.
func (o Options) LogFile() string { return folder.LogFile(o.Data()) }

// Fetch installs the DynamoDB engine if necessary and returns its path. The environment variable
// DYNOXIDE overrides the path.
func (o Options) Fetch(ctx context.Context, progress io.Writer) (string, error) {
	return services.Fetch(ctx, o.RepoDir, progress)
}

func (o Options) folder() folder.Folder { return folder.Folder{Path: o.DataDir, Repo: o.RepoDir} }

// parameters returns the values of the template's parameters.
func (o Options) parameters() map[string]string {
	parameters := map[string]string{}
	if o.RateLimit != nil {
		parameters["RateLimitPerMinute"] = strconv.Itoa(*o.RateLimit)
	}
	maps.Copy(parameters, o.Parameters)
	return parameters
}

// withDefaults sets empty fields, and makes the folders absolute.
func (o Options) withDefaults() (Options, error) {
	o.Addr = cmp.Or(o.Addr, "127.0.0.1:3000")
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.FreeBytes == nil {
		o.FreeBytes = folder.FreeBytes
	}
	var err error
	if o.RepoDir, err = filepath.Abs(cmp.Or(o.RepoDir, ".")); err != nil {
		return o, err
	}
	o.DataDir, err = filepath.Abs(o.Data())
	return o, err
}
