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

// moments returns n sorted times in the working hours of a day. Today it drops those after now.
func (y *demoStory) moments(day calendar.Day, n int) []time.Time {
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

// atMoments calls do at n moments of a day.
func (y *demoStory) atMoments(day calendar.Day, n int, do func(at time.Time) error) error {
	for _, at := range y.moments(day, n) {
		if err := do(at); err != nil {
			return err
		}
	}
	return nil
}

// chance returns true with a probability in percent.
func (y *demoStory) chance(percent float64) bool { return y.random.Float64()*100 < percent }

// Words for the names of people and projects.
const (
	firstNames   = "Ada Bela Carla Dmitri Elif Femi Greta Hana Ivo Jun Kofi Lena Mara Noor Otto Pia"
	lastNames    = "Adler Bauer Costa Demir Evans Fuchs Garcia Haas Ito Jansen Kaya Lopez Moreau Novak"
	departments  = "Operations Sales Engineering Support"
	products     = "Billing Warehouse Portal Fleet Payroll Search Archive Scheduling"
	undertakings = "rollout migration pilot upgrade audit renewal"
)

func (y *demoStory) word(words string) string { return pick(y, strings.Fields(words)) }

func pick[T any](y *demoStory, all []T) T { return all[y.random.IntN(len(all))] }

// changeUsers creates, changes and deletes users.
func (y *demoStory) changeUsers(ctx context.Context, day calendar.Day) error {
	y.draw(day, usersTopic)
	added := y.around(0.75)
	switch {
	case day == y.first:
		added = 24
	case isWeekend(day):
		added = 0
	}
	if err := y.atMoments(day, added, func(at time.Time) error { return y.addUser(ctx, at) }); err != nil {
		return err
	}
	for i := len(y.knownUsers) - 1; i >= 1; i-- { // the first user never changes
		if !y.chance(0.4) {
			continue
		}
		if err := y.atMoments(day, 1, func(at time.Time) error { return y.changeUser(ctx, i, at) }); err != nil {
			return err
		}
	}
	return nil
}

func (y *demoStory) addUser(ctx context.Context, at time.Time) error {
	y.createdUsers++
	name := y.word(firstNames) + " " + y.word(lastNames)
	status, role := users.Active, principal.User
	switch n := y.random.IntN(100); {
	case n < 3 || y.createdUsers == 1:
		role = principal.Admin
	case n < 13:
		role = principal.Manager
	case n < 33:
		role = principal.Viewer
	}
	if y.chance(6) && y.createdUsers > 1 {
		status = users.Inactive
	}
	created, err := y.users.Create(ctx, users.Creation{User: users.User{
		ID: uuid.Must(uuid.NewV7()).String(), Name: name, Role: role, Status: status, CreatedAt: at,
		Email:      fmt.Sprintf("demo-%d-%04d@example.com", y.seed, y.createdUsers),
		Department: y.word(departments), Metadata: json.RawMessage("{}"),
	}})
	if errors.Is(err, users.ErrEmailTaken) {
		return fmt.Errorf("the users of seed %d already exist: pass another --seed, such as --add --seed %d", y.seed, y.seed+1)
	}
	if err != nil {
		return fmt.Errorf("%s: demo user %d: %w", at.Format(time.DateOnly), y.createdUsers, err)
	}
	y.knownUsers = append(y.knownUsers, created.User)
	return nil
}

// changeUser deactivates a user, reactivates one, changes a role, or deletes an inactive user.
func (y *demoStory) changeUser(ctx context.Context, i int, at time.Time) error {
	before := y.knownUsers[i]
	if !at.After(before.UpdatedAt) {
		return nil
	}
	if before.Status != users.Active && y.chance(40) {
		y.knownUsers = slices.Delete(y.knownUsers, i, i+1)
		return y.users.Delete(ctx, before, at)
	}
	after := before
	after.UpdatedAt = at
	switch {
	case before.Status != users.Active:
		after.Status = users.Active
	case y.chance(25):
		after.Role = pick(y, []principal.Role{principal.Manager, principal.User, principal.Viewer})
	case y.chance(80):
		after.Status = users.Inactive
	default:
		after.Status = users.Suspended
	}
	changed, err := y.users.Update(ctx, before, after)
	y.knownUsers[i] = changed
	return err
}

// changeProjects creates, changes and deletes projects.
func (y *demoStory) changeProjects(ctx context.Context, day calendar.Day) error {
	y.draw(day, projectsTopic)
	added := y.around(0.3)
	switch {
	case day == y.first:
		added = 8
	case isWeekend(day):
		added = 0
	}
	if err := y.atMoments(day, added, func(at time.Time) error { return y.addProject(ctx, at) }); err != nil {
		return err
	}
	for i := range slices.Backward(y.knownProjects) {
		if !y.chance(1.5) || isWeekend(day) {
			continue
		}
		if err := y.atMoments(day, 1, func(at time.Time) error { return y.changeProject(ctx, i, at) }); err != nil {
			return err
		}
	}
	return nil
}

func (y *demoStory) addProject(ctx context.Context, at time.Time) error {
	status := projects.Draft
	if y.chance(40) {
		status = projects.Active
	}
	owner := ""
	if len(y.knownUsers) > 0 {
		owner = pick(y, y.knownUsers).ID
	}
	created, err := y.projects.Create(ctx, projects.Creation{Project: projects.Project{
		ID: uuid.Must(uuid.NewV7()).String(), Name: y.word(products) + " " + y.word(undertakings), Status: status, OwnerID: owner,
		Settings: json.RawMessage("{}"), Metadata: json.RawMessage("{}"), CreatedAt: at,
	}})
	if err != nil {
		return fmt.Errorf("%s: demo project: %w", at.Format(time.DateOnly), err)
	}
	y.knownProjects = append(y.knownProjects, created.Project)
	return nil
}

// changeProject moves a project to a next status: started, on hold, completed, archived. It deletes
// a few archived ones.
func (y *demoStory) changeProject(ctx context.Context, i int, at time.Time) error {
	before := y.knownProjects[i]
	if !at.After(before.UpdatedAt) {
		return nil
	}
	if before.Status == projects.Archived {
		if !y.chance(10) {
			return nil
		}
		y.knownProjects = slices.Delete(y.knownProjects, i, i+1)
		return y.projects.Delete(ctx, before, at)
	}
	next := map[projects.Status][]projects.Status{
		projects.Draft:     {projects.Active},
		projects.Active:    {projects.OnHold, projects.Completed, projects.Completed},
		projects.OnHold:    {projects.Active, projects.Active, projects.Archived},
		projects.Completed: {projects.Archived, projects.Archived, projects.Active},
	}
	after := before
	after.Status, after.UpdatedAt = pick(y, next[before.Status]), at
	changed, err := y.projects.Update(ctx, before, after)
	y.knownProjects[i] = changed
	return err
}
