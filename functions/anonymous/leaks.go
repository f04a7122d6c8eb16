package main

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/revocation"
	"portside/shared/web"
)

type revokeLeakedInput struct {
	Body struct {
		Token string `json:"token" doc:"The complete token, password, API key, session or unused link." example:"pst_…"`
	}
	host string
}

// Resolve implements huma.Resolver.
func (in *revokeLeakedInput) Resolve(ctx huma.Context) []error { //nolint:unparam // the signature of huma.Resolver
	in.host = ctx.Host()
	return nil
}

var revokeLeakedToken = huma.Operation{
	OperationID: "revokeLeakedToken", Tags: []string{"Tokens"},
	Summary: "Revoke a leaked token", DefaultStatus: http.StatusNoContent,
	Description: "Revokes a token, password, API key, session or unused link, every token renewed from it, and every key, token and " +
		"password that was created with it, directly or in several steps, also those of other users. It stops working with the next " +
		"request. Credentials that were created with it stop working before the response, or within minutes if there are many. The " +
		"owners get a mail within minutes.\n\n" +
		"Needs no credential but the leaked one. The response does not reveal whether it exists.",
	Errors: web.BodyErrors(),
}

func (h *handlers) revokeLeaked(ctx context.Context, in *revokeLeakedInput) (*struct{}, error) {
	return nil, h.leaks.Report(ctx, revocation.Report{
		Text: in.Body.Token, BaseURL: web.BaseURL(h.baseURL, in.host),
	})
}
