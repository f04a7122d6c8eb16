package main

import (
	"context"
	"errors"
	"maps"
	"slices"

	"portside/shared/core/parallel"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/pulls"
)

// maxConcurrentCalls limits the calls to the database that one request makes at the same time.
const maxConcurrentCalls = 16

// directory finds the names behind the IDs in a list. Callers who can see a pull can see its user, unless the user has
// moved to another customer since.
type directory struct {
	people interface {
		// Persons returns the users with the distinct ids, in no particular order. It skips unknown ids.
		Persons(ctx context.Context, ids []string) ([]principal.Person, error)
	}
	credentials interface {
		// Get returns a credential. Errors: credentials.ErrUnknown.
		Get(ctx context.Context, id string) (credentials.Credential, error)
	}
	policies interface {
		// Names returns the names of the trust policies that exist, by their distinct ids.
		Names(ctx context.Context, ids []string) (map[string]string, error)
	}
}

// names has the names of people and of tokens by their IDs. A trust policy is like a person without an address.
type names struct {
	people map[string]principal.Person
	tokens map[string]string
}

func (d directory) names(ctx context.Context, caller principal.Principal, listed []pulls.Pull) (names, error) {
	n := names{people: map[string]principal.Person{}, tokens: map[string]string{}}
	for _, p := range listed {
		n.people[p.OwnerID], n.tokens[p.CredentialID] = principal.Person{}, ""
	}
	people, err := d.people.Persons(ctx, slices.Collect(maps.Keys(n.people)))
	if err != nil {
		return names{}, err
	}
	for _, person := range people {
		if caller.Reaches(person.CustomerID) {
			n.people[person.ID] = person
		}
	}
	if err := d.addPolicies(ctx, n); err != nil {
		return names{}, err
	}
	ids := slices.Collect(maps.Keys(n.tokens))
	found := make([]string, len(ids))
	err = parallel.Each(len(ids), maxConcurrentCalls, func(i int) error {
		token, err := d.credentials.Get(ctx, ids[i])
		if errors.Is(err, credentials.ErrUnknown) {
			return nil
		}
		found[i] = token.Name
		return err
	})
	for i, id := range ids {
		n.tokens[id] = found[i]
	}
	return n, err
}

// addPolicies adds the names of the owners that are no users, but may be trust policies.
func (d directory) addPolicies(ctx context.Context, n names) error {
	var ids []string
	for id, person := range n.people {
		if person.ID == "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := d.policies.Names(ctx, ids)
	for id, name := range found {
		n.people[id] = principal.Person{ID: id, Name: name}
	}
	return err
}
