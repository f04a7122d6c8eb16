package repair

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/charts"
	"portside/shared/charts/chartshelm"
	"portside/shared/charts/chartss3"
	"portside/shared/lambda/start"
)

// defaultChartMegabytes is the default of MaxChartMegabytes in the template.
const defaultChartMegabytes = 20

// reindexCharts runs the command reindex-charts.
type reindexCharts struct {
	on        *installation.Target
	bucket    string
	megabytes int
}

func reindexCommand() operator.Command {
	return operator.Command{
		Name: "reindex-charts", Summary: "rebuild the index of the chart repository from the published charts",
		Help: `Reads every archive below charts/ in the bucket and makes index.yaml list exactly the
valid ones. Invalid files are moved to rejected/, each with the reason beside it. The service
can be used meanwhile, including for publishing. If everything is correct, the command
changes nothing. After an interruption, run it again. --bucket, CHARTS_BUCKET or the local
stack names the bucket. The exit code is 1 if files were rejected.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			r := &reindexCharts{on: installation.NewTarget(flags), megabytes: defaultChartMegabytes}
			flags.StringVar(&r.bucket, "bucket", "", "`NAME` of the chart repository's bucket")
			flags.Func("max-megabytes", "maximum `SIZE` of an unpacked archive (MaxChartMegabytes)", operator.WholeNumber(&r.megabytes))
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				if err := operator.RejectArguments(arguments); err != nil {
					return err
				}
				return r.run(ctx, p)
			}
		},
	}
}

func (r *reindexCharts) run(ctx context.Context, p operator.Process) error {
	if r.megabytes < 1 {
		return operator.UsageError("--max-megabytes must be at least 1")
	}
	client, err := r.open(ctx, p)
	if err != nil {
		return err
	}
	maxBytes := int64(r.megabytes) << 20
	done, err := charts.NewIndexer(charts.Parts{
		Bucket: chartss3.NewBucket(client, r.bucket), Inspector: chartshelm.New(maxBytes), MaxBytes: maxBytes, Now: time.Now,
	}).Rebuild(ctx)
	reportErr := reportOutcomes(p, done)
	switch {
	case ctx.Err() != nil:
		return errors.New("stopped; run the command again to finish")
	case err != nil:
		return err
	}
	return reportErr
}

// open determines the name of the bucket and returns a client for it.
func (r *reindexCharts) open(ctx context.Context, p operator.Process) (*s3.Client, error) {
	var stack installation.LocalStack
	switch {
	case r.on.Local != "":
		var err error
		if stack, err = installation.FindLocalStack(r.on.Local, r.on.Address); err != nil {
			return nil, err
		}
		r.bucket = cmp.Or(r.bucket, stack.Buckets["ChartsBucket"])
	case r.on.Address != "":
		return nil, operator.UsageError("--addr needs --local")
	default:
		r.bucket = cmp.Or(r.bucket, start.NewSettings(p.Lookup).Optional("CHARTS_BUCKET"))
	}
	if r.bucket == "" {
		return nil, operator.UsageError("name the bucket with --bucket or CHARTS_BUCKET, or pass --local DATA for a local stack")
	}
	cfg, err := installation.LoadAWSConfig(ctx, stack.Options()...)
	if err != nil {
		return nil, err
	}
	return installation.S3Client(cfg, stack.S3), nil
}

// reportOutcomes prints all outcomes. It returns an error if files were rejected.
func reportOutcomes(p operator.Process, done []charts.Outcome) error {
	counts := map[charts.Act]int{}
	for _, o := range done {
		counts[o.Act]++
		if o.Act == charts.Rejected {
			p.Report("rejected %s: %s", o.File, o.Reason)
			continue
		}
		if _, err := fmt.Fprintf(p.Stdout, "%-8s  %s\n", o.Act, o.File); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(p.Stdout, "%d versions added or corrected, %d removed from the index, %d files rejected\n",
		counts[charts.Listed], counts[charts.Unlisted], counts[charts.Rejected])
	if err == nil && counts[charts.Rejected] > 0 {
		err = fmt.Errorf("%d files were rejected and moved to %s, with their reasons", counts[charts.Rejected], charts.RejectedPrefix)
	}
	return err
}
