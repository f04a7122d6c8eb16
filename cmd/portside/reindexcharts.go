package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/charts"
	"portside/shared/charts/chartshelm"
	"portside/shared/charts/chartss3"
	"portside/shared/lambda/start"
)

// defaultChartMegabytes is the template's MaxChartMegabytes.
const defaultChartMegabytes = 20

// reindex is the job of reindex-charts.
type reindex struct {
	on        *target
	bucket    string
	megabytes int
}

func reindexCommand() command {
	return command{
		name: "reindex-charts", summary: "make the index of the chart repository again from what is published",
		help: `Reads every archive below charts/ in the bucket and makes index.yaml list exactly those
that obey the rules. What does not is moved to rejected/, with the reason beside it. The
service may go on meanwhile, and publishing too. A run on a sound bucket changes nothing;
one that was stopped is simply run again. The bucket is that of --bucket, of CHARTS_BUCKET,
or of the local stack. Exit code 1 if files were rejected.`,
		prepare: func(flags *flag.FlagSet) action {
			r := &reindex{on: newTarget(flags)}
			flags.StringVar(&r.bucket, "bucket", "", "the bucket of the chart repository, by `NAME`")
			flags.IntVar(&r.megabytes, "max-megabytes", defaultChartMegabytes, "`SIZE` that an unpacked archive may have (MaxChartMegabytes)")
			return func(ctx context.Context, p process, arguments []string) error {
				if err := noArguments(arguments); err != nil {
					return err
				}
				return r.run(ctx, p)
			}
		},
	}
}

func (r *reindex) run(ctx context.Context, p process) error {
	if r.megabytes < 1 {
		return usageError("--max-megabytes must be at least 1")
	}
	client, err := r.open(ctx, p)
	if err != nil {
		return err
	}
	maxBytes := int64(r.megabytes) << 20
	done, err := charts.NewIndexer(charts.Parts{
		Bucket: chartss3.NewBucket(client, r.bucket), Inspector: chartshelm.New(maxBytes), MaxBytes: maxBytes, Now: time.Now,
	}).Rebuild(ctx)
	tellErr := tellOutcomes(p, done)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("stopped; run it again to finish")
	case err != nil:
		return err
	}
	return tellErr
}

// open finds the bucket's name, and a client that reaches it.
func (r *reindex) open(ctx context.Context, p process) (*s3.Client, error) {
	var stack localStack
	var options []func(*config.LoadOptions) error
	settings := start.NewSettings(p.lookup)
	switch {
	case r.on.local != "":
		found, err := findLocalStack(r.on.local, r.on.address)
		if err != nil {
			return nil, err
		}
		stack, options = found, found.options()
		r.bucket = cmp.Or(r.bucket, stack.Buckets["ChartsBucket"])
	case r.on.address != "":
		return nil, usageError("--addr needs --local")
	default:
		r.bucket = cmp.Or(r.bucket, settings.Optional("CHARTS_BUCKET"))
	}
	if r.bucket == "" {
		return nil, usageError("name the bucket with --bucket or CHARTS_BUCKET, or give --local DATA for a local stack")
	}
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("AWS settings: %w", err)
	}
	return s3Client(cfg, stack.S3), nil
}

// tellOutcomes prints what was done, and fails for what was rejected.
func tellOutcomes(p process, done []charts.Outcome) error {
	counts := map[charts.Act]int{}
	for _, o := range done {
		counts[o.Act]++
		if o.Act == charts.Rejected {
			p.say("rejected %s: %s", o.File, o.Reason)
			continue
		}
		if _, err := fmt.Fprintf(p.stdout, "%-8s  %s\n", o.Act, o.File); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(p.stdout, "%d versions listed anew or corrected, %d no longer listed, %d files rejected\n",
		counts[charts.Listed], counts[charts.Unlisted], counts[charts.Rejected])
	if err == nil && counts[charts.Rejected] > 0 {
		err = fmt.Errorf("files that were rejected: %d; they are below %s with the reasons", counts[charts.Rejected], charts.RejectedPrefix)
	}
	return err
}
