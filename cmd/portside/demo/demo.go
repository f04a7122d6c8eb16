// Package demo has the operators' command demo-data, which fills an installation with an example year.
package demo

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/core/calendar"
	"portside/shared/credentials"
	"portside/shared/dynamo/items"
)

// job is the job of the command demo-data.
type job struct {
	on   *installation.Target
	days int
	seed uint64
	add  bool
}

// maxDays is slightly less than the 400 days that the pull log is kept.
const maxDays = 396

// Commands returns the command.
func Commands() []operator.Command { return []operator.Command{command()} }

func command() operator.Command {
	return operator.Command{
		Name: "demo-data", Summary: "add a realistic year of data, to try out the portal",
		Help: `Adds a year of data of a growing customer base: customers with contacts, limits,
entitlements and trust policies, one of them suspended; users and projects of the customers and
of the vendor that are created, changed and deleted; tokens that are renewed and revoked;
credential requests in all states, with the passwords that were collected; requests by day and
night, on weekdays and weekends, with incidents and slow hours; model calls, pulls and storage
measurements. Pulls are only of what the entitlements of the customer allowed. The data is
written as the service writes it, so "portside reconcile" finds no differences. The command sends no
mail and shows no secret: the tokens and passwords cannot be used.

Use it only on test installations: the data can only be removed together with the tables.
The command fails if there are projects or more than one user, unless --add is given. Another
run with another --seed adds more data. A run that was stopped leaves what it has written,
and cannot be continued.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			d := &job{on: installation.NewTarget(flags), days: 365, seed: 1}
			flags.Func("days", fmt.Sprintf("`NUMBER` of days up to today, 1 to %d; default: 365", maxDays), operator.WholeNumber(&d.days))
			flags.Func("seed", "`NUMBER` that determines the random data, from 0; default: 1", func(text string) (err error) {
				if d.seed, err = strconv.ParseUint(text, 10, 64); err != nil {
					return errors.New("must be a whole number from 0")
				}
				return nil
			})
			flags.BoolVar(&d.add, "add", false, "add to existing users and projects")
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				if err := operator.RejectArguments(arguments); err != nil {
					return err
				}
				return d.run(ctx, p)
			}
		},
	}
}

func (d *job) run(ctx context.Context, p operator.Process) error {
	if d.days < 1 || d.days > maxDays {
		return operator.UsageError(fmt.Sprintf("--days must be 1 to %d", maxDays))
	}
	tables, err := d.on.OpenAnalytics(ctx, p)
	if err != nil {
		return err
	}
	if tables.Names.Counts == "" {
		return installation.MissingTables("RequestCountsTable")
	}
	now := p.Now().UTC().Truncate(time.Millisecond)
	if err := d.check(ctx, tables, calendar.DayOf(now)); err != nil {
		return err
	}
	s := &story{AnalyticsTables: tables, seed: d.seed, now: now, first: calendar.DayOf(now) - calendar.Day(d.days) + 1,
		lastPulls: map[string]time.Time{}}
	if err := s.resetSequences(ctx); err != nil {
		return err
	}
	reportedAt := time.Now()
	for day := s.first; day <= calendar.DayOf(now); day++ {
		if time.Since(reportedAt) > operator.ProgressInterval {
			reportedAt = time.Now()
			p.Report("%s: %d of %d days, %s", day, day-s.first, d.days, s.summary())
		}
		if err := s.playDay(ctx, day); err != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("stopped on %s; the data of the days before stays: for a whole year, add one with --add --seed %d", day, d.seed+1)
			}
			return err
		}
	}
	if err := s.recordUses(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "%d days up to today with %s\n", d.days, s.summary())
	return err
}

// check fails if the installation is in use.
func (d *job) check(ctx context.Context, tables *installation.AnalyticsTables, today calendar.Day) error {
	counts, err := tables.Analytics.Counts(ctx, today, today)
	if err != nil {
		return err
	}
	users, projects := counts.Now["users"], counts.Now["projects"]
	if !d.add && (users > 1 || projects > 0) {
		return fmt.Errorf("there are already %d users and %d projects; nothing would distinguish demo data from them: to add it "+
			"nevertheless, pass --add, or if there is demo data already, --add --seed 2 (with make: ARGS='--add --seed 2')",
			users, projects)
	}
	return nil
}

// story writes the data day by day.
type story struct {
	*installation.AnalyticsTables

	seed   uint64
	now    time.Time
	first  calendar.Day
	random *rand.Rand // of one part of one day; see seedRandom

	knownCompanies []company // in the order in which they joined
	knownUsers     []person
	knownProjects  []plan

	issued       []*credentials.Credential // tokens and passwords, oldest first
	lastPulls    map[string]time.Time      // by credential
	createdUsers int                       // including deleted ones
	logLines     int                       // access log lines
}

func (s *story) summary() string {
	return fmt.Sprintf("%d customers, %d users, %d projects and %d requests",
		len(s.knownCompanies), len(s.knownUsers), len(s.knownProjects), s.logLines)
}

// resetSequences allows customers, users and projects with a creation time in the past. Otherwise they would
// get the time of the latest existing one; see rank.Tree.Allocate.
func (s *story) resetSequences(ctx context.Context) error {
	for name, table := range map[string]string{
		"customers": s.Names.Customers, "users": s.Names.Users, "projects": s.Names.Projects,
	} {
		_, err := s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &table, Key: items.Key("rank#"+name, "sequence"), UpdateExpression: aws.String("SET #at = :begin"),
			ConditionExpression: aws.String("attribute_exists(pk)"), ExpressionAttributeNames: map[string]string{"#at": "at"},
			ExpressionAttributeValues: items.Map{":begin": items.Number(s.first.Begin().UnixMilli())},
		})
		if err != nil && !items.ConditionFailed(err) {
			return fmt.Errorf("reset the sequence of %s: %w", name, err)
		}
	}
	return nil
}

// playDay writes the data of one day, and of today only up to now.
func (s *story) playDay(ctx context.Context, day calendar.Day) error {
	for _, part := range []func(context.Context, calendar.Day) error{
		s.changeCustomers, s.changeUsers, s.changeTokens, s.addCredentialRequests, s.changeProjects, s.addAPIRequests, s.addModelCalls,
		s.addPulls, s.measureStorage,
	} {
		if err := part(ctx, day); err != nil {
			return err
		}
	}
	return nil
}

// topic is a part of a day. Each part draws its own random numbers, so the requests of a day do not
// depend on what its users did.
type topic uint64

const (
	usersTopic topic = iota
	projectsTopic
	apiRequestsTopic
	modelCallsTopic
	pullsTopic
	storageTopic
	tokensTopic
	credentialRequestsTopic
	topics // the number of topics
)

// seedRandom sets random for a part of a day. The numbers are the same in every run with the same seed.
func (s *story) seedRandom(day calendar.Day, part topic) {
	s.random = rand.New(rand.NewPCG(s.seed, uint64(day)*uint64(topics)+uint64(part))) //nolint:gosec // not a secret
}

// growth returns the size of the business on a day, from 0.2 on the first day to 1 today.
func (s *story) growth(day calendar.Day) float64 {
	return 0.2 + 0.8*float64(day-s.first+1)/float64(calendar.DayOf(s.now)-s.first+1)
}

// isWeekend reports whether a day has little activity.
func isWeekend(day calendar.Day) bool {
	return day.Begin().Weekday() == time.Saturday || day.Begin().Weekday() == time.Sunday
}

// around returns a random number near a mean.
func (s *story) around(mean float64) int {
	return max(0, int(mean*(0.7+0.6*s.random.Float64())+s.random.Float64()))
}
