package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
)

// demonstration is the job of demo-data.
type demonstration struct {
	on   *target
	days int
	seed uint64
	add  bool
}

// maxDemoDays is as much as the log of pulls keeps, less what it needs.
const maxDemoDays = 396

func demoCommand() command {
	return command{
		name: "demo-data", summary: "fill a believable year, so that the dashboard can be seen",
		help: `Adds a year of a growing customer base: users and projects that come, change and go;
requests by day and night, on weekdays and weekends, with incidents and slow hours; calls
of models, pulls, and how much is stored. All of it is written as the service writes it, so
that "portside reconcile" finds nothing wrong. Nobody gets a mail, and nobody a key.

It is for installations that are there to be looked at: what it adds can only be removed
with the tables. It refuses to run where there are projects, or users other than one, unless
--add is given. It is not repeatable: another run adds more, with another --seed, and one
that was stopped leaves what it did.`,
		prepare: func(flags *flag.FlagSet) action {
			d := &demonstration{on: newTarget(flags)}
			flags.IntVar(&d.days, "days", 365, fmt.Sprintf("`number` of days up to today, 1 to %d; 365 if left out", maxDemoDays))
			flags.Uint64Var(&d.seed, "seed", 1, "`number` that decides what happens, from 0; 1 if left out")
			flags.BoolVar(&d.add, "add", false, "add to what is there")
			return func(ctx context.Context, p process, arguments []string) error {
				if err := noArguments(arguments); err != nil {
					return err
				}
				return d.run(ctx, p)
			}
		},
	}
}

func (d *demonstration) run(ctx context.Context, p process) error {
	if d.days < 1 || d.days > maxDemoDays {
		return usageError(fmt.Sprintf("--days must be 1 to %d", maxDemoDays))
	}
	of, err := d.on.openRecords(ctx, p)
	if err != nil {
		return err
	}
	now := p.now().UTC().Truncate(time.Millisecond)
	if err := d.check(ctx, of, calendar.DayOf(now)); err != nil {
		return err
	}
	y := &year{records: of, seed: d.seed, now: now, first: calendar.DayOf(now) - calendar.Day(d.days) + 1}
	if err := y.turnBack(ctx); err != nil {
		return err
	}
	told := time.Now()
	for day := y.first; day <= calendar.DayOf(now); day++ {
		if time.Since(told) > tellEvery {
			told = time.Now()
			p.say("%s: %d of %d days, %s", day, day-y.first, d.days, y.sum())
		}
		if err := y.live(ctx, day); err != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("stopped on %s; what was done until then stays", day)
			}
			return err
		}
	}
	_, err = fmt.Fprintf(p.stdout, "%d days up to today with %s\n", d.days, y.sum())
	return err
}

// check refuses an installation that is in use.
func (d *demonstration) check(ctx context.Context, of *records, today calendar.Day) error {
	counts, err := of.analytics.Counts(ctx, today, today)
	if err != nil {
		return err
	}
	users, projects := counts.Now["users"], counts.Now["projects"]
	if !d.add && (users > 1 || projects > 0) {
		return fmt.Errorf("there are %d users and %d projects already: give --add to add to them; nothing tells apart what is added",
			users, projects)
	}
	return nil
}

// year is what happens day by day.
type year struct {
	*records

	seed   uint64
	now    time.Time
	first  calendar.Day
	random *rand.Rand // of one part of one day; see draw
	people []person
	plans  []plan
	made   int // users
	lines  int // of the log
}

func (y *year) sum() string {
	return fmt.Sprintf("%d users, %d projects and %d requests", len(y.people), len(y.plans), y.lines)
}

// turnBack lets users and projects be created in the past although others have been created since: otherwise the time of
// the last one would be everybody's; see rank.Tree.Allocate.
func (y *year) turnBack(ctx context.Context) error {
	for name, table := range map[string]string{"users": y.names.users, "projects": y.names.projects} {
		_, err := y.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &table, Key: items.Key("rank#"+name, "sequence"), UpdateExpression: aws.String("SET #at = :begin"),
			ConditionExpression: aws.String("attribute_exists(pk)"), ExpressionAttributeNames: map[string]string{"#at": "at"},
			ExpressionAttributeValues: items.Map{":begin": items.Number(y.first.Begin().UnixMilli())},
		})
		if err != nil && !items.ConditionFailed(err) {
			return fmt.Errorf("turn back the sequence of %s: %w", name, err)
		}
	}
	return nil
}

// live lets a day pass, today up to now.
func (y *year) live(ctx context.Context, day calendar.Day) error {
	for _, part := range []func(context.Context, calendar.Day) error{
		y.changePeople, y.changePlans, y.serve, y.ask, y.fetch, y.store,
	} {
		if err := part(ctx, day); err != nil {
			return err
		}
	}
	return nil
}

// topic is a part of a day. Each part draws its own random numbers, so that the requests of a day do not depend on what its
// users did.
type topic uint64

const (
	peopleTopic topic = iota
	projectsTopic
	requestsTopic
	callsTopic
	pullsTopic
	storageTopic
	topics // how many there are
)

// draw starts the random numbers of a part of a day. They are the same in every run with the same seed.
func (y *year) draw(day calendar.Day, of topic) {
	y.random = rand.New(rand.NewPCG(y.seed, uint64(day)*uint64(topics)+uint64(of))) //nolint:gosec // not a secret
}

// grown is how far the business is on a day: from 0.2 at the beginning to 1 today.
func (y *year) grown(day calendar.Day) float64 {
	return 0.2 + 0.8*float64(day-y.first+1)/float64(calendar.DayOf(y.now)-y.first+1)
}

// isWeekend tells days on which little is done.
func isWeekend(day calendar.Day) bool {
	return day.Begin().Weekday() == time.Saturday || day.Begin().Weekday() == time.Sunday
}

// some is a number around a mean.
func (y *year) some(mean float64) int {
	return max(0, int(mean*(0.7+0.6*y.random.Float64())+y.random.Float64()))
}
