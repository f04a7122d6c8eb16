package secretvalue_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"portside/shared/lambda/secretvalue"
	"portside/shared/testkit"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
)

// network counts requests, and fails while it is down. With channels, a request says that it began, and waits until it
// may go on.
type network struct {
	aws.HTTPClient

	requests    int
	isDown      bool
	began, goOn chan struct{}
}

func (n *network) Do(r *http.Request) (*http.Response, error) {
	n.requests++
	if n.goOn != nil {
		close(n.began)
		<-n.goOn
	}
	if n.isDown {
		return nil, errors.New("no route to host")
	}
	return n.HTTPClient.Do(r)
}

// fixture is a secret of Secrets Manager, and its value in a function.
type fixture struct {
	tb      testing.TB
	manager *secretsmanager.Client
	network *network
	clock   *webtest.Clock
	value   *secretvalue.Value
}

func newFixture(tb testing.TB, text string) *fixture {
	tb.Helper()
	f := &fixture{tb: tb, manager: awstest.SecretsManager(tb), clock: webtest.NewClock(time.Date(2028, 2, 29, 23, 58, 0, 0, time.UTC))}
	made, err := f.manager.CreateSecret(tb.Context(),
		&secretsmanager.CreateSecretInput{Name: aws.String("key"), SecretString: &text})
	if err != nil {
		tb.Fatal(err)
	}
	o := f.manager.Options()
	f.network = &network{HTTPClient: o.HTTPClient}
	cfg := aws.Config{
		BaseEndpoint: o.BaseEndpoint, Region: o.Region, Credentials: o.Credentials, HTTPClient: f.network,
		RetryMaxAttempts: 1,
	}
	f.value = secretvalue.New(cfg, *made.ARN, f.clock.Now)
	return f
}

// put gives the secret a new value.
func (f *fixture) put(text string) {
	f.tb.Helper()
	if _, err := f.manager.PutSecretValue(f.tb.Context(), &secretsmanager.PutSecretValueInput{
		SecretId: aws.String("key"), SecretString: &text,
	}); err != nil {
		f.tb.Fatal(err)
	}
}

// want checks the value, and how many requests there have been.
func (f *fixture) want(text string, requests int) {
	f.tb.Helper()
	got, err := f.value.Get(f.tb.Context())
	if err != nil || got != text || f.network.requests != requests {
		f.tb.Errorf("got %q, %v after %d requests, want %q after %d", got, err, f.network.requests, text, requests)
	}
}

func TestValueIsReadAgain(t *testing.T) {
	f := newFixture(t, "one")
	f.want("one", 1)
	f.put("two")
	f.clock.Advance(5*time.Minute - 1)
	f.want("one", 1)
	f.clock.Advance(1)
	f.want("two", 2)
	f.want("two", 2)
}

// TestValueOutlivesAnOutage has Secrets Manager out of reach. The last value is used, and asked for once a minute.
func TestValueOutlivesAnOutage(t *testing.T) {
	logged := testkit.CaptureLogs(t)
	f := newFixture(t, "hush")
	f.network.isDown = true
	if text, err := f.value.Get(t.Context()); err == nil || text != "" {
		t.Errorf("got %q, %v before the first answer", text, err)
	}
	f.network.isDown = false
	f.want("hush", 2)
	f.put("hush 2")
	f.network.isDown = true
	f.clock.Advance(5 * time.Minute)
	f.want("hush", 3)
	f.want("hush", 3)
	f.network.isDown = false
	f.clock.Advance(time.Minute)
	f.want("hush 2", 4)
	if text := logged.String(); !strings.Contains(text, "its last value is used") || strings.Contains(text, "hush") {
		t.Errorf("logged %s", text)
	}
}

// A stack without the secret does not call Secrets Manager.
func TestWithoutSecret(t *testing.T) {
	if text, err := secretvalue.New(aws.Config{}, "", nil).Get(t.Context()); text != "" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
}

// Secrets of bytes and unknown secrets are errors without a value.
func TestUnusableSecrets(t *testing.T) {
	f := newFixture(t, "one")
	in := &secretsmanager.PutSecretValueInput{SecretId: aws.String("key"), SecretBinary: []byte("hush")}
	if _, err := f.manager.PutSecretValue(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if text, err := f.value.Get(t.Context()); err == nil || text != "" || strings.Contains(err.Error(), "hush") {
		t.Errorf("got %q, %v", text, err)
	}
	if _, err := f.manager.DeleteSecret(t.Context(),
		&secretsmanager.DeleteSecretInput{SecretId: aws.String("key")}); err != nil {
		t.Fatal(err)
	}
	if text, err := f.value.Get(t.Context()); err == nil || text != "" {
		t.Errorf("got %q, %v of a deleted secret", text, err)
	}
}

//proves:docs/security.md
func TestSecretsAreNotPrinted(t *testing.T) {
	f := newFixture(t, "hush")
	f.want("hush", 1)
	logged := testkit.CaptureLogs(t)
	slog.Info("a value", "value", f.value, "in", struct{ V any }{f.value})
	text := logged.String()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d"} {
		text += fmt.Sprintf(verb, f.value) + fmt.Sprintf(verb, struct{ V any }{f.value})
	}
	if strings.Contains(text, "hush") {
		t.Error(text)
	}
}

// A secret that was deleted is an error, even if its last value is known.
func TestDeletedSecretEnds(t *testing.T) {
	f := newFixture(t, "one")
	f.want("one", 1)
	if _, err := f.manager.DeleteSecret(t.Context(),
		&secretsmanager.DeleteSecretInput{SecretId: aws.String("key")}); err != nil {
		t.Fatal(err)
	}
	f.clock.Advance(5 * time.Minute)
	for range 2 {
		if text, err := f.value.Get(t.Context()); err == nil || text != "" {
			t.Errorf("got %q, %v", text, err)
		}
	}
}

// TestNobodyWaitsForTheReader has one caller read the value again and get no answer. The others get the last one.
func TestNobodyWaitsForTheReader(t *testing.T) {
	f := newFixture(t, "one")
	f.want("one", 1)
	f.clock.Advance(5 * time.Minute)
	f.network.began, f.network.goOn = make(chan struct{}), make(chan struct{})
	read := make(chan string)
	go func() {
		text, _ := f.value.Get(t.Context())
		read <- text
	}()
	<-f.network.began
	for range 3 {
		if text, err := f.value.Get(t.Context()); text != "one" || err != nil {
			t.Errorf("got %q, %v", text, err)
		}
	}
	close(f.network.goOn)
	if text := <-read; text != "one" {
		t.Errorf("the reader got %q", text)
	}
}

// A caller that waits for the first value stops waiting with its context.
func TestWaitsForTheFirstValueEnd(t *testing.T) {
	f := newFixture(t, "one")
	f.network.began, f.network.goOn = make(chan struct{}), make(chan struct{})
	read := make(chan string)
	go func() {
		text, _ := f.value.Get(t.Context())
		read <- text
	}()
	<-f.network.began
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if text, err := f.value.Get(canceled); err == nil || text != "" {
		t.Errorf("got %q, %v", text, err)
	}
	close(f.network.goOn)
	if text := <-read; text != "one" {
		t.Errorf("the reader got %q", text)
	}
}
