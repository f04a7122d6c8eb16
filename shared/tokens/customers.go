package tokens

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"portside/shared/core/principal"
	"portside/shared/credentials"
)

// The tokens of a customer are those of its users, in the order in which the users were created. A page reads the
// tokens of a fixed number of users, at the same time. So it makes the same number of calls for any number of users,
// and can have fewer tokens than its limit.

// membersPerPage is how many users of a customer a page reads.
const membersPerPage = 10

// CustomerQuery asks for one page of the tokens and passwords of a customer's users.
type CustomerQuery struct {
	CustomerID string
	After      Position // of the page before; empty for the first page
	Limit      int
}

// CustomerPage is one page of the tokens and passwords of a customer's users. Each user's newest are first.
type CustomerPage struct {
	Tokens []credentials.Credential
	Next   Position // empty on the last page
}

// Position is the place of a token in the list of a customer: "<number of the user>", after all tokens of the user, or
// "<number of the user>/<creation in ms>/<id>".
type Position string

// errPosition means that a text is not a position.
var errPosition = errors.New("tokens: not a position")

type position struct {
	number  int64
	created int64
	id      string // empty after all tokens of the user
}

func (p Position) parse() (position, error) {
	at := position{number: -1}
	if p == "" {
		return at, nil
	}
	if _, err := fmt.Sscanf(strings.ReplaceAll(string(p), "/", " "), "%d %d %s", &at.number, &at.created,
		&at.id); err != nil {
		at = position{}
		if _, err := fmt.Sscanf(string(p), "%d", &at.number); err != nil {
			return position{}, errPosition
		}
	}
	if at.number < 0 || at.text() != p {
		return position{}, errPosition
	}
	return at, nil
}

// Valid reports whether the text is a position.
func (p Position) Valid() bool {
	_, err := p.parse()
	return err == nil
}

func (p position) text() Position {
	if p.id == "" {
		return Position(fmt.Sprint(p.number))
	}
	return Position(fmt.Sprintf("%d/%d/%s", p.number, p.created, p.id))
}

// first returns the number from which on the users of the page are.
func (p position) first() int64 {
	if p.id == "" {
		return p.number + 1
	}
	return p.number
}

// isBefore reports whether the position is before a token of a user.
func (p position) isBefore(number int64, token credentials.Credential) bool {
	if number != p.number || p.id == "" {
		return number > p.number
	}
	return cmp.Or(cmp.Compare(p.created, token.CreatedAt.UnixMilli()), strings.Compare(token.ID, p.id)) > 0
}

// ListOfCustomer returns one page of the tokens and passwords of a customer's users. A customer who does not exist for
// the caller has none. Errors: ErrNotYours without the permission to see those of others.
func (s *Service) ListOfCustomer(ctx context.Context, caller principal.Principal,
	query CustomerQuery) (CustomerPage, error) {
	if !caller.CanFor(principal.TokensRead, caller.CustomerID) {
		return CustomerPage{}, ErrNotYours
	}
	after, err := query.After.parse()
	if err != nil || !caller.Reaches(query.CustomerID) {
		return CustomerPage{}, err
	}
	members, err := s.people.Members(ctx, query.CustomerID, after.first(), membersPerPage+1)
	if err != nil {
		return CustomerPage{}, err
	}
	found, err := s.listEach(ctx, query.CustomerID, members[:min(membersPerPage, len(members))])
	if err != nil {
		return CustomerPage{}, err
	}
	var page CustomerPage
	for i, tokens := range found {
		for _, token := range tokens {
			if !after.isBefore(members[i].Number, token) {
				continue
			}
			if len(page.Tokens) == query.Limit {
				return page, nil
			}
			page.Tokens = append(page.Tokens, token)
			page.Next = position{members[i].Number, token.CreatedAt.UnixMilli(), token.ID}.text()
		}
	}
	page.Next = ""
	if len(members) > membersPerPage {
		page.Next = position{number: members[membersPerPage-1].Number}.text()
	}
	return page, nil
}

// listEach returns the tokens of each user, newest first, without those from the time when the user did not belong to
// the customer. All are read at the same time.
func (s *Service) listEach(ctx context.Context, customerID string, members []principal.Member) ([][]credentials.Credential, error) {
	found, failed := make([][]credentials.Credential, len(members)), make([]error, len(members))
	var reads sync.WaitGroup
	for i, member := range members {
		reads.Go(func() { found[i], failed[i] = s.newest(ctx, member.ID) })
	}
	reads.Wait()
	for i := range found {
		found[i] = slices.DeleteFunc(found[i], func(c credentials.Credential) bool { return c.Owner.CustomerID != customerID })
	}
	return found, errors.Join(failed...)
}
