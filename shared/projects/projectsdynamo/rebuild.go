package projectsdynamo

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/dynamo/rank"
	"portside/shared/projects"
)

// Rebuild makes the lists, their counts and the terms of searches agree with the projects while other writers work; see
// lists.Rebuild. It does not touch the day counters, which follow from Histories.
func (s *Store) Rebuild(ctx context.Context, report func(lists.Progress)) (lists.Repairs, error) {
	return s.lists.Rebuild(ctx, lists.Source{
		Key: projectKey, Owner: lists.OwnerOf,
		Is: func(pk, sk string) bool { return sk == "project" && strings.HasPrefix(pk, projectPK("")) },
		Read: func(item items.Map) (lists.Resource, error) {
			stored, err := items.Decode[projectItem](item)
			return s.resource(stored.project()), err
		},
	}, report)
}

func (s *Store) resource(p projects.Project) lists.Resource {
	t := lists.Resource{ID: p.ID, Version: p.Version}
	if p.ID != "" && p.Status.Known() && p.Number >= 0 && p.Number < rank.Capacity {
		t.Derived = append(s.lists.Items(entry(p)), searchEntry(p).Items()...)
	}
	return t
}

// RebuildCustomer makes the counts of the lists of a customer agree with the lists, which Rebuild has repaired. It reports whether one of
// them was wrong.
func (s *Store) RebuildCustomer(ctx context.Context, customerID string) (wrong bool, err error) {
	counters, err := s.lists.In(customerID).RebuildCounts(ctx)
	if err != nil {
		return false, fmt.Errorf("count the projects of customer %s: %w", customerID, err)
	}
	return counters > 0, nil
}

// Histories returns the histories of all existing and deleted projects; see [daycounts.Census].
func (s *Store) Histories(ctx context.Context) iter.Seq2[daycounts.History, error] {
	return daycounts.Census{Client: s.client, Table: s.table, Kind: "project", HistoryOf: func(item items.Map) (daycounts.History, error) {
		stored, err := items.Decode[projectItem](item)
		if err != nil {
			return nil, err
		}
		history, err := daycounts.ParseHistory(stored.History)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", stored.PK, err)
		}
		return history, nil
	}}.Histories(ctx)
}
