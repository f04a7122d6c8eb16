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

// directory finds the names behind the IDs in a list. Whoever may see a pull may see who made it.
type directory struct {
	people interface {
		// Persons returns those of the distinct ids that belong to a user, in no particular order.
		Persons(ctx context.Context, ids []string) ([]principal.Person, error)
	}
	credentials interface {
		// Get returns a credential. Errors: credentials.ErrUnknown.
		Get(ctx context.Context, id string) (credentials.Credential, error)
	}
}

// names has the names of people and of tokens by their IDs.
type names struct {
	people map[string]principal.Person
	tokens map[string]string
}

// maxCalls is how many calls to the database one request makes at a time.
const maxCalls = 16

func (d directory) names(ctx context.Context, listed []pulls.Pull) (names, error) {
	n := names{people: map[string]principal.Person{}, tokens: map[string]string{}}
	for _, p := range listed {
		n.people[p.OwnerID], n.tokens[p.CredentialID] = principal.Person{}, ""
	}
	people, err := d.people.Persons(ctx, slices.Collect(maps.Keys(n.people)))
	if err != nil {
		return names{}, err
	}
	for _, person := range people {
		n.people[person.ID] = person
	}
	ids := slices.Collect(maps.Keys(n.tokens))
	found := make([]string, len(ids))
	err = parallel.Each(len(ids), maxCalls, func(i int) error {
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
