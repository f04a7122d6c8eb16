package smoketest

import (
	"cmp"
	"context"
	_ "embed" // the list is a file
	"errors"
	"fmt"
	"strings"
	"text/template"
	"time"

	"portside/cmd/portside/operator"
	"portside/shared/credentials"
)

// Timeouts of the first hour and of a step. A step that takes too long ends, so that later steps still run. If several
// steps do, the last steps have no time left. The test ends before leftoverAge.
const (
	firstHourTimeout     = 8 * time.Minute
	firstHourStepTimeout = 2 * time.Minute
)

// firstHour is what `smoke-test --first-hour` needs in addition to the smoke test.
type firstHour struct {
	isFirstHour bool
	mailTo      string // gets a mail; may be empty
	executeAPI  string // address of the API that must not answer, because the service has a domain; may be empty

	customerID    string
	customerKey   credentials.Secret // of the customer's user
	customerToken string
}

// firstHourSteps returns the steps that need an admin.
func (s *trial) firstHourSteps() []step {
	const listing = "the role of ImagesFunction needs ecr:DescribeRepositories on repository/*; its log names the refusal"
	return append(s.steps(),
		newStep("registry", s.checkRegistryBase, "API Gateway may not route /v2/ with its slash: look for the request in the access log").
			after("token"),
		newStep("customer", s.checkCustomer, "look for the requestId in the logs of CustomersFunction, AccessFunction and ImagesFunction"),
		newStep("catalog", s.checkCatalog, listing).after("image", "customer"),
		newStep("image list", s.checkImageList, listing).after("image", "customer"),
		newStep("heads", s.checkHeads, "clients need the Content-Length of HEAD: compare with `curl -I` of the registry itself").after("image"),
		newStep("paths", s.checkPaths, "API Gateway decodes paths in another way than docs/api.md says: look for the request in the access log").
			after("token"),
		newStep("mail", s.checkMail, "the log of UsersFunction has the answer of SES; in the sandbox, SES sends only to verified addresses").
			after("customer"),
		newStep("overwrite", s.checkOverwrite, "compare the policy of AuditBucket with AuditBucketPolicy of template.yaml, and deploy again").
			after("audit log"),
		newStep("exchange", s.checkExchange, "look for the requestId in the logs of CustomersFunction and AnonymousFunction").after("customer"),
		newStep("old address", s.checkOldAddress, "deploy again with DomainName; HttpApi must have DisableExecuteApiEndpoint"),
		newStep("pull log", s.checkPullLog, "look at the log of RecordPullsFunction, and for its subscription of the log group ChartsLogs").
			after("chart"),
		newStep("hosts", s.checkHosts, "compare the header Content-Security-Policy of /portal/sign-in with the name of MediaBucket"),
	)
}

// runFirstHour runs all steps, and prints a line for each and the list of what remains. Unlike the smoke test, it
// continues after a failure.
func (s *trial) runFirstHour(ctx context.Context) error {
	outcome, err := s.runStep(ctx, s.healthStep())
	if err != nil || outcome != stepOK {
		return cmp.Or(err, errors.New("the service does not answer, so no other step ran"))
	}
	if err := s.signUp(ctx); err != nil {
		return errors.Join(err, s.cleanUp(ctx))
	}
	stop := context.AfterFunc(ctx, func() { s.Report("stopping: removing what the test created") })
	defer stop()
	return errors.Join(s.runEveryStep(ctx, s.firstHourSteps()), s.cleanUp(ctx))
}

// runEveryStep runs the steps and prints the list, unless the command is stopped.
func (s *trial) runEveryStep(ctx context.Context, steps []step) error {
	outcomes := map[string]string{}
	var failed []string
	for _, step := range steps {
		for _, name := range step.needs {
			if outcomes[name] != stepOK {
				reason := skippedStep(fmt.Sprintf("not tried, because the step %s %s", name, cmp.Or(wasNotOK[outcomes[name]], "did not run")))
				step.run = func(context.Context) (string, error) { return "", reason }
			}
		}
		outcome, err := s.runStep(ctx, step)
		if err != nil {
			return err
		}
		if outcomes[step.name] = outcome; outcome == stepFailed {
			failed = append(failed, step.name)
		}
	}
	if err := s.printRemaining(); err != nil {
		return err
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d steps failed: %s", len(failed), len(steps)+1, strings.Join(failed, ", "))
	}
	return nil
}

// Outcomes of a step.
const (
	stepOK      = "ok"
	stepFailed  = "failed"
	stepSkipped = "skipped"
)

var wasNotOK = map[string]string{stepFailed: "failed", stepSkipped: "was skipped"}

// runStep prints the outcome of a step. The error means that no further step can run.
func (s *trial) runStep(ctx context.Context, step step) (outcome string, err error) {
	within, cancel := context.WithTimeout(ctx, firstHourStepTimeout)
	defer cancel()
	started := s.Now()
	result, err := step.run(within)
	if ctx.Err() != nil {
		return stepFailed, step.failed(ctx, cmp.Or(err, ctx.Err()))
	}
	outcome = stepOK
	if skip, isSkipped := errors.AsType[skippedStep](err); isSkipped {
		outcome, result = stepSkipped, skip.Error()
	} else if err != nil {
		if advice, has := errors.AsType[adviceError](err); has {
			step.next = advice.next
		}
		outcome, result = stepFailed, operator.SingleLine(err)+"; next: "+step.next
	}
	took := s.Now().Sub(started).Milliseconds()
	_, err = fmt.Fprintf(s.Stdout, "%-11s  %-7s  %6d ms  %s\n", step.name, outcome, took, result)
	return outcome, err
}

// firstHourList has what a program cannot do without the AWS command line or a person, as a script of the shell.
//
//go:embed firsthour.sh
var firstHourList string

// printRemaining prints the list with the names of this installation.
func (s *trial) printRemaining() error {
	list, err := template.New("").Funcs(template.FuncMap{"quote": operator.ShellQuoted}).Option("missingkey=error").Parse(firstHourList)
	if err != nil {
		return err
	}
	stack, _, _ := strings.Cut(s.Names.Users, "-UsersTable") // template.yaml names the tables so
	return list.Execute(s.Stdout, map[string]string{
		"Stack": stack, "Region": s.Config.Region, "API": s.api.address, "Host": hostOf(s.api.address), "Repository": s.repository,
	})
}
