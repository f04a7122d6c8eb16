// Package smoketest has the operators' command smoke-test, which tries an installation from the outside. With
// --first-hour, it also tries what only a real account of AWS can prove.
package smoketest

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"regexp"
	"time"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/credentials"
	"portside/shared/users"
)

// Timeouts of the smoke test.
const (
	testTimeout    = 3 * time.Minute
	changeTimeout  = 30 * time.Second // of a change that is not given up, because the clean-up could overtake it
	cleanupTimeout = 30 * time.Second
)

// trial tries an installation from the outside, as its clients do.
type trial struct {
	operator.Process
	*installation.Tables
	api        *client
	bucket     string // of the charts
	repository string // of the probe image; empty means that images are not tried
	commit     string // that the service must run; empty means any
	headFile   string // with the head of the audit log at the last test; may be empty

	names placeNames
	admin users.User // without an ID before signUp
	key   credentials.Secret
	token string
	probe probeImage // zero before it is in the registry
	firstHour
}

// options are the flags of the command.
type options struct {
	url, bucket, repository, commit, headFile string
	isFirstHour                               bool
	mailTo, executeAPI                        string
}

// Commands returns the command.
func Commands() []operator.Command { return []operator.Command{command()} }

func command() operator.Command {
	return operator.Command{
		Name: "smoke-test", Summary: "try the service from the outside, and remove what the test created",
		Help: `Calls the service at --url as its clients do: health, logins with a wrong and a right
credential, a user, a token, a chart that is published and pulled, an image that is pushed to
the vendor's registry and pulled through the gateway, and an extraction. It also checks the end of
the sealed audit log; see --head-file of verify-audit. The command creates an
admin for itself and deletes it at the end. Several tests can run at the same time. A test
removes the users of tests that were killed more than 10 minutes ago. The probe image has no tag; it stays in
--image-repository, so that the next test does not push it again. The mail to the probe user
goes to the mailbox simulator of Amazon SES. The exit code is 1 if a step failed.

With --first-hour, the command also tries what only a real account can prove, for the first
deployment to an account: the catalog and the list of images for an admin and for a customer, HEAD of
a manifest and a blob, encoded paths, a mail, the refusal to overwrite a sealed object of the
audit log, and the exchange of a token by a workload. It creates a customer for that, and deletes it at
the end. It runs all steps, also after a failure, and prints a line for each: ok,
failed with what to do next, or skipped with the reason. The end of the output is a script with
what needs the AWS command line or a person.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			on, f := installation.NewTarget(flags), options{}
			flags.StringVar(&f.url, "url", "", "address of the service, such as https://portal.example.com; "+
				"default: API_URL, or the address of the local stack")
			flags.StringVar(&f.bucket, "bucket", "", "`NAME` of the charts' bucket; default: CHARTS_BUCKET, or the bucket of the local stack")
			flags.StringVar(&f.repository, "image-repository", "", "existing ECR `REPOSITORY` for the probe image; default: do not try images")
			flags.StringVar(&f.commit, "commit", "", "fail unless /v1/health shows this `COMMIT`")
			flags.StringVar(&f.headFile, "head-file", "", "expect the head of the audit log in this `FILE`, and replace it with the new one")
			flags.BoolVar(&f.isFirstHour, "first-hour", false, "run all steps of the first hour on AWS, and print what remains to be done")
			flags.StringVar(&f.mailTo, "mail-to", "", "with --first-hour: send the mail to this `ADDRESS`, which no user has; "+
				"default: the mailbox simulator of Amazon SES")
			flags.StringVar(&f.executeAPI, "execute-api", "", "with --first-hour: `ADDRESS` of API Gateway that must not answer; "+
				"default: EXECUTE_API_URL")
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				if err := operator.RejectArguments(arguments); err != nil {
					return err
				}
				if err := f.check(); err != nil {
					return err
				}
				return start(ctx, p, on, f)
			}
		},
	}
}

// repositoryName matches the name of a repository, as Amazon ECR documents it.
var repositoryName = regexp.MustCompile(`^[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$`)

// check refuses flags that no step could use.
func (f options) check() error {
	switch {
	case !f.isFirstHour && (f.mailTo != "" || f.executeAPI != ""):
		return operator.UsageError("--mail-to and --execute-api need --first-hour")
	case f.repository != "" && !repositoryName.MatchString(f.repository):
		return operator.UsageError("--image-repository: " + f.repository + " is no name of a repository, such as acme/probe")
	}
	return errors.Join(checkAddress("--url", f.url), checkAddress("--execute-api", f.executeAPI))
}

// checkAddress refuses a text that is not the address of a service. It accepts an empty one.
func checkAddress(source, address string) error {
	parsed, err := url.Parse(address)
	if address != "" && (err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http") {
		return operator.UsageError(source + ": " + address + " is not an address such as https://portal.example.com")
	}
	return nil
}

func start(ctx context.Context, p operator.Process, on *installation.Target, f options) error {
	t, err := on.Open(ctx, p)
	if err != nil {
		return err
	}
	variable := func(name string) string { value, _ := p.Lookup(name); return value }
	s := &trial{
		Process: p, Tables: t, repository: f.repository, commit: f.commit, headFile: f.headFile,
		api:       newClient(cmp.Or(f.url, t.Stack.API, variable("API_URL"))),
		bucket:    cmp.Or(f.bucket, t.Stack.Buckets["ChartsBucket"], variable("CHARTS_BUCKET")),
		firstHour: firstHour{isFirstHour: f.isFirstHour, mailTo: f.mailTo, executeAPI: cmp.Or(f.executeAPI, variable("EXECUTE_API_URL"))},
	}
	if err := checkAddress("EXECUTE_API_URL", s.executeAPI); err != nil {
		return err
	}
	if s.api.address == "" || s.bucket == "" {
		return operator.UsageError("name the service with --url and the bucket with --bucket or CHARTS_BUCKET, or pass --local DATA")
	}
	run, timeout := s.run, testTimeout
	if f.isFirstHour {
		run, timeout = s.runFirstHour, firstHourTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return run(ctx)
}

// run runs the steps until one fails, and removes the users with all their credentials. The first step
// needs no admin, so a wrong address fails before anything changes.
func (s *trial) run(ctx context.Context) error {
	if err := s.runUntilFailure(ctx, []step{s.healthStep()}); err != nil {
		return err
	}
	if err := s.signUp(ctx); err != nil {
		return errors.Join(err, s.cleanUp(ctx))
	}
	return errors.Join(s.runUntilFailure(ctx, s.steps()), s.cleanUp(ctx))
}

// step is a part of the test.
type step struct {
	name string
	run  func(context.Context) (string, error) // returns its result in words
	next string                                // what to do if it fails
	// needs names the steps before whose results it uses.
	needs []string
}

func newStep(name string, run func(context.Context) (string, error), next string) step {
	return step{name: name, run: run, next: next}
}

// after returns the step with the names of the steps whose results it uses.
func (s step) after(names ...string) step {
	s.needs = names
	return s
}

// failed returns the error of a step after which no other can run. A step that the operator has stopped has no other
// reason.
func (s step) failed(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("stopped during the step %s: %w", s.name, context.Canceled)
	}
	return fmt.Errorf("%s: %w; later steps did not run", s.name, err)
}

// adviceError is the error of a step with what to do about it, instead of what the step advises.
type adviceError struct {
	error
	next string
}

func (e adviceError) Unwrap() error { return e.error }

// skippedStep is the error of a step that could not try anything. It says why, and does not count as a failure.
type skippedStep string

func (s skippedStep) Error() string { return string(s) }

func (s *trial) healthStep() step {
	return step{name: "health", run: s.checkHealth, next: "check --url, the DNS record of the domain, and the log of SystemFunction"}
}

// steps returns the steps that need an admin.
func (s *trial) steps() []step {
	return []step{
		newStep("login", s.checkLogin, "look for the requestId in the log of UsersFunction, and check that the tables are those of the service"),
		newStep("user", s.checkUser, "look for the requestId in the log of UsersFunction"),
		newStep("token", s.checkToken, "look for the requestId in the log of AccessFunction"),
		newStep("chart", s.checkChart, "look at the log of IndexChartsFunction, and for the notification of ChartsBucket").after("token"),
		newStep("image", s.checkImage,
			"check that the repository exists and that ImageRepositories covers it; look at the log of ImagesFunction").after("token"),
		newStep("extraction", s.checkExtraction, "look for the requestId in the log of MediaFunction"),
		newStep("audit log", s.checkAuditLog, "look at the log of SealAuditFunction, and run portside verify-audit"),
	}
}

// runUntilFailure runs the steps, and prints a line for each that succeeds or is skipped.
func (s *trial) runUntilFailure(ctx context.Context, steps []step) error {
	for _, step := range steps {
		started := s.Now()
		result, err := step.run(ctx)
		if skip, isSkipped := errors.AsType[skippedStep](err); isSkipped {
			result, err = skip.Error(), nil
		}
		if err != nil {
			return step.failed(ctx, err)
		}
		if _, err := fmt.Fprintf(s.Stdout, "%-10s  %s (%d ms)\n", step.name, result, s.Now().Sub(started).Milliseconds()); err != nil {
			return err
		}
	}
	return nil
}
