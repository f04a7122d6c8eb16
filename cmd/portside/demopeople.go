package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"portside/shared/core/calendar"
	"portside/shared/core/principal"
	"portside/shared/projects"
	"portside/shared/users"
)

type (
	person = users.User
	plan   = projects.Project
)

// moments are times of a day in their order, in working hours mostly, today up to now.
func (y *year) moments(day calendar.Day, n int) []time.Time {
	var all []time.Time
	for range n {
		at := day.Begin().Add(8*time.Hour + time.Duration(y.random.IntN(10*3600*1000))*time.Millisecond)
		if at.Before(y.now) {
			all = append(all, at)
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	return all
}

// each does something at so many moments of a day.
func (y *year) each(day calendar.Day, n int, do func(at time.Time) error) error {
	for _, at := range y.moments(day, n) {
		if err := do(at); err != nil {
			return err
		}
	}
	return nil
}

// chance is true so many times in a hundred.
func (y *year) chance(percent float64) bool { return y.random.Float64()*100 < percent }

// Names of people, and of what they work on.
const (
	firstNames = "Ada Bela Carla Dmitri Elif Femi Greta Hana Ivo Jun Kofi Lena Mara Noor Otto Pia"
	lastNames  = "Adler Bauer Costa Demir Evans Fuchs Garcia Haas Ito Jansen Kaya Lopez Moreau Novak"
	units      = "Operations Sales Engineering Support"
	products   = "Billing Warehouse Portal Fleet Payroll Search Archive Scheduling"
	works      = "rollout migration pilot upgrade audit renewal"
)

func (y *year) word(of string) string { return among(y, strings.Fields(of)) }

func among[T any](y *year, all []T) T { return all[y.random.IntN(len(all))] }

// changePeople lets users come, change and go.
func (y *year) changePeople(ctx context.Context, day calendar.Day) error {
	y.draw(day, peopleTopic)
	coming := y.some(0.75)
	switch {
	case day == y.first:
		coming = 24
	case isWeekend(day):
		coming = 0
	}
	if err := y.each(day, coming, func(at time.Time) error { return y.addPerson(ctx, at) }); err != nil {
		return err
	}
	for i := len(y.people) - 1; i >= 1; i-- { // the first one stays
		if !y.chance(0.4) {
			continue
		}
		if err := y.each(day, 1, func(at time.Time) error { return y.changePerson(ctx, i, at) }); err != nil {
			return err
		}
	}
	return nil
}

func (y *year) addPerson(ctx context.Context, at time.Time) error {
	y.made++
	name := y.word(firstNames) + " " + y.word(lastNames)
	status, role := users.Active, principal.User
	switch n := y.random.IntN(100); {
	case n < 3 || y.made == 1:
		role = principal.Admin
	case n < 13:
		role = principal.Manager
	case n < 33:
		role = principal.Viewer
	}
	if y.chance(6) && y.made > 1 {
		status = users.Inactive
	}
	created, err := y.users.Create(ctx, users.Creation{User: users.User{
		ID: uuid.Must(uuid.NewV7()).String(), Name: name, Role: role, Status: status, CreatedAt: at,
		Email:      fmt.Sprintf("demo-%d-%04d@example.com", y.seed, y.made),
		Department: y.word(units), Metadata: json.RawMessage("{}"),
	}})
	if errors.Is(err, users.ErrEmailTaken) {
		return fmt.Errorf("what seed %d adds is here already: give another --seed", y.seed)
	}
	if err != nil {
		return fmt.Errorf("%s: demo user %d: %w", at.Format(time.DateOnly), y.made, err)
	}
	y.people = append(y.people, created.User)
	return nil
}

// changePerson lets one go, come back, or change.
func (y *year) changePerson(ctx context.Context, i int, at time.Time) error {
	before := y.people[i]
	if !at.After(before.UpdatedAt) {
		return nil
	}
	if before.Status != users.Active && y.chance(40) {
		y.people = slices.Delete(y.people, i, i+1)
		return y.users.Delete(ctx, before, at)
	}
	after := before
	after.UpdatedAt = at
	switch {
	case before.Status != users.Active:
		after.Status = users.Active
	case y.chance(25):
		after.Role = among(y, []principal.Role{principal.Manager, principal.User, principal.Viewer})
	case y.chance(80):
		after.Status = users.Inactive
	default:
		after.Status = users.Suspended
	}
	changed, err := y.users.Update(ctx, before, after)
	y.people[i] = changed
	return err
}

// changePlans lets projects begin, go on and end.
func (y *year) changePlans(ctx context.Context, day calendar.Day) error {
	y.draw(day, projectsTopic)
	coming := y.some(0.3)
	switch {
	case day == y.first:
		coming = 8
	case isWeekend(day):
		coming = 0
	}
	if err := y.each(day, coming, func(at time.Time) error { return y.addPlan(ctx, at) }); err != nil {
		return err
	}
	for i := range slices.Backward(y.plans) {
		if !y.chance(1.5) || isWeekend(day) {
			continue
		}
		if err := y.each(day, 1, func(at time.Time) error { return y.changePlan(ctx, i, at) }); err != nil {
			return err
		}
	}
	return nil
}

func (y *year) addPlan(ctx context.Context, at time.Time) error {
	status := projects.Draft
	if y.chance(40) {
		status = projects.Active
	}
	owner := ""
	if len(y.people) > 0 {
		owner = among(y, y.people).ID
	}
	created, err := y.projects.Create(ctx, projects.Creation{Project: projects.Project{
		ID: uuid.Must(uuid.NewV7()).String(), Name: y.word(products) + " " + y.word(works), Status: status, OwnerID: owner,
		Settings: json.RawMessage("{}"), Metadata: json.RawMessage("{}"), CreatedAt: at,
	}})
	if err != nil {
		return fmt.Errorf("%s: demo project: %w", at.Format(time.DateOnly), err)
	}
	y.plans = append(y.plans, created.Project)
	return nil
}

// changePlan takes a project on: it begins, waits, is done, and is archived; a few are deleted.
func (y *year) changePlan(ctx context.Context, i int, at time.Time) error {
	before := y.plans[i]
	if !at.After(before.UpdatedAt) {
		return nil
	}
	if before.Status == projects.Archived {
		if !y.chance(10) {
			return nil
		}
		y.plans = slices.Delete(y.plans, i, i+1)
		return y.projects.Delete(ctx, before, at)
	}
	next := map[projects.Status][]projects.Status{
		projects.Draft:     {projects.Active},
		projects.Active:    {projects.OnHold, projects.Completed, projects.Completed},
		projects.OnHold:    {projects.Active, projects.Active, projects.Archived},
		projects.Completed: {projects.Archived, projects.Archived, projects.Active},
	}
	after := before
	after.Status, after.UpdatedAt = among(y, next[before.Status]), at
	changed, err := y.projects.Update(ctx, before, after)
	y.plans[i] = changed
	return err
}
