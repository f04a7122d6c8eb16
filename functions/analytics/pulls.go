package main

import (
	"context"

	"portside/shared/analytics"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

type pullsInput struct {
	By    analytics.Ranked `query:"by" required:"true" enum:"artifact,person" doc:"artifact ranks charts and images; person ranks the users whose credentials pulled, and needs the permission tokens:read as well."`
	Limit int              `query:"limit" default:"10" minimum:"1" maximum:"50" doc:"Maximum number of entries."`
	PeriodInput
	CompareInput
}

type pullsOutput struct {
	Body struct {
		Data pullsData `json:"data"`
	}
}

type pullsData struct {
	By       analytics.Ranked `json:"by" enum:"artifact,person" doc:"Value of by of the request."`
	Period   Period           `json:"period"`
	Entries  []RankingEntry   `json:"entries" doc:"Those with the most pulls, the most first."`
	Complete bool             `json:"complete" doc:"Whether nobody else has more pulls than the last entry. It can be false only for a period of several months or days, if more than 100 had pulls in one of them. The counts are exact in any case."`
	Previous *PreviousPeriod  `json:"previous,omitempty" doc:"The period of the comparison; only with compare."`
	Meta     Meta             `json:"meta"`
}

// PreviousPeriod is the period of a comparison.
type PreviousPeriod struct {
	Period Period `json:"period"`
}

// RankingEntry is a place of a ranking: an artifact with kind and repository, or a user with userId.
type RankingEntry struct {
	Kind       string `json:"kind,omitempty" enum:"chart,image" doc:"Only for artifacts."`
	Repository string `json:"repository,omitempty" doc:"Name of the chart, or repository of the image; only for artifacts." example:"acme/api"`
	UserID     string `json:"userId,omitempty" doc:"ID of the user; only for persons. The user may be deleted." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Pulls      int64  `json:"pulls" doc:"Pulls within the period, as usage.pulls of the dashboard counts them." example:"31"`
	Previous   *int64 `json:"previous,omitempty" doc:"Pulls within the period of the comparison; only with compare." example:"28"`
}

// errPeople is what GET /api/v1/pulls tells to callers who may see only their own pulls.
var errPeople = fault.New(fault.Forbidden, "To see who pulled, you need the permission tokens:read in addition to analytics:read. "+
	"by=artifact needs only analytics:read.")

func (h *handlers) pulls(ctx context.Context, in *pullsInput) (*pullsOutput, error) {
	if caller, _ := principal.From(ctx); in.By == analytics.People && !caller.Can(principal.TokensRead) {
		return nil, errPeople
	}
	ranking, err := h.rankings.Top(ctx, analytics.RankingQuery{Period: in.asked(), Of: in.By, Limit: in.Limit, With: in.Compare})
	if err != nil {
		return nil, err
	}
	out := &pullsOutput{}
	out.Body.Data = pullsData{
		By: in.By, Period: periodForm(ranking.Period), Complete: ranking.Complete, Entries: make([]RankingEntry, len(ranking.Entries)),
		Meta: Meta{AsOf: ranking.AsOf, Partial: ranking.Partial},
	}
	if ranking.Compared != nil {
		out.Body.Data.Previous = &PreviousPeriod{periodForm(*ranking.Compared)}
	}
	for i, e := range ranking.Entries {
		entry := RankingEntry{Kind: e.Kind, Repository: e.Repository, UserID: e.UserID, Pulls: e.Pulls}
		if ranking.Compared != nil {
			entry.Previous = &e.Before
		}
		out.Body.Data.Entries[i] = entry
	}
	return out, nil
}
