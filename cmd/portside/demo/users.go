package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"portside/cmd/portside/installation"
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
func (s *story) moments(day calendar.Day, n int) []time.Time {
	var all []time.Time
	for range n {
		at := day.Begin().Add(8*time.Hour + time.Duration(s.random.IntN(10*3600*1000))*time.Millisecond)
		if at.Before(s.now) {
			all = append(all, at)
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	return all
}

// atMoments calls do at n moments of a day.
func (s *story) atMoments(day calendar.Day, n int, do func(at time.Time) error) error {
	for _, at := range s.moments(day, n) {
		if err := do(at); err != nil {
			return err
		}
	}
	return nil
}

// chance returns true with a probability in percent.
func (s *story) chance(percent float64) bool { return s.random.Float64()*100 < percent }

// Words for the names of people and projects.
const (
	firstNames   = "Ada Bela Carla Dmitri Elif Femi Greta Hana Ivo Jun Kofi Lena Mara Noor Otto Pia"
	lastNames    = "Adler Bauer Costa Demir Evans Fuchs Garcia Haas Ito Jansen Kaya Lopez Moreau Novak"
	departments  = "Operations Sales Engineering Support"
	products     = "Billing Warehouse Portal Fleet Payroll Search Archive Scheduling"
	undertakings = "rollout migration pilot upgrade audit renewal"
)

func (s *story) word(words string) string { return pick(s, strings.Fields(words)) }

func pick[T any](s *story, all []T) T { return all[s.random.IntN(len(all))] }

// changeUsers creates, changes and deletes users.
func (s *story) changeUsers(ctx context.Context, day calendar.Day) error {
	s.seedRandom(day, usersTopic)
	added := s.around(0.75)
	switch {
	case day == s.first:
		added = 24
	case isWeekend(day):
		added = 0
	}
	if err := s.atMoments(day, added, func(at time.Time) error { return s.addUser(ctx, at) }); err != nil {
		return err
	}
	for i := len(s.knownUsers) - 1; i >= 1; i-- { // the first user never changes
		if !s.chance(0.4) {
			continue
		}
		if err := s.atMoments(day, 1, func(at time.Time) error { return s.changeUser(ctx, i, at) }); err != nil {
			return err
		}
	}
	return nil
}

func (s *story) addUser(ctx context.Context, at time.Time) error {
	s.createdUsers++
	name := s.word(firstNames) + " " + s.word(lastNames)
	status, role := users.Active, principal.User
	switch n := s.random.IntN(100); {
	case n < 3 || s.createdUsers == 1:
		role = principal.Admin
	case n < 13:
		role = principal.Manager
	case n < 33:
		role = principal.Viewer
	}
	if s.chance(6) && s.createdUsers > 1 {
		status = users.Inactive
	}
	customer := ""
	if role != principal.Admin && s.chance(80) {
		customer = s.pickCompany()
	}
	created, err := s.Users.Create(ctx, users.Creation{User: users.User{
		ID: installation.NewID(), CustomerID: customer, Name: name, Role: role, Status: status, CreatedAt: at,
		Email:      fmt.Sprintf("demo-%d-%04d@example.com", s.seed, s.createdUsers),
		Department: s.word(departments), Metadata: json.RawMessage("{}"),
	}})
	if errors.Is(err, users.ErrEmailTaken) {
		return s.errExists("users")
	}
	if err != nil {
		return fmt.Errorf("%s: demo user %d: %w", at.Format(time.DateOnly), s.createdUsers, err)
	}
	s.knownUsers = append(s.knownUsers, created.User)
	return nil
}

// changeUser deactivates a user, reactivates one, changes a role, or deletes an inactive user.
func (s *story) changeUser(ctx context.Context, i int, at time.Time) error {
	before := s.knownUsers[i]
	if !at.After(before.UpdatedAt) {
		return nil
	}
	if before.Status != users.Active && s.chance(40) {
		s.knownUsers = slices.Delete(s.knownUsers, i, i+1)
		return s.Users.Delete(ctx, before, at)
	}
	after := before
	after.UpdatedAt = at
	switch {
	case before.Status != users.Active:
		after.Status = users.Active
	case s.chance(25):
		after.Role = pick(s, []principal.Role{principal.Manager, principal.User, principal.Viewer})
	case s.chance(80):
		after.Status = users.Inactive
	default:
		after.Status = users.Suspended
	}
	changed, err := s.Users.Update(ctx, before, after)
	s.knownUsers[i] = changed
	return err
}

// changeProjects creates, changes and deletes projects.
func (s *story) changeProjects(ctx context.Context, day calendar.Day) error {
	s.seedRandom(day, projectsTopic)
	added := s.around(0.3)
	switch {
	case day == s.first:
		added = 8
	case isWeekend(day):
		added = 0
	}
	if err := s.atMoments(day, added, func(at time.Time) error { return s.addProject(ctx, at) }); err != nil {
		return err
	}
	for i := range slices.Backward(s.knownProjects) {
		if !s.chance(1.5) || isWeekend(day) {
			continue
		}
		if err := s.atMoments(day, 1, func(at time.Time) error { return s.changeProject(ctx, i, at) }); err != nil {
			return err
		}
	}
	return nil
}

func (s *story) addProject(ctx context.Context, at time.Time) error {
	status := projects.Draft
	if s.chance(40) {
		status = projects.Active
	}
	customer := ""
	if s.chance(60) {
		customer = s.pickCompany()
	}
	created, err := s.Projects.Create(ctx, projects.Creation{Project: projects.Project{
		ID: installation.NewID(), CustomerID: customer, Name: s.word(products) + " " + s.word(undertakings),
		Status: status, OwnerID: s.pickOwner(customer),
		Settings: json.RawMessage("{}"), Metadata: json.RawMessage("{}"), CreatedAt: at,
	}})
	if err != nil {
		return fmt.Errorf("%s: demo project: %w", at.Format(time.DateOnly), err)
	}
	s.knownProjects = append(s.knownProjects, created.Project)
	return nil
}

// pickOwner picks one of the vendor's staff or a user of the customer, or "" if there are no users yet.
func (s *story) pickOwner(customer string) string {
	var all []string
	for _, u := range s.knownUsers {
		if u.CustomerID == "" || u.CustomerID == customer {
			all = append(all, u.ID)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return pick(s, all)
}

// changeProject moves a project to a next status: started, on hold, completed, archived. It deletes
// a few archived ones.
func (s *story) changeProject(ctx context.Context, i int, at time.Time) error {
	before := s.knownProjects[i]
	if !at.After(before.UpdatedAt) {
		return nil
	}
	if before.Status == projects.Archived {
		if !s.chance(10) {
			return nil
		}
		s.knownProjects = slices.Delete(s.knownProjects, i, i+1)
		return s.Projects.Delete(ctx, before, at)
	}
	next := map[projects.Status][]projects.Status{
		projects.Draft:     {projects.Active},
		projects.Active:    {projects.OnHold, projects.Completed, projects.Completed},
		projects.OnHold:    {projects.Active, projects.Active, projects.Archived},
		projects.Completed: {projects.Archived, projects.Archived, projects.Active},
	}
	after := before
	after.Status, after.UpdatedAt = pick(s, next[before.Status]), at
	changed, err := s.Projects.Update(ctx, before, after)
	s.knownProjects[i] = changed
	return err
}
