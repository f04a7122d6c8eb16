package stack

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"portside/local/dynamoproxy"
	"portside/local/engines"
	"portside/local/iam"
	"portside/local/ses"
)

// The functions' AWS settings. The keys are not secret, because the engines listen only on this
// machine.
const (
	region          = engines.Region
	accountID       = "000000000000"
	accessKeyID     = "local"
	secretAccessKey = "local-secret"
)

// engineStopTimeout is the time that an engine has to exit before it is killed.
const engineStopTimeout = time.Second

func (s *Stack) startDynamoDB(ctx context.Context) error {
	binary, err := s.options.Fetch(ctx, s.console)
	if err != nil {
		return err
	}
	log, err := s.engineLog("dynamodb")
	if err != nil {
		return err
	}
	p, err := engines.StartDynamoDB(ctx, engines.DynamoDB{
		Binary: binary,
		DBPath: filepath.Join(s.options.DataDir, database),
		Log:    log,
	})
	if err != nil {
		return s.explainDamage(err)
	}
	s.supervise("DynamoDB", p)
	if err := s.explainDamage(engines.CreateTables(ctx, p.Endpoint, s.template.Load().Tables)); err != nil {
		return err
	}
	return s.startDynamoDBProxy(p.Endpoint)
}

// startDynamoDBProxy starts the address at which all callers reach the engine. Like the engine's, it is unpredictable.
func (s *Stack) startDynamoDBProxy(engine string) error {
	proxy, err := dynamoproxy.New(dynamoproxy.Config{Engine: engine, Delay: s.options.DynamoDBDelay, Units: s.options.DynamoDBUnits})
	if err != nil {
		return err
	}
	s.dynamoDB = proxy
	endpoint, err := s.startServerOn(engines.RandomLoopbackHost(), "DynamoDB", s.crashPoints().Wrap(s.guardDynamoDB(proxy)))
	s.setInfo(func(i *Info) { i.DynamoDB = endpoint })
	return err
}

// database is the name of the DynamoDB engine's file in the data folder.
const database = "dynamodb.db"

// explainDamage replaces errors of SQLite and the engine about a corrupt file by one line for the
// user.
func (s *Stack) explainDamage(err error) error {
	if err == nil {
		return nil
	}
	for _, words := range []string{"not a valid SQLite database", "file is not a database", "disk image is malformed"} {
		if strings.Contains(err.Error(), words) {
			return fmt.Errorf("%s is corrupt or not a database: delete %s to start with empty data",
				s.relative(filepath.Join(s.options.DataDir, database)), s.relative(s.options.DataDir))
		}
	}
	return err
}

func (s *Stack) startS3(ctx context.Context) error {
	c, err := s.s3Settings()
	if err != nil {
		return err
	}
	p, err := engines.StartS3(ctx, c)
	if err != nil {
		return err
	}
	s.supervise("S3", p)
	endpoint, err := s.crashPointsOfS3(p.Endpoint)
	if err != nil {
		return err
	}
	s.setS3(endpoint)
	return engines.CreateBuckets(ctx, s3Access(p.Endpoint), s.template.Load().Buckets)
}

func (s *Stack) s3Settings() (engines.S3, error) {
	binary, err := s.binary(s3Engine)
	if err != nil {
		return engines.S3{}, err
	}
	log, err := s.engineLog("s3")
	return engines.S3{
		Binary:    binary,
		Dir:       filepath.Join(s.options.DataDir, "s3"),
		AccessKey: accessKeyID,
		SecretKey: secretAccessKey,
		EventsURL: s.eventsURL, AuthorizeURL: s.authorizeURL,
		Log: log,
	}, err
}

func (s *Stack) setS3(endpoint string) {
	s.setInfo(func(i *Info) {
		i.S3, i.AccessKeyID, i.SecretAccessKey = endpoint, accessKeyID, secretAccessKey
	})
}

// s3Access returns the stack's own access to the S3 server.
func s3Access(endpoint string) engines.S3Access {
	return engines.S3Access{Endpoint: endpoint, AccessKey: accessKeyID, SecretKey: secretAccessKey}
}

// binary returns the path of an engine that make builds. While the stack runs make, the engine may be missing.
func (s *Stack) binary(name string) (string, error) {
	path := filepath.Join(s.options.RepoDir, ".local", "bin", name)
	if _, err := os.Stat(path); err != nil && !s.options.BuildEngines {
		return "", fmt.Errorf(".local/bin/%s is missing: run `make engines`", name)
	}
	return path, nil
}

// engineLog creates the log file of an engine.
func (s *Stack) engineLog(name string) (*os.File, error) {
	dir := filepath.Join(s.options.DataDir, "logs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, name+".log"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	s.onStop(func(context.Context) error { return file.Close() })
	return file, nil
}

// Fetch installs the DynamoDB engine if necessary and returns its path. The environment variable
// DYNOXIDE overrides the path.
func (o Options) Fetch(ctx context.Context, progress io.Writer) (string, error) {
	return engines.Dynoxide{
		Path:     filepath.Join(o.RepoDir, ".local", "bin", "dynoxide"),
		Binary:   os.Getenv("DYNOXIDE"),
		Progress: progress,
	}.Install(ctx)
}

// supervise stops the engine with the stack, and reports a failure if the engine exits before.
func (s *Stack) supervise(name string, p *engines.Process) {
	s.onStop(func(context.Context) error {
		p.Stop(engineStopTimeout)
		return nil
	})
	s.reportExit(name, p)
}

// reportExit reports a failure if the engine exits before the stack stops.
func (s *Stack) reportExit(name string, p *engines.Process) {
	go func() {
		<-p.Done()
		if !s.isStopping() {
			s.failed <- fmt.Errorf("%s has exited (%s): start the stack again", name, lastLine(p.Tail(), p.Err()))
		}
	}()
}

func (s *Stack) setInfo(change func(*Info)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.info)
}

func (s *Stack) startSES(context.Context) error {
	outbox, err := ses.NewOutbox(filepath.Join(s.options.DataDir, "outbox"), time.Now)
	if err != nil {
		return err
	}
	s.outbox = outbox
	endpoint, err := s.startServer("SES", s.crashPoints().Wrap(iam.SES(s.authorizer, arn).Guard(outbox.API())))
	s.setInfo(func(i *Info) { i.SES = endpoint })
	return err
}
