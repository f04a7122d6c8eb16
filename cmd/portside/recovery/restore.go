package recovery

import (
	"context"
	"flag"
	"slices"

	"portside/cmd/portside/backup"
	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/core/audit"
)

// restoreJob is the job of the command restore.
type restoreJob struct {
	on      *installation.Target
	create  bool
	buckets bool
}

func restoreCommand() operator.Command {
	return operator.Command{
		Name: "restore", Arguments: "DIR", Summary: "copy a backup into empty tables",
		Help: `Copies the backup in the folder DIR into tables, which must be empty. With --create and
--table-suffix, the command creates new tables like those of the stack. The stack uses them
after you deploy it with the parameters TableSuffix and CreateTables=false.

The command checks the files and the tables before it changes anything. It never overwrites
items or objects. After an interruption, run it again. Then run rebuild-ranks and reconcile
with the same --table-suffix.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			r := &restoreJob{on: installation.NewTarget(flags)}
			flags.BoolVar(&r.create, "create", false, "create the tables that --table-suffix names")
			flags.BoolVar(&r.buckets, "buckets", false, "also restore the objects of CHARTS_BUCKET and ANALYTICS_BUCKET")
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				dir, err := oneFolder(arguments)
				if err != nil {
					return err
				}
				return operator.Interrupted(ctx, r.run(ctx, p, dir))
			}
		},
	}
}

func (r *restoreJob) run(ctx context.Context, p operator.Process, dir string) error {
	if r.create && (r.on.Suffix == nil || *r.on.Suffix == "") {
		return operator.UsageError("--create needs --table-suffix: without a suffix, the tables belong to the stack")
	}
	made, err := backup.Open(dir)
	if err != nil {
		return err
	}
	opened, err := r.on.Connect(ctx, p)
	if err != nil {
		return err
	}
	data, err := r.on.AllTables(p, opened)
	if err != nil {
		return err
	}
	job := &backup.Restore{Dir: dir, Report: reporter(p)}
	unlock, err := job.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	for _, table := range data {
		job.Targets = append(job.Targets, table)
	}
	if r.buckets {
		all, err := r.on.AllBuckets(p, opened)
		if err != nil {
			return err
		}
		for _, bucket := range all {
			job.Targets = append(job.Targets, bucket)
		}
	}
	if err := job.CheckFiles(ctx, made); err != nil {
		return err
	}
	if r.create {
		if err := r.createTables(ctx, p, data); err != nil {
			return err
		}
	}
	run := backup.NewRestoreRun(made.ID)
	if err := job.Run(ctx, made, run); err != nil {
		return err
	}
	if err := backup.Release(ctx, data, run); err != nil {
		return err
	}
	if err := opened.Record(ctx, audit.TableRestored); err != nil {
		return err
	}
	sets := slices.DeleteFunc(made.Sets, func(s *backup.Set) bool { return s.Kind == backup.Bucket && !r.buckets })
	return printSets(p, sets, "the restore of "+dir)
}

// createTables creates the tables of --table-suffix like the tables without it.
func (r *restoreJob) createTables(ctx context.Context, p operator.Process, data []backup.TableData) error {
	stack := installation.Target{Local: r.on.Local, Address: r.on.Address}
	opened, err := stack.Connect(ctx, p)
	if err != nil {
		return err
	}
	models, err := stack.AllTables(p, opened)
	if err != nil {
		return err
	}
	for i, table := range data {
		if err := backup.CreateLike(ctx, table.Client, models[i].Table, table.Table); err != nil {
			return err
		}
	}
	return nil
}
