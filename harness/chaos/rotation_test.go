package chaos

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/google/uuid"

	"portside/harness/invariants"
	"portside/harness/office"
	"portside/local/ses"
	"portside/shared/core/principal"
	"portside/shared/core/walk"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/expirynotices"
	"portside/shared/expirynotices/expirynoticesdynamo"
	"portside/shared/mail/mailses"
	"portside/shared/rotation"
	"portside/shared/rotation/rotationsecrets"
	"portside/shared/testkit/awstest"
	"portside/shared/tokens"
)

// noticeRuns is the number of runs of the schedule, one a day.
const noticeRuns = 6

// expiringTokens are tokens of different owners. A token gets its only notice on the given day of the runs, threshold days before it
// expires.
var expiringTokens = []struct{ threshold, day int }{{30, 1}, {30, 3}, {14, 2}, {14, 4}, {3, 5}}

// noticeWorld has tokens that expire.
type noticeWorld struct{ *mailWorld }

func newNoticeWorlds(t *testing.T) func(testing.TB) world {
	t.Helper()
	outbox, err := ses.NewOutbox(t.TempDir(), awstest.RealTime)
	if err != nil {
		t.Fatal(err)
	}
	return func(tb testing.TB) world {
		tb.Helper()
		w := noticeWorld{newMailWorld(tb, outbox.API())}
		w.sesRefuses.Store(false)
		w.must(w.deliver(tb.Context(), []int{-1}, &process{})) // the first run sends notices of the past
		for i, token := range expiringTokens {
			caller, _ := w.createUser(fmt.Sprintf("owner%d", i), principal.User)
			const lifetime = 60 // days; the token existed long before its notice
			w.clock.Set(midnight.AddDate(0, 0, token.day+token.threshold-lifetime))
			_, err := w.direct.Tokens.Create(tb.Context(), caller, tokens.NewToken{
				Name: "expires", Scopes: tokens.AllScopes(), Days: lifetime,
			})
			w.must(err)
		}
		w.clock.Set(midnight)
		return w
	}
}

func (w noticeWorld) deliver(ctx context.Context, events []int, p *process) error {
	cfg := office.Options{}.Config(killableClient{w.engines(), p}, *w.client.Options().BaseEndpoint)
	client := items.Client(cfg)
	ledger := expirynoticesdynamo.New(client, w.tables.Credentials)
	notices := expirynotices.New(expirynotices.Parts{
		Walk: ledger.Walk(), Ledger: ledger, Retries: ledger,
		Credentials: credentialsdynamo.New(client, w.tables.Credentials, w.tables.RequestCounts),
		People:      office.Owners{Issuer: w.services(killableClient{sharedClient, p}).Issuer}, //nolint:contextcheck // see below
		//nolint:contextcheck // the clients only resolve endpoints
		Mailer: mailses.New(cfg, "portside@example.com"), BaseURL: portal, Now: w.clock.Now,
	})
	return w.runAt(midnight.AddDate(0, 0, slices.Max(events)), p, func() error {
		_, err := notices.Run(ctx)
		if errors.Is(err, walk.ErrLocked) { // a concurrent or killed run has the lease
			return nil
		}
		return err
	})
}

// state is the mails after two more runs, because the lease of a killed run can delay the first one.
func (w noticeWorld) state(ctx context.Context) (string, error) {
	for run := range 2 {
		w.advanceTo(midnight.AddDate(0, 0, noticeRuns).Add(time.Duration(run) * time.Hour))
		if err := w.deliver(ctx, []int{0}, &process{}); err != nil {
			return "", err
		}
	}
	broken, err := invariants.Check(ctx, w.client, w.tables.Checked(), w.clock.Now())
	return w.mails() + "\n" + strings.Join(broken, "\n"), err
}

// rotationSteps are the events of Secrets Manager.
var rotationSteps = []string{"createSecret", "setSecret", "testSecret", "finishSecret"}

// rotationWorld has a secret whose token is rotated for the second time.
type rotationWorld struct {
	*mailWorld

	vault   *secretsmanager.Client
	owner   principal.Principal
	secret  string
	version string
	first   string // the token of the first rotation
	mu      sync.Mutex
	done    int // number of completed steps
}

// overlap is how long the previous token still works after a rotation.
const overlap = 7 * 24 * time.Hour

func newRotationWorlds(t *testing.T) func(testing.TB) world {
	t.Helper()
	vault := awstest.SecretsManager(t)
	return func(tb testing.TB) world {
		tb.Helper()
		w := &rotationWorld{mailWorld: newMailWorld(tb, nil), vault: vault, secret: "portside/" + uuid.NewString()}
		w.owner, _ = w.createUser("owner", principal.User)
		terms := rotation.Terms{OwnerID: w.owner.UserID, Name: "pull", Scopes: []string{"read:helm-charts"}, Days: 90}
		_, err := vault.CreateSecret(tb.Context(), &secretsmanager.CreateSecretInput{
			Name: &w.secret, SecretString: aws.String(rotation.Value{Terms: terms}.Text()),
		})
		w.must(err)
		w.begin()
		w.must(w.deliver(tb.Context(), []int{len(rotationSteps) - 1}, &process{}))
		current, err := w.current(tb.Context())
		w.must(err)
		w.first = current.Token
		w.begin()
		return w
	}
}

// begin starts a rotation, as Secrets Manager does.
func (w *rotationWorld) begin() {
	const function = "arn:aws:lambda:us-east-1:000000000000:function:RotateTokensFunction"
	out, err := w.vault.RotateSecret(w.tb.Context(), &secretsmanager.RotateSecretInput{
		SecretId: &w.secret, RotationLambdaARN: aws.String(function),
	})
	w.must(err)
	w.version, w.done = *out.VersionId, 0
}

// deliver first takes the missing steps up to the last event, because Secrets Manager calls a step only after the previous one has
// succeeded. Then it takes the steps of the events, which are therefore late and repeated.
func (w *rotationWorld) deliver(ctx context.Context, events []int, p *process) error {
	rotator := w.rotator(p) //nolint:contextcheck // the clients only resolve endpoints
	take := func(step int) error {
		return rotator.Step(ctx, rotation.Event{Step: rotationSteps[step], SecretID: w.secret, Version: w.version})
	}
	for step := w.completed(0); step <= slices.Max(events); step = w.completed(step + 1) {
		if err := take(step); err != nil {
			return err
		}
	}
	var problems []error
	for _, step := range events {
		problems = append(problems, take(step))
	}
	return errors.Join(problems...)
}

// completed records how many steps are done, and returns the index of the next one.
func (w *rotationWorld) completed(steps int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done = max(w.done, steps)
	return w.done
}

func (w *rotationWorld) rotator(p *process) *rotation.Rotator {
	client := killableClient{sharedClient, p}
	vault := secretsmanager.New(w.vault.Options(), func(o *secretsmanager.Options) {
		o.HTTPClient = client
		// The SDK tries again after a lost connection: the server closes one that was opened and not used for 5 seconds. A killed process makes
		// no call take effect, also no second one.
		o.Retryer = retry.NewStandard(func(s *retry.StandardOptions) {
			s.RateLimiter, s.MaxAttempts, s.MaxBackoff = ratelimit.None, 3, 50*time.Millisecond
		})
	})
	cfg := office.Options{}.Config(client, *w.client.Options().BaseEndpoint)
	keys := credentialsdynamo.New(items.Client(cfg), w.tables.Credentials, w.tables.RequestCounts)
	issuer := office.Owners{Issuer: w.services(client).Issuer}
	return rotation.New(rotationsecrets.New(vault), issuer, keys, rotation.Options{Overlap: overlap, Now: w.clock.Now})
}

func (w *rotationWorld) current(ctx context.Context) (rotation.Value, error) {
	out, err := w.vault.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &w.secret})
	if err != nil {
		return rotation.Value{}, err
	}
	return rotation.ParseValue(*out.SecretString)
}

// state says which tokens work at the end of the rotation and after the overlap.
func (w *rotationWorld) state(ctx context.Context) (string, error) {
	current, err := w.current(ctx)
	if err != nil {
		return "", err
	}
	works := func(token string) bool {
		_, _, err := w.direct.Authenticator.Authenticate(ctx, token, credentials.AccessToken)
		return err == nil
	}
	listed, err := w.direct.Tokens.List(ctx, w.owner, "")
	text := fmt.Sprintf("%d tokens, a new one in the secret=%t, it works=%t, the old one works=%t", len(listed),
		current.Token != w.first, works(current.Token), works(w.first))
	w.advanceTo(w.clock.Now().Add(overlap))
	text += fmt.Sprintf(", after the overlap %t and %t", works(current.Token), works(w.first))
	return text, err
}

func TestRotateTokens(t *testing.T) {
	notices := consumer{name: "RotateTokens, schedule", events: noticeRuns, workers: fewWorkers, start: newNoticeWorlds(t)}
	checkPermutations(t, notices)
	rotations := consumer{name: "RotateTokens, rotation", events: len(rotationSteps), workers: fewWorkers, start: newRotationWorlds(t)}
	checkPermutations(t, rotations)
}
