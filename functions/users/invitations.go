package main

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/users"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// Invitation is the current invitation of a pending user.
type Invitation struct {
	UserID    string     `json:"userId" format:"uuid" example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Status    string     `json:"status" enum:"waiting,sent,expired" doc:"waiting: the mail has not been sent; the service retries for a week. sent: the mail was sent, and the link works. expired: the link no longer works, or the mail could not be sent." example:"sent"`
	CreatedAt *time.Time `json:"createdAt" doc:"Time when the link was created, in UTC; null if it will be created with the mail, or was deleted after it had expired." example:"2026-03-02T09:30:00Z"`
	ExpiresAt *time.Time `json:"expiresAt" doc:"Time when the link stops working, in UTC; null if createdAt is null." example:"2026-03-09T09:30:00Z"`
}

type invitationOutput struct {
	resource.Version
	Body struct {
		Data Invitation `json:"data"`
	}
}

func (s *service) newInvitationOutput(current users.CurrentInvitation) *invitationOutput {
	out := &invitationOutput{}
	out.Body.Data = Invitation{
		UserID: current.User.ID, Status: "sent",
		CreatedAt: web.NullIfZero(current.CreatedAt), ExpiresAt: web.NullIfZero(current.ExpiresAt),
	}
	switch {
	case current.IsUnsent:
		out.Body.Data.Status = "waiting"
	case current.IsExpired(s.now()):
		out.Body.Data.Status = "expired"
	}
	out.Version = resource.ContentVersion(out.Body.Data)
	return out
}

func (s *service) getInvitation(ctx context.Context, in *UserPath) (*invitationOutput, error) {
	caller, _ := principal.From(ctx)
	current, err := s.inviter.Invitation(ctx, caller, resource.CanonicalID(in.UserID))
	if err != nil {
		return nil, err
	}
	return s.newInvitationOutput(current), nil
}

type resendInvitationInput struct {
	UserPath
	host string
}

// Resolve implements huma.Resolver. It records the host, for the mailed link.
func (in *resendInvitationInput) Resolve(ctx huma.Context) []error { //nolint:unparam // the host is always there
	in.host = ctx.Host()
	return nil
}

func (s *service) resendInvitation(ctx context.Context, in *resendInvitationInput) (*invitationOutput, error) {
	caller, _ := principal.From(ctx)
	current, err := s.inviter.Resend(ctx, caller, resource.CanonicalID(in.UserID), web.BaseURL(s.baseURL, in.host))
	if err != nil {
		return nil, err
	}
	return s.newInvitationOutput(current), nil
}

var (
	getInvitation = huma.Operation{
		OperationID: "getInvitation", Tags: []string{"Users"},
		Summary: "Get a user's invitation",
		Description: "Returns whether the activation mail of a pending user was sent, and when its link expires. Other users have no " +
			"invitation.",
		Errors: []int{http.StatusNotFound},
	}
	resendInvitation = huma.Operation{
		OperationID: "resendInvitation", Tags: []string{"Users"},
		Summary: "Invite a user again",
		Description: "Sends a pending user another activation mail. Its link works for 7 days, and the previous link stops working. The " +
			"`ETag` of the user changes. The response is a 429 if the previous link is less than a minute old, and from " +
			"the fifth link of a user on if it is less than an hour old, or if the invitations of the day are used up, as for new " +
			"users. You cannot " +
			"invite a user whose role has more permissions than yours.",
		Errors:     []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests},
		Extensions: map[string]any{web.OwnLimit: true},
	}
)
