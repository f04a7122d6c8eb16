package resources

import (
	"context"

	"github.com/spf13/cobra"

	"portside/client"
	"portside/cmd/portside/cli"
)

const requestArgument = "the ID of the request"

func (a *app) requestsCommand() *cobra.Command {
	return cli.Group("requests", "list, make, approve and deny requests for passwords",
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

func requestColumns() []cli.Column[client.CredentialRequest] {
	return []cli.Column[client.CredentialRequest]{
		cli.Field("id", "ID", func(r client.CredentialRequest) any { return r.ID }),
		cli.Field("status", "STATUS", func(r client.CredentialRequest) any { return string(r.Status) }),
		cli.Field("accessLevel", "ACCESS", func(r client.CredentialRequest) any { return string(r.AccessLevel) }),
		cli.Field("requester", "REQUESTER", requester),
		cli.Field("createdAt", "CREATED", func(r client.CredentialRequest) any { return r.CreatedAt }),
		cli.Field("dueAt", "DUE", func(r client.CredentialRequest) any { return r.DueAt }),
		cli.Field("justification", "JUSTIFICATION", func(r client.CredentialRequest) any { return r.Justification }),
		cli.Field("reason", "", func(r client.CredentialRequest) any { return r.Reason }),
		cli.Field("decidedAt", "", func(r client.CredentialRequest) any { return r.DecidedAt }),
		cli.Field("collectBy", "", func(r client.CredentialRequest) any { return r.CollectBy }),
		cli.Field("userId", "", func(r client.CredentialRequest) any { return r.UserID }),
		cli.Field("decidedBy", "", func(r client.CredentialRequest) any { return r.DecidedBy }),
		cli.Field("credentialId", "", func(r client.CredentialRequest) any { return r.CredentialID }),
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
	var limit cli.MaxItems
	c := &cobra.Command{
		Use: "list", Short: "list requests, the newest first; with --status pending, the most urgent first", Args: cli.Exactly(),
		RunE: a.calls(func(ctx context.Context, api *client.Client, _ []string) error {
			of, err := optionalUserID(ctx, api, user)
			if err != nil {
				return err
			}
			params := &client.ListCredentialRequestsParams{
				UserID: of, Status: cli.Optional[client.ListCredentialRequestsParamsStatus](status), Limit: limit.Page(),
			}
			if status == "pending" {
				params.Order = new(client.ListCredentialRequestsParamsOrderOldest)
			}
			return cli.PrintList(a.App, requestColumns(), cli.AtMost(limit, api.AllCredentialRequests(ctx, params)))
		}),
	}
	c.Flags().StringVar(&status, "status", "", "only requests with this `STATUS`: pending, approved, denied, collected or expired")
	c.Flags().StringVar(&user, "user", "", "only requests of this `USER`: an email address or an ID")
	c.Flags().Var(&limit, "limit", "at most `N` requests")
	cli.Complete(c, "status", "pending", "approved", "denied", "collected", "expired")
	return a.Printing(c)
}

func (a *app) createRequestCommand() *cobra.Command {
	var access, justification string
	c := &cobra.Command{
		Use: "create", Short: "ask for a password for charts and images", Args: cli.Exactly(),
		Example: `  portside requests create --access charts --justification "Our staging cluster pulls your charts."`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := cli.Required(c, "access", "justification"); err != nil {
				return err
			}
			api, err := a.Connect()
			if err != nil {
				return err
			}
			made, err := api.CreateCredentialRequest(c.Context(), client.CreateCredentialRequestJSONBody{
				AccessLevel: client.CreateCredentialRequestJSONBodyAccessLevel(access), Justification: justification,
			})
			if err != nil {
				return err
			}
			return cli.PrintOne(a.App, requestColumns(), made)
		},
	}
	c.Flags().StringVar(&access, "access", "", "`ACCESS`: charts, images or full, which is both (required)")
	c.Flags().StringVar(&justification, "justification", "", "`TEXT` for the person who decides (required)")
	cli.Complete(c, "access", "charts", "images", "full")
	return a.Printing(c)
}

// decide approves or denies a request.
type decide func(ctx context.Context, api *client.Client, id string, reason *string) (client.CredentialRequest, error)

func (a *app) decideCommand(name, short string, decide decide) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use: name + " ID", Short: short, Args: cli.Exactly(requestArgument),
		RunE: a.calls(func(ctx context.Context, api *client.Client, args []string) error {
			decided, err := decide(ctx, api, args[0], cli.Optional[string](reason))
			if err != nil {
				return err
			}
			return cli.PrintOne(a.App, requestColumns(), decided)
		}),
	}
	c.Flags().StringVar(&reason, "reason", "", "`TEXT` for the requester, sent in the mail")
	return a.Printing(c)
}
