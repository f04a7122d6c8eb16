package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/users"
)

// Timeouts of the smoke test.
const (
	smokeTestTimeout    = 3 * time.Minute
	smokeCleanupTimeout = 30 * time.Second
)

// smokeAdminEmail is the address of the admin that exists during a smoke test. The domain never
// receives mail.
const smokeAdminEmail = "smoke-test@portside.invalid"

// smokeTest tries an installation from the outside, as its clients do.
type smokeTest struct {
	process
	*tables
	api        *smokeClient
	bucket     string // of the charts
	repository string // of the probe image; empty means that images are not tried
	commit     string // that the service must run; empty means any

	admin users.User
	key   credentials.Secret
	token string
}

// smokeFlags are the flags of the command.
type smokeFlags struct{ url, bucket, repository, commit string }

func smokeTestCommand() command {
	return command{
		name: "smoke-test", summary: "try the service from the outside, and remove what the test created",
		help: `Calls the service at --url as its clients do: health, logins with a wrong and a right
credential, a user, a token, a chart that is published and pulled, an image that is pushed to
the vendor's registry and pulled through the gateway, and an extraction. The command creates an
admin for itself and deletes it at the end. The probe image has no tag; it stays in
--image-repository, so that the next test does not push it again. The mail to the probe user
goes to the mailbox simulator of Amazon SES. The exit code is 1 if a step failed.`,
		prepare: func(flags *flag.FlagSet) action {
			on, f := newTarget(flags), smokeFlags{}
			flags.StringVar(&f.url, "url", "", "address of the service, such as https://portal.example.com; default: the address of the local stack")
			flags.StringVar(&f.bucket, "bucket", "", "`NAME` of the charts' bucket; default: CHARTS_BUCKET, or the bucket of the local stack")
			flags.StringVar(&f.repository, "image-repository", "", "existing ECR `REPOSITORY` for the probe image; default: do not try images")
			flags.StringVar(&f.commit, "commit", "", "fail unless /v1/health shows this `COMMIT`")
			return func(ctx context.Context, p process, arguments []string) error {
				if err := rejectArguments(arguments); err != nil {
					return err
				}
				return runSmokeTest(ctx, p, on, f)
			}
		},
	}
}

func runSmokeTest(ctx context.Context, p process, on *target, f smokeFlags) error {
	t, err := on.open(ctx, p)
	if err != nil {
		return err
	}
	bucket, _ := p.lookup("CHARTS_BUCKET")
	s := &smokeTest{
		process: p, tables: t, api: newSmokeClient(cmp.Or(f.url, t.stack.API)), repository: f.repository, commit: f.commit,
		bucket: cmp.Or(f.bucket, t.stack.Buckets["ChartsBucket"], bucket),
	}
	if s.api.address == "" || s.bucket == "" {
		return usageError("name the service with --url and the bucket with --bucket or CHARTS_BUCKET, or pass --local DATA")
	}
	ctx, cancel := context.WithTimeout(ctx, smokeTestTimeout)
	defer cancel()
	return s.run(ctx)
}

// run runs the steps until one fails, and removes the admin with all its credentials.
func (s *smokeTest) run(ctx context.Context) error {
	if err := s.signUp(ctx); err != nil {
		return err
	}
	return errors.Join(s.runSteps(ctx), s.removeAdmin(ctx))
}

func (s *smokeTest) runSteps(ctx context.Context) error {
	for _, step := range []struct {
		name string
		run  func(context.Context) (string, error)
	}{
		{"health", s.checkHealth}, {"login", s.checkLogin}, {"user", s.checkUser}, {"token", s.checkToken},
		{"chart", s.checkChart}, {"image", s.checkImage}, {"extraction", s.checkExtraction},
	} {
		started := s.now()
		result, err := step.run(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w; later steps did not run", step.name, err)
		}
		if _, err := fmt.Fprintf(s.stdout, "%-10s  %s (%d ms)\n", step.name, result, s.now().Sub(started).Milliseconds()); err != nil {
			return err
		}
	}
	return nil
}

// signUp creates an admin with an API key. The service must have another admin, because the last
// admin cannot be deleted.
func (s *smokeTest) signUp(ctx context.Context) error {
	if err := s.removeAdmin(ctx); err != nil {
		return err
	}
	admins, err := s.users.ActiveAdmins(ctx)
	if err != nil {
		return err
	}
	if admins == 0 {
		return errors.New("the service has no admin: create the first one with `portside bootstrap`, and run the smoke test again")
	}
	created, err := s.service().Create(ctx, users.CreateOptions{Caller: principal.Operator()},
		users.NewUser{Email: smokeAdminEmail, Name: "Smoke test", Role: principal.Admin})
	if err != nil {
		return err
	}
	s.admin, s.key = created.User, credentials.Mint(credentials.APIKey)
	return s.users.Issue(ctx, s.admin, credentials.Credential{
		ID: s.key.ID(), Kind: credentials.APIKey, Hash: s.key.Hash(), Name: "smoke test", CreatedAt: s.now().UTC(),
		Owner: credentials.Owner{ID: s.admin.ID, Role: s.admin.Role, Active: true},
	})
}

// removeAdmin removes the admin of this test, or of one that was killed, with all its credentials.
// It also works after an interruption.
func (s *smokeTest) removeAdmin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), smokeCleanupTimeout)
	defer cancel()
	for _, email := range []string{smokeAdminEmail, probeEmail} {
		found, err := s.users.ByEmail(ctx, email)
		if errors.Is(err, users.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := s.service().Delete(ctx, principal.Operator(), versions.Target{ID: found.ID}); err != nil {
			return fmt.Errorf("delete the user %s of the smoke test: %w", email, err)
		}
	}
	return nil
}

func (s *smokeTest) service() *users.Service { return users.NewService(s.users, nil, newID, s.now) }
