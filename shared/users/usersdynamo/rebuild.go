package usersdynamo

import (
	"context"

	"portside/shared/dynamo/lists"
	"portside/shared/dynamo/records"
)

// StepAdmins is the step of a rebuild that follows the steps of the lists.
const StepAdmins lists.Step = "active admins"

// Repairs counts what a rebuild has repaired. Strays are list items, email markers and search terms.
type Repairs struct {
	lists.Repairs
	Admins bool // the number of active admins
}

// Rebuild makes everything derived agree with the users: email markers, lists, counts, the terms of searches, the
// sequence of numbers and the number of active admins. See lists.Rebuild for how it works, and for
// report.
func (s *Store) Rebuild(ctx context.Context, report func(lists.Progress)) (Repairs, error) {
	done, err := s.records.Rebuild(ctx, records.Source{Row: rowOf, MarkerPrefixes: map[string]string{emailPK(""): "user"}},
		report)
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
