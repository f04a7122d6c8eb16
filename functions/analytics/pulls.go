package main

import (
	"context"
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/analytics"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/pulls"
)

type pullsInput struct {
	By    analytics.RankingKind `query:"by" required:"true" enum:"artifact,person" doc:"artifact ranks charts and images; person ranks the users whose credentials pulled, and needs the permission tokens:read as well."`
	Limit int                   `query:"limit" default:"10" minimum:"1" maximum:"50" doc:"Maximum number of entries."`
	ComparedInput
}

type pullsOutput struct {
	Body struct {
		Data pullsData `json:"data"`
	}
}

type pullsData struct {
	By       analytics.RankingKind `json:"by" enum:"artifact,person" doc:"Value of by of the request."`
	Period   Period                `json:"period"`
	Entries  []RankingEntry        `json:"entries" doc:"The artifacts or users with the most pulls, in descending order; equal numbers in the order of kind, repository and userId."`
	Complete bool                  `json:"complete" doc:"Whether the entries are certainly the first ones. It can be false only for a custom period that is not one day, week, month, quarter or year, and only if more than 100 artifacts or users have pulls in one of its parts. The counts are always exact."`
	Previous *PreviousPeriod       `json:"previous,omitempty" doc:"The period of the comparison; only with compare."`
	Meta     Meta                  `json:"meta"`
}

// PreviousPeriod is the period of a comparison.
type PreviousPeriod struct {
	Period Period `json:"period"`
}

// RankingEntry is an artifact with kind and repository, or a user with userId.
type RankingEntry struct {
	Kind       string `json:"kind,omitempty" enum:"chart,image" doc:"Only for artifacts."`
	Repository string `json:"repository,omitempty" doc:"Name of the chart, or repository of the image; only for artifacts that you can see in the lists of charts and images." example:"acme/api"`
	*RankedUser
	Pulls    int64  `json:"pulls" doc:"Pulls within the period, as usage.pulls of the dashboard counts them." example:"31"`
	Previous *int64 `json:"previous,omitempty" doc:"Pulls within the period of the comparison; only with compare." example:"28"`
}

// RankedUser is the user of an entry. Entries of artifacts have none of its fields.
type RankedUser struct {
	UserID string  `json:"userId" required:"false" doc:"ID of the user; only for persons. The user may be deleted." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Name   *string `json:"name" required:"false" doc:"Name of the user; only for persons. Null if the user is deleted." example:"Ada Lovelace"`
	Email  *string `json:"email" required:"false" doc:"Email address of the user; only for persons. Null if the user is deleted." example:"ada@example.com"`
}

// errNeedsTokensRead refuses by=person to callers without tokens:read, the permission that GET /api/v1/pulls requires
// for the pulls of other users.
var errNeedsTokensRead = fault.New(fault.Forbidden, "To see who pulled, you need the permission tokens:read in addition to "+
	"analytics:read. by=artifact needs only analytics:read.")

var getPulls = huma.Operation{
	OperationID: "getPullRanking", Tags: tags,
	Summary: "Rank artifacts or users by pulls",
	Description: "Returns the artifacts that were pulled most in a period, or the users who pulled most. To see users, you need " +
		"`tokens:read` in addition to `analytics:read`. Without `tokens:read`, the response names only the artifacts that your own " +
		"working tokens and passwords may pull; other entries have a kind and pulls, but no repository. " +
		"`compare` adds the pulls of each entry in another period." + daysNote,
}

func (h *handlers) pulls(ctx context.Context, in *pullsInput) (*pullsOutput, error) {
	caller, _ := principal.From(ctx)
	if in.By == analytics.People && !caller.Can(principal.TokensRead) {
		return nil, errNeedsTokensRead
	}
	viewer, err := h.visibility.Of(ctx, caller)
	if err != nil {
		return nil, err
	}
	ranking, err := h.rankings.Top(ctx, analytics.RankingQuery{Period: in.asked(), Of: in.By, Limit: in.Limit, Compare: in.Compare})
	if err != nil {
		return nil, err
	}
	out := &pullsOutput{}
	out.Body.Data = encodeRanking(in.By, ranking, viewer)
	return out, h.nameUsers(ctx, out.Body.Data.Entries)
}

// nameUsers adds the names and email addresses of the users in a ranking, with one read of all of them.
func (h *handlers) nameUsers(ctx context.Context, entries []RankingEntry) error {
	ranked := map[string]*RankedUser{}
	for _, e := range entries {
		if e.RankedUser != nil {
			ranked[e.UserID] = e.RankedUser
		}
	}
	found, err := h.people.Persons(ctx, slices.Collect(maps.Keys(ranked)))
	for _, p := range found {
		ranked[p.ID].Name, ranked[p.ID].Email = &p.Name, &p.Email
	}
	return err
}

func encodeRanking(by analytics.RankingKind, ranking analytics.Ranking, viewer principal.Principal) pullsData {
	data := pullsData{
		By: by, Period: encodePeriod(ranking.Period), Complete: ranking.Complete,
		Entries: make([]RankingEntry, len(ranking.Entries)),
		Meta:    Meta{AsOf: ranking.AsOf, Partial: ranking.Partial},
	}
	if ranking.Compared != nil {
		data.Previous = &PreviousPeriod{encodePeriod(*ranking.Compared)}
	}
	for i, e := range ranking.Entries {
		entry := RankingEntry{Kind: e.Kind, Pulls: e.Pulls}
		if by == analytics.People {
			entry.RankedUser = &RankedUser{UserID: e.UserID}
		}
		if isVisible(e, viewer) {
			entry.Repository = e.Repository
		}
		if ranking.Compared != nil {
			entry.Previous = &e.Before
		}
		data.Entries[i] = entry
	}
	return data
}

// isVisible reports whether the viewer may see the name of an artifact.
func isVisible(e analytics.RankingEntry, viewer principal.Principal) bool {
	if e.Kind == string(pulls.Chart) {
		return viewer.MayFetch(principal.ReadCharts, e.Repository)
	}
	return viewer.MayFetch(principal.ReadImages, e.Repository)
}
