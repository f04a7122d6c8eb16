package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"portside/local/engines"
	"portside/local/ses"
)

// What the functions believe about where they are. The keys are no secrets: the engines listen on
// this machine alone.
const (
	region          = engines.Region
	accountID       = "000000000000"
	accessKeyID     = "local"
	secretAccessKey = "local-secret"
)

// engineGrace is how long an engine may take to end itself.
const engineGrace = time.Second

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
		return s.damaged(err)
	}
	s.keep("DynamoDB", p)
	s.setInfo(func(i *Info) { i.DynamoDB = p.Endpoint })
	return s.damaged(engines.CreateTables(ctx, p.Endpoint, s.template.Load().Tables))
}

// database is the DynamoDB engine's file in the data folder.
const database = "dynamodb.db"

// damaged puts what SQLite and the engine say of a file that is none of theirs into a line for the user.
func (s *Stack) damaged(err error) error {
	if err == nil {
		return nil
	}
	for _, words := range []string{"not a valid SQLite database", "file is not a database", "disk image is malformed"} {
		if strings.Contains(err.Error(), words) {
			return fmt.Errorf("%s is damaged or not a database: delete %s to start afresh",
				s.relative(filepath.Join(s.options.DataDir, database)), s.relative(s.options.DataDir))
		}
	}
	return err
}

func (s *Stack) startS3(ctx context.Context) error {
	binary, err := s.binary("s3server")
	if err != nil {
		return err
	}
	log, err := s.engineLog("s3")
	if err != nil {
		return err
	}
	p, err := engines.StartS3(ctx, engines.S3{
		Binary:    binary,
		Dir:       filepath.Join(s.options.DataDir, "s3"),
		AccessKey: accessKeyID,
		SecretKey: secretAccessKey,
		EventsURL: s.notifyAt,
		Log:       log,
	})
	if err != nil {
		return err
	}
	s.keep("S3", p)
	s.setInfo(func(i *Info) {
		i.S3, i.AccessKeyID, i.SecretAccessKey = p.Endpoint, accessKeyID, secretAccessKey
	})
	access := engines.S3Access{Endpoint: p.Endpoint, AccessKey: accessKeyID, SecretKey: secretAccessKey}
	return engines.CreateBuckets(ctx, access, s.template.Load().Buckets)
}

// binary is the path of an engine that make builds.
func (s *Stack) binary(name string) (string, error) {
	path := filepath.Join(s.options.RepoDir, ".local", "bin", name)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf(".local/bin/%s is missing: run `make engines`", name)
	}
	return path, nil
}

// engineLog keeps what an engine prints, which is only of interest when it misbehaves.
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

// Fetch sees to it that the DynamoDB engine is there, and returns its path. DYNOXIDE names one to
// be used instead.
func (o Options) Fetch(ctx context.Context, progress io.Writer) (string, error) {
	return engines.Dynoxide{
		Path:     filepath.Join(o.RepoDir, ".local", "bin", "dynoxide"),
		Binary:   os.Getenv("DYNOXIDE"),
		Progress: progress,
	}.Install(ctx)
}

// keep sees to the end of an engine: ours, or its own.
func (s *Stack) keep(name string, p *engines.Process) {
	s.onStop(func(context.Context) error {
		p.Stop(engineGrace)
		return nil
	})
	go func() {
		<-p.Done()
		if !s.isStopping() {
			s.failed <- fmt.Errorf("%s has ended, %s: start the stack again", name, oneLine(p.Tail(), p.Err()))
		}
	}()
}

func (s *Stack) setInfo(change func(*Info)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.info)
}

func (s *Stack) startMail(context.Context) error {
	outbox, err := ses.NewOutbox(filepath.Join(s.options.DataDir, "outbox"), time.Now)
	if err != nil {
		return err
	}
	s.outbox = outbox
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: outbox.API(), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("the mail port: %w", err)
		}
	}()
	s.onStop(func(context.Context) error { return server.Close() })
	s.setInfo(func(i *Info) { i.SES = "http://" + listener.Addr().String() })
	return nil
}
