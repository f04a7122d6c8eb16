package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"portside/shared/credentials"
	"portside/shared/users"
)

// Timeouts of the smoke test.
const (
	smokeTestTimeout    = 3 * time.Minute
	smokeCleanupTimeout = 30 * time.Second
)

// smokeTest tries an installation from the outside, as its clients do.
type smokeTest struct {
	process
	*tables
	api        *smokeClient
	bucket     string // of the charts
	repository string // of the probe image; empty means that images are not tried
	commit     string // that the service must run; empty means any
	headFile   string // with the head of the audit log at the last test; may be empty

	names smokeNames
	admin users.User // without an ID before signUp
	key   credentials.Secret
	token string
}

// smokeFlags are the flags of the command.
type smokeFlags struct{ url, bucket, repository, commit, headFile string }

func smokeTestCommand() command {
	return command{
		name: "smoke-test", summary: "try the service from the outside, and remove what the test created",
		help: `Calls the service at --url as its clients do: health, logins with a wrong and a right
credential, a user, a token, a chart that is published and pulled, an image that is pushed to
the vendor's registry and pulled through the gateway, and an extraction. It also checks the end of
the sealed audit log; see --head-file of verify-audit. The command creates an
admin for itself and deletes it at the end. Several tests can run at the same time. A test
removes the users of tests that were killed more than 10 minutes ago. The probe image has no tag; it stays in
--image-repository, so that the next test does not push it again. The mail to the probe user
goes to the mailbox simulator of Amazon SES. The exit code is 1 if a step failed.`,
		prepare: func(flags *flag.FlagSet) action {
			on, f := newTarget(flags), smokeFlags{}
			flags.StringVar(&f.url, "url", "", "address of the service, such as https://portal.example.com; default: the address of the local stack")
			flags.StringVar(&f.bucket, "bucket", "", "`NAME` of the charts' bucket; default: CHARTS_BUCKET, or the bucket of the local stack")
			flags.StringVar(&f.repository, "image-repository", "", "existing ECR `REPOSITORY` for the probe image; default: do not try images")
			flags.StringVar(&f.commit, "commit", "", "fail unless /v1/health shows this `COMMIT`")
			flags.StringVar(&f.headFile, "head-file", "", "expect the head of the audit log in this `FILE`, and replace it with the new one")
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
		process: p, tables: t, api: newSmokeClient(cmp.Or(f.url, t.stack.API)), repository: f.repository, commit: f.commit, headFile: f.headFile,
		bucket: cmp.Or(f.bucket, t.stack.Buckets["ChartsBucket"], bucket),
	}
	if s.api.address == "" || s.bucket == "" {
		return usageError("name the service with --url and the bucket with --bucket or CHARTS_BUCKET, or pass --local DATA")
	}
	ctx, cancel := context.WithTimeout(ctx, smokeTestTimeout)
	defer cancel()
	return s.run(ctx)
}

// run runs the steps until one fails, and removes the users with all their credentials. The first step
// needs no admin, so a wrong address fails before anything changes.
func (s *smokeTest) run(ctx context.Context) error {
	if err := s.runSteps(ctx, []smokeStep{{"health", s.checkHealth}}); err != nil {
		return err
	}
	if err := s.signUp(ctx); err != nil {
		return errors.Join(err, s.removeUsers(ctx))
	}
	return errors.Join(s.runSteps(ctx, []smokeStep{
		{"login", s.checkLogin}, {"user", s.checkUser}, {"token", s.checkToken},
		{"chart", s.checkChart}, {"image", s.checkImage}, {"extraction", s.checkExtraction}, {"audit log", s.checkAuditLog},
	}), s.removeUsers(ctx))
}

type smokeStep struct {
	name string
	run  func(context.Context) (string, error)
}

func (s *smokeTest) runSteps(ctx context.Context, steps []smokeStep) error {
	for _, step := range steps {
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
