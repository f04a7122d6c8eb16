package usersdynamo

import (
	"context"
	"strings"

	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/dynamo/rank"
	"portside/shared/users"
)

// StepAdmins is the step of a rebuild that follows the steps of the lists.
const StepAdmins lists.Step = "active admins"

// Repairs counts what a rebuild has repaired. Strays are list items, e-mail markers and search terms.
type Repairs struct {
	lists.Repairs
	Admins bool // the number of active admins
}

// Rebuild makes everything derived agree with the users: e-mail markers, lists, counts, the terms of searches, the
// sequence of numbers and the number of active admins. See lists.Rebuild for how it works, and for
// report.
func (s *Store) Rebuild(ctx context.Context, report func(lists.Progress)) (Repairs, error) {
	done, err := s.lists.Rebuild(ctx, s.source(), report)
	repairs := Repairs{Repairs: done}
	if err != nil {
		return repairs, err
	}
	repairs.Admins, err = s.repairAdmins(ctx)
	if err == nil && report != nil {
		report(lists.Progress{Step: StepAdmins, Repairs: done})
	}
	return repairs, err
}

func (s *Store) source() lists.Source {
	return lists.Source{
		Key: userKey,
		Is:  func(pk, sk string) bool { return sk == "user" && strings.HasPrefix(pk, "user#") },
		Read: func(item items.Map) (lists.Resource, error) {
			stored, err := items.Decode[userItem](item)
			return s.resource(stored.user()), err
		},
		Owner: func(pk string) string {
			if strings.HasPrefix(pk, emailPK("")) {
				return "user"
			}
			return lists.OwnerOf(pk)
		},
	}
}

// resource returns the user with all items that the table must have because of it.
func (s *Store) resource(u users.User) lists.Resource {
	t := lists.Resource{ID: u.ID, Version: u.Version}
	if u.ID != "" && u.Email != "" && u.Role.Known() && u.Status.Known() && u.Number >= 0 && u.Number < rank.Capacity {
		t.Derived = append(s.lists.Items(entry(u)), items.Encode(newEmailItem(u)))
		t.Derived = append(t.Derived, searchEntry(u).Items()...)
	}
	return t
}
