package smoketest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"portside/cmd/portside/installation"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/users"
)

// places is how many smoke tests can run at the same time. Each has the names of one place. There are few names,
// because the chart repository keeps the archive of each chart for ever, and a test must find the users of tests that
// were killed.
const places = 8

// leftoverAge is the age from which an admin belongs to a test that was killed. It exceeds the time that a test may
// take.
const leftoverAge = 10 * time.Minute

// placeNames are the names that one smoke test uses at a time. It reserves all of them by creating the admin.
type placeNames struct {
	admin string // address; the domain never receives mail
	probe string // address of the user that the test creates through the API; the mailbox simulator of Amazon SES accepts its mail
	chart string
	// customer is the slug of the customer of the first hour; all its users belong to the test. member is the address
	// of one.
	customer, member string
}

func namesAt(place int) placeNames {
	return placeNames{
		admin: fmt.Sprintf("smoke-test-%d@portside.invalid", place),
		probe: fmt.Sprintf("success+portside-smoke-test-%d@simulator.amazonses.com", place),
		chart: fmt.Sprintf("portside-smoke-test-%d", place), customer: fmt.Sprintf("portside-smoke-test-%d", place),
		member: fmt.Sprintf("success+portside-smoke-test-%d-member@simulator.amazonses.com", place),
	}
}

// errNoPlace means that all places are in use.
var errNoPlace = fmt.Errorf("%d smoke tests run at the same time, or were killed within the last %d minutes: run the test again later",
	places, int(leftoverAge.Minutes()))

// signUp removes the users of tests that were killed, and creates an admin with an API key. The service must have
// another admin, because the last admin cannot be deleted.
func (s *trial) signUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changeTimeout)
	defer cancel()
	admins, err := s.Users.ActiveAdmins(ctx)
	if err != nil {
		return err
	}
	if admins == 0 {
		return errors.New("the service has no admin: create the first one with `portside bootstrap`, and run the smoke test again")
	}
	free, err := s.unusedPlaces(ctx)
	if err != nil {
		return err
	}
	if err := s.takePlace(ctx, free); err != nil {
		return err
	}
	s.key, err = s.issueKey(ctx, s.admin)
	return err
}

// issueKey creates an API key of a user. Unlike the API, it sends no mail.
func (s *trial) issueKey(ctx context.Context, owner users.User) (credentials.Secret, error) {
	secret := credentials.Mint(credentials.APIKey)
	key := credentials.Credential{
		ID: secret.ID(), Kind: credentials.APIKey, Hash: secret.Hash(), Name: "smoke test", CreatedAt: s.Now().UTC(),
		Owner: credentials.OwnerOf(owner.Person()),
	}
	return secret, s.Users.Keys.Issue(ctx, owner, users.Issued{Key: key, Secret: secret})
}

// unusedPlaces returns the names that no running test uses. It removes the users of killed tests from them.
func (s *trial) unusedPlaces(ctx context.Context) (free []placeNames, err error) {
	for place := range places {
		names := namesAt(place + 1)
		admin, err := s.Users.ByEmail(ctx, names.admin)
		if err != nil && !errors.Is(err, users.ErrNotFound) {
			return nil, err
		}
		if err == nil && s.Now().Sub(admin.CreatedAt) < leftoverAge {
			continue
		}
		if err == nil {
			if err := s.removePlace(ctx, names, admin.ID); err != nil {
				return nil, err
			}
		}
		free = append(free, names)
	}
	return free, nil
}

// takePlace creates the admin of the first place that no other test takes meanwhile. It removes what a killed test has
// left there without its admin.
func (s *trial) takePlace(ctx context.Context, free []placeNames) error {
	for _, names := range free {
		created, err := s.service().Create(ctx, users.CreateOptions{Caller: principal.Operator()},
			users.NewUser{Email: names.admin, Name: "Smoke test", Role: principal.Admin})
		if errors.Is(err, users.ErrEmailTaken) {
			continue
		}
		s.names, s.admin = names, created.User
		if err == nil {
			err = s.removeAllButAdmin(ctx, names)
		}
		return err
	}
	return errNoPlace
}

// cleanUp removes the users of this test with all their credentials, and the customer. It also works after an
// interruption.
func (s *trial) cleanUp(ctx context.Context) error {
	if s.admin.ID == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	return s.removePlace(ctx, s.names, s.admin.ID)
}

// removePlace removes the users and the customer of a place, the admin last, because another test can take the place
// then.
func (s *trial) removePlace(ctx context.Context, names placeNames, adminID string) error {
	err := s.removeAllButAdmin(ctx, names)
	if err == nil {
		err = s.removeUser(ctx, adminID)
	}
	if err != nil {
		return fmt.Errorf("delete the users of the smoke test %s: %w", names.admin, err)
	}
	return nil
}

// removeAllButAdmin removes the users and the customer of a place, except its admin.
func (s *trial) removeAllButAdmin(ctx context.Context, names placeNames) error {
	probe, err := s.Users.ByEmail(ctx, names.probe)
	if err == nil {
		err = s.removeUser(ctx, probe.ID)
	}
	if err != nil && !errors.Is(err, users.ErrNotFound) {
		return err
	}
	return s.removeCustomer(ctx, names.customer)
}

// removeUser removes a user. Another test may have removed the users of a killed one.
func (s *trial) removeUser(ctx context.Context, id string) error {
	err := s.service().Delete(ctx, principal.Operator(), versions.Target{ID: id})
	if errors.Is(err, users.ErrNotFound) {
		return nil
	}
	return err
}

func (s *trial) service() *users.Service {
	return users.NewService(s.Users, nil, installation.NewID, s.Now)
}
