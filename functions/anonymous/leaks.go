package main

import (
	"context"

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

func (h *handlers) revokeLeaked(ctx context.Context, in *revokeLeakedInput) (*struct{}, error) {
	return nil, h.leaks.Report(ctx, revocation.Report{
		Text: in.Body.Token, BaseURL: web.BaseURL(h.baseURL, in.host),
	})
}
