package secrets_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"portside/local/secrets"
)

// rotationFunction rotates a secret like the Lambda function does. Its steps fail as often as
// failures says.
type rotationFunction struct {
	mu       sync.Mutex
	fixture  *fixture
	failures map[string]int // remaining failures by step
	called   []string
}

func (f *rotationFunction) invoke(ctx context.Context, to string, payload []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var event struct {
		Step, ClientRequestToken string
		SecretID                 string `json:"SecretId"`
	}
	if err := json.Unmarshal(payload, &event); err != nil {
		return err
	}
	f.called = append(f.called, event.Step)
	if to != "portside-RotateTokensFunction" {
		return fmt.Errorf("there is no function %s", to)
	}
	if f.failures[event.Step] > 0 {
		f.failures[event.Step]--
		return errors.New("injected")
	}
	client := f.fixture.client
	var err error
	switch event.Step {
	case "createSecret":
		_, err = client.PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{
			SecretId: &event.SecretID, ClientRequestToken: &event.ClientRequestToken,
			SecretString: aws.String("rotated"), VersionStages: []string{"AWSPENDING"},
		})
	case "finishSecret":
		var found *secretsmanager.GetSecretValueOutput
		if found, err = client.GetSecretValue(ctx,
			&secretsmanager.GetSecretValueInput{SecretId: &event.SecretID}); err == nil {
			_, err = client.UpdateSecretVersionStage(ctx, &secretsmanager.UpdateSecretVersionStageInput{
				SecretId: &event.SecretID, VersionStage: aws.String("AWSCURRENT"),
				RemoveFromVersionId: found.VersionId, MoveToVersionId: &event.ClientRequestToken,
			})
		}
	}
	return err
}

func openRotating(t *testing.T, fail map[string]int) (*fixture, *rotationFunction) {
	t.Helper()
	f := &rotationFunction{failures: fail}
	return openRotatedBy(t, f, f.invoke), f
}

// openRotatedBy creates a secret whose rotation steps invoke runs. invoke may call f.
func openRotatedBy(t *testing.T, f *rotationFunction, invoke func(context.Context, string, []byte) error) *fixture {
	t.Helper()
	f.fixture = openStore(t, t.TempDir(), invoke)
	f.fixture.create()
	_, err := f.fixture.client.RotateSecret(t.Context(), &secretsmanager.RotateSecretInput{
		SecretId: aws.String(name), RotateImmediately: aws.Bool(false),
		RotationLambdaARN: aws.String("arn:aws:lambda:us-east-1:000000000000:function:portside-RotateTokensFunction"),
	})
	f.fixture.must(err)
	return f.fixture
}

func TestRotateRunsFourSteps(t *testing.T) {
	s, f := openRotating(t, nil)
	var logged []string
	s.must(s.store.Rotate(t.Context(), name, *version(2), func(line string) { logged = append(logged, line) }))
	s.wantStages("1:AWSPREVIOUS 2:AWSCURRENT+AWSPENDING")
	if !slices.Equal(f.called, secrets.Steps()) || len(logged) != 4 {
		t.Errorf("called %v, logged %v", f.called, logged)
	}
}

func TestRotateRestartsAfterFailedStep(t *testing.T) {
	s, f := openRotating(t, map[string]int{"testSecret": 2})
	s.must(s.store.Rotate(t.Context(), name, *version(2), func(string) {}))
	s.wantStages("1:AWSPREVIOUS 2:AWSCURRENT+AWSPENDING")
	if len(f.called) != 3+3+4 {
		t.Errorf("called %v", f.called)
	}
}

func TestFailedRotationIsResumed(t *testing.T) {
	s, _ := openRotating(t, map[string]int{"setSecret": 3})
	if err := s.store.Rotate(t.Context(), name, *version(2), func(string) {}); err == nil {
		t.Fatal("a rotation that failed three times succeeded")
	}
	s.wantStages("1:AWSCURRENT 2:AWSPENDING")
	s.must(s.store.Rotate(t.Context(), name, *version(3), func(string) {}))
	s.wantStages("1:AWSPREVIOUS 2:AWSCURRENT+AWSPENDING") // by its first version
}

func TestRotateSecretRotatesInBackground(t *testing.T) {
	s, _ := openRotating(t, nil)
	out, err := s.client.RotateSecret(t.Context(), &secretsmanager.RotateSecretInput{
		SecretId: aws.String(name), ClientRequestToken: version(2),
	})
	if err != nil || aws.ToString(out.VersionId) != *version(2) {
		t.Fatalf("RotateSecret: %v, %v", out, err)
	}
	const rotated = "1:AWSPREVIOUS 2:AWSCURRENT+AWSPENDING"
	tick, limit := time.NewTicker(time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for s.stages() != rotated {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("after a minute, the stages are %s", s.stages())
		}
	}
}

func TestRotateFailsWhileRotationIsRunning(t *testing.T) {
	f, reached, resume := &rotationFunction{}, make(chan struct{}), make(chan struct{})
	s := openRotatedBy(t, f, func(ctx context.Context, to string, event []byte) error {
		err := f.invoke(ctx, to, event)
		if strings.Contains(string(event), "finishSecret") { // at this point, no version is unfinished
			reached <- struct{}{}
			<-resume
		}
		return err
	})
	done := make(chan error, 1)
	go func() { done <- s.store.Rotate(t.Context(), name, *version(2), func(string) {}) }()
	select {
	case <-reached:
	case err := <-done:
		t.Fatalf("the rotation ended before its last step: %v", err)
	}
	_, err := s.client.RotateSecret(t.Context(), &secretsmanager.RotateSecretInput{
		SecretId: aws.String(name), ClientRequestToken: version(3),
	})
	s.wantRefusal(err, "InvalidRequestException")
	err = s.store.Rotate(t.Context(), name, *version(4), func(string) {})
	if err == nil || !strings.Contains(err.Error(), "is already running") {
		t.Errorf("a second rotation: %v", err)
	}
	const rotated = "1:AWSPREVIOUS 2:AWSCURRENT+AWSPENDING"
	s.wantStages(rotated)
	close(resume)
	s.must(<-done)
	s.wantStages(rotated)
}
