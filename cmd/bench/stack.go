package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/cmd/bench/figures"
	"portside/cmd/bench/processes"
)

// Targets of the local stack and of a function in it.
const (
	restartRatio    = 150 // times the start of a bare function
	restartStarts   = 11
	idleTarget      = 150   // MB, all processes
	getRatio        = 4.5   // of a user through the gateway, times a bare GetItem
	residentTarget  = 25    // MB, one sandbox
	residentAfter   = 5_000 // requests
	timedRequests   = 3_000
	connections     = 8
	loadRequests    = 8_000
	idleObservation = time.Minute
)

// info is what a running stack writes to $DATA/stack.json.
type info struct {
	API             string            `json:"api"`
	DynamoDB        string            `json:"dynamodb"`
	S3              string            `json:"s3"`
	SES             string            `json:"ses"`
	Registry        string            `json:"registry"`
	Region          string            `json:"region"`
	AccessKeyID     string            `json:"accessKeyId"`
	SecretAccessKey string            `json:"secretAccessKey"`
	Tables          map[string]string `json:"tables"`
	Buckets         map[string]string `json:"buckets"`
	Control         string            `json:"control"`
}

// stack is a running local stack.
type stack struct {
	*processes.Child
	info
	adminKey string
	data     string // folder
	client   *http.Client
}

// dynamoDB returns a client for the stack's DynamoDB.
func (i info) dynamoDB() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(i.DynamoDB), Region: i.Region,
		Credentials: credentials.NewStaticCredentialsProvider(i.AccessKeyID, i.SecretAccessKey, ""),
	})
}

// s3 returns a client for the stack's S3.
func (i info) s3() *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: aws.String(i.S3), Region: i.Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(i.AccessKeyID, i.SecretAccessKey, ""),
	})
}

// start starts the stack. To measure the start itself it starts the stack twice: the first start
// builds the functions and creates the data, the second is timed and used.
func (b *bench) start(ctx context.Context) (*stack, error) {
	b.logProgress("starting the local stack; the first start builds the functions")
	first, err := b.startStack(ctx)
	if err != nil {
		return nil, err
	}
	if err := awaitBuilds(ctx, first.Child); err != nil {
		first.Stop()
		return nil, err
	}
	if !b.wants("stack") {
		return first, nil
	}
	first.Stop()
	began := time.Now()
	s, err := b.startStack(ctx)
	if err != nil {
		return nil, err
	}
	took := milliseconds(time.Since(began))
	if err := b.addRestart(ctx, s, took); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// quietAfterBuilds is how long a stack must build nothing until awaitBuilds takes the builds as done. Between two
// builds, the stack looks for changed sources.
const quietAfterBuilds = 2 * time.Second

// awaitBuilds waits until the stack has built all functions. The stack prints that it is ready before these builds end.
// A build would slow down the measurement.
func awaitBuilds(ctx context.Context, c *processes.Child) error {
	for quiet := time.Duration(0); quiet < quietAfterBuilds; {
		const pause = 100 * time.Millisecond
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.Ended:
			return errors.New("the local stack ended while it built functions")
		case <-time.After(pause):
		}
		isBusy, err := isBuilding(c)
		if err != nil {
			return err
		}
		if quiet += pause; isBusy {
			quiet = 0
		}
	}
	return nil
}

// isBuilding reports whether the child runs make, which builds each function.
func isBuilding(c *processes.Child) (bool, error) {
	pids, err := processes.Tree(c.Cmd.Process.Pid)
	return slices.ContainsFunc(pids, func(pid int) bool {
		name, _ := os.ReadFile(processes.Path(pid, "comm")) // a process may have exited
		return strings.TrimSpace(string(name)) == "make"
	}), err
}

// addRestart compares a start of the stack with starts of a bare function.
func (b *bench) addRestart(ctx context.Context, s *stack, took float64) error {
	bare, err := b.buildBaseline(ctx, "bare")
	if err != nil {
		return err
	}
	first := firstEvent{functionUnderTest: bare, event: s.event(getRequest("/"))}
	times, err := figures.Alternate(restartStarts, func(int) (float64, error) { return b.startFunction(ctx, s, first) })
	if err != nil {
		return err
	}
	c := figures.Comparison{
		What: "local stack: second start, nothing to build", With: "the start of " + bareFunction,
		Times: []float64{took}, Baseline: times[0],
	}
	b.table.AddComparison(c, restartRatio)
	return nil
}

func (b *bench) startStack(ctx context.Context) (*stack, error) {
	return b.startStackIn(ctx, filepath.Join(b.dir, "data"))
}

// startStackIn starts a stack with a data folder and more options of `local run`.
func (b *bench) startStackIn(ctx context.Context, data string, options ...string) (*stack, error) {
	options = append([]string{"run", "-repo", b.repo, "-data", data, "-addr", "127.0.0.1:0", "-rate-limit", "0"}, options...)
	cmd := exec.Command(b.localBinary(), options...)
	running, err := processes.Start(ctx, cmd, "Portside is ready")
	if err != nil {
		return nil, fmt.Errorf("start the local stack: %w", err)
	}
	s := &stack{Child: running, data: data, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}}
	if err := s.readData(data); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *stack) readData(data string) error {
	text, err := os.ReadFile(filepath.Join(data, "stack.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &s.info); err != nil {
		return fmt.Errorf("stack.json: %w", err)
	}
	key, err := os.ReadFile(filepath.Join(data, "admin-key"))
	s.adminKey = strings.TrimSpace(string(key))
	return err
}

// adminPath returns the path of the only user of a new stack.
func (s *stack) adminPath(ctx context.Context) (string, error) {
	body, err := s.send(ctx, getRequest("/v1/users?limit=1"))
	if err != nil {
		return "", err
	}
	var page struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &page); err != nil || len(page.Data) == 0 {
		return "", errors.Join(fmt.Errorf("no user in %s", body), err)
	}
	return "/v1/users/" + page.Data[0].ID, nil
}

// timeGets sends GET requests one after the other and returns the duration of each in milliseconds.
func (s *stack) timeGets(ctx context.Context, n int, path func(int) string) ([]float64, error) {
	times := make([]float64, n)
	for i := range times {
		began := time.Now()
		if _, err := s.send(ctx, getRequest(path(i))); err != nil {
			return nil, err
		}
		times[i] = milliseconds(time.Since(began))
	}
	return times, nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// function measures the users function behind the gateway.
func (b *bench) function(ctx context.Context, s *stack) error {
	path, err := s.adminPath(ctx)
	if err != nil {
		return err
	}
	b.logProgress("%d requests one after the other", residentAfter)
	bare, err := s.getItem(ctx)
	if err != nil {
		return err
	}
	times, err := figures.Alternate(residentAfter, s.get(ctx, func(int) string { return path }), bare)
	if err != nil {
		return err
	}
	warm, baseline := times[0][residentAfter-timedRequests:], times[1][residentAfter-timedRequests:]
	c := figures.Comparison{What: "get a user through the gateway", With: bareGetItem, Times: warm, Baseline: baseline}
	b.table.AddComparison(c, getRatio)
	b.table.AddFigure("get a user through the gateway, 99th percentile", "%s ms", figures.Number(figures.Quantile(warm, 0.99)))
	if err := b.sandboxes(s, "after "+figures.Number(residentAfter)+" requests"); err != nil {
		return err
	}
	b.logProgress("%d requests over %d connections", loadRequests, connections)
	took, err := s.load(ctx, path)
	if err != nil {
		return err
	}
	b.table.AddFigure(fmt.Sprintf("get a user over %d connections", connections), "%s requests/s", figures.Number(loadRequests/took.Seconds()))
	return b.sandboxes(s, "after "+figures.Number(loadRequests)+" more over "+figures.Number(connections)+" connections")
}

// load sends loadRequests over all connections at the same time.
func (s *stack) load(ctx context.Context, path string) (time.Duration, error) {
	failed := make([]error, connections)
	began := time.Now()
	var all sync.WaitGroup
	for i := range failed {
		all.Go(func() {
			_, failed[i] = s.timeGets(ctx, loadRequests/connections, func(int) string { return path })
		})
	}
	all.Wait()
	return time.Since(began), errors.Join(failed...)
}

// sandboxes adds the memory of the largest process of the users function.
func (b *bench) sandboxes(s *stack, when string) error {
	pids, err := processes.Tree(s.Cmd.Process.Pid)
	if err != nil {
		return err
	}
	largest, found := processes.Memory{}, 0
	for _, pid := range pids {
		path, err := os.Readlink(processes.Path(pid, "exe"))
		if err != nil || !strings.Contains(path, "/"+usersFunction+"/") {
			continue
		}
		used, err := processes.MemoryOf([]int{pid})
		if err != nil {
			return err
		}
		largest = processes.Memory{
			Resident: max(largest.Resident, used.Resident), Proportional: max(largest.Proportional, used.Proportional),
		}
		found++
	}
	if found == 0 {
		return errors.New("no process of the users function is running")
	}
	what := fmt.Sprintf("users function: resident memory %s (largest of %d)", when, found)
	b.table.AddAtMost(what, largest.Resident, residentTarget, "MB")
	return nil
}

// idle measures the memory of the stack before it is used.
func (b *bench) idle(ctx context.Context, s *stack) error {
	if err := b.whole(s, "just started"); err != nil {
		return err
	}
	b.logProgress("watching the idle stack for %s", idleObservation)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(idleObservation):
	}
	return b.whole(s, "a minute later")
}

func (b *bench) whole(s *stack, when string) error {
	pids, err := processes.Tree(s.Cmd.Process.Pid)
	if err != nil {
		return err
	}
	used, err := processes.MemoryOf(pids)
	if err != nil {
		return err
	}
	b.table.AddAtMost(fmt.Sprintf("local stack, %s: resident memory of %d processes", when, len(pids)), used.Resident, idleTarget, "MB")
	b.table.AddFigure("the same with shared pages counted once", "%s MB", figures.Number(used.Proportional))
	return nil
}
