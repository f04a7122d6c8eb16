package cli

import (
	"context"

	"github.com/spf13/cobra"

	"portside/client"
)

const requestArgument = "the ID of the request"

func (a *app) requestsCommand() *cobra.Command {
	return group("requests", "list, make, approve and deny requests for passwords",
		a.listRequestsCommand(), a.createRequestCommand(),
		a.decideCommand("approve", "approve a request; the requester gets a link by mail",
			func(ctx context.Context, api *client.Client, id string, reason *string) (client.CredentialRequest, error) {
				return api.ApproveCredentialRequest(ctx, id, client.ApproveCredentialRequestJSONBody{Reason: reason})
			}),
		a.decideCommand("deny", "deny a request",
			func(ctx context.Context, api *client.Client, id string, reason *string) (client.CredentialRequest, error) {
				return api.DenyCredentialRequest(ctx, id, client.DenyCredentialRequestJSONBody{Reason: reason})
			}))
}

func requestColumns() []column[client.CredentialRequest] {
	return []column[client.CredentialRequest]{
		{"id", "ID", func(r client.CredentialRequest) any { return r.ID }},
		{"status", "STATUS", func(r client.CredentialRequest) any { return string(r.Status) }},
		{"accessLevel", "ACCESS", func(r client.CredentialRequest) any { return string(r.AccessLevel) }},
		{"requester", "REQUESTER", requester},
		{"createdAt", "CREATED", func(r client.CredentialRequest) any { return r.CreatedAt }},
		{"dueAt", "DUE", func(r client.CredentialRequest) any { return r.DueAt }},
		{"justification", "JUSTIFICATION", func(r client.CredentialRequest) any { return r.Justification }},
		{"reason", "", func(r client.CredentialRequest) any { return r.Reason }},
		{"decidedAt", "", func(r client.CredentialRequest) any { return r.DecidedAt }},
		{"collectBy", "", func(r client.CredentialRequest) any { return r.CollectBy }},
		{"userId", "", func(r client.CredentialRequest) any { return r.UserID }},
		{"decidedBy", "", func(r client.CredentialRequest) any { return r.DecidedBy }},
		{"credentialId", "", func(r client.CredentialRequest) any { return r.CredentialID }},
	}
}

// requester returns the address of the requester, or the ID if the caller may not see the address.
func requester(r client.CredentialRequest) any {
	if r.Requester != nil {
		return r.Requester.Email
	}
	return r.UserID
}

func (a *app) listRequestsCommand() *cobra.Command {
	var status, user string
	var limit maxItems
	c := &cobra.Command{
		Use: "list", Short: "list requests, the newest first; with --status pending, the most urgent first", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			api, err := a.connect()
			if err != nil {
				return err
			}
			params := &client.ListCredentialRequestsParams{
				Status: optional[client.ListCredentialRequestsParamsStatus](status), Limit: limit.page(),
			}
			if status == "pending" {
				params.Order = new(client.ListCredentialRequestsParamsOrderOldest)
			}
			if params.UserID, err = optionalUserID(c.Context(), api, user); err != nil {
				return err
			}
			return printList(a, requestColumns(), atMost(limit, api.AllCredentialRequests(c.Context(), params)))
		},
	}
	c.Flags().StringVar(&status, "status", "", "only requests with this `STATUS`: pending, approved, denied, collected or expired")
	c.Flags().StringVar(&user, "user", "", "only requests of this `USER`: an email address or an ID")
	c.Flags().Var(&limit, "limit", "at most `N` requests")
	complete(c, "status", "pending", "approved", "denied", "collected", "expired")
	return a.printing(c)
}

func (a *app) createRequestCommand() *cobra.Command {
	var access, justification string
	c := &cobra.Command{
		Use: "create", Short: "ask for a password for charts and images", Args: exactly(),
		Example: `  portside requests create --access charts --justification "Our staging cluster pulls your charts."`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := required(c, "access", "justification"); err != nil {
				return err
			}
			api, err := a.connect()
			if err != nil {
				return err
			}
			made, err := api.CreateCredentialRequest(c.Context(), client.CreateCredentialRequestJSONBody{
				AccessLevel: client.CreateCredentialRequestJSONBodyAccessLevel(access), Justification: justification,
			})
			if err != nil {
				return err
			}
			return printOne(a, requestColumns(), made)
		},
	}
	c.Flags().StringVar(&access, "access", "", "`ACCESS`: charts, images or full, which is both (required)")
	c.Flags().StringVar(&justification, "justification", "", "`TEXT` for the person who decides (required)")
	complete(c, "access", "charts", "images", "full")
	return a.printing(c)
}

// decide approves or denies a request.
type decide func(ctx context.Context, api *client.Client, id string, reason *string) (client.CredentialRequest, error)

func (a *app) decideCommand(name, short string, decide decide) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use: name + " ID", Short: short, Args: exactly(requestArgument),
		RunE: func(c *cobra.Command, args []string) error {
			api, err := a.connect()
			if err != nil {
				return err
			}
			decided, err := decide(c.Context(), api, args[0], optional[string](reason))
			if err != nil {
				return err
			}
			return printOne(a, requestColumns(), decided)
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "`TEXT` for the requester, sent in the mail")
	return a.printing(c)
}
