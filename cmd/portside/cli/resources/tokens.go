package resources

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"portside/client"
	"portside/cmd/portside/cli"
)

func (a *app) tokensCommand() *cobra.Command {
	return cli.Group("tokens", "list, create and revoke tokens for charts and images",
		a.listTokensCommand(), a.createTokenCommand(), a.revokeTokenCommand())
}

func tokenColumns() []cli.Column[client.Token] {
	return []cli.Column[client.Token]{
		cli.Field("id", "ID", func(t client.Token) any { return t.ID }),
		cli.Field("name", "NAME", func(t client.Token) any { return t.Name }),
		cli.Field("kind", "KIND", func(t client.Token) any { return string(t.Kind) }),
		cli.Field("status", "STATUS", func(t client.Token) any { return string(t.Status) }),
		cli.Field("scopes", "SCOPES", func(t client.Token) any { return t.Scopes }),
		cli.Field("expiresAt", "EXPIRES", func(t client.Token) any { return t.ExpiresAt }),
		cli.Field("lastUsedAt", "LAST USED", func(t client.Token) any { return t.LastUsedAt }),
		cli.Field("createdAt", "", func(t client.Token) any { return t.CreatedAt }),
		cli.Field("revokedAt", "", func(t client.Token) any { return t.RevokedAt }),
		cli.Field("username", "", func(t client.Token) any { return t.Username }),
		cli.Field("reason", "", func(t client.Token) any { return t.Reason }),
		cli.Field("rotatedFrom", "", func(t client.Token) any { return t.RotatedFrom }),
	}
}

func newTokenColumns() []cli.Column[client.NewToken] {
	return []cli.Column[client.NewToken]{
		cli.Field("id", "ID", func(t client.NewToken) any { return t.ID }),
		cli.Field("name", "NAME", func(t client.NewToken) any { return t.Name }),
		cli.Field("token", "TOKEN", func(t client.NewToken) any { return t.Token }),
		cli.Field("scopes", "SCOPES", func(t client.NewToken) any { return t.Scopes }),
		cli.Field("expiresAt", "EXPIRES", func(t client.NewToken) any { return t.ExpiresAt }),
	}
}

func (a *app) listTokensCommand() *cobra.Command {
	var user, customer string
	c := &cobra.Command{
		Use: "list", Short: "list your tokens and passwords, or those of another user or a customer", Args: cli.Exactly(),
		RunE: a.calls(func(ctx context.Context, api *client.Client, _ []string) error {
			if user != "" && customer != "" {
				return cli.UsageError("--user and --customer exclude each other")
			}
			id, err := optionalUserID(ctx, api, user)
			if err != nil {
				return err
			}
			of, err := optionalCustomerID(ctx, api, customer)
			if err != nil {
				return err
			}
			params := &client.ListTokensParams{UserID: id, CustomerID: of}
			if of != nil {
				params.Limit = new(int64(cli.PageSize))
			}
			return cli.PrintList(a.App, tokenColumns(), api.AllTokens(ctx, params))
		}),
	}
	c.Flags().StringVar(&customer, "customer", "", "tokens of all users of the `CUSTOMER` with this slug or ID")
	c.Flags().StringVar(&user, "user", "", "tokens of this `USER`: an email address or an ID")
	return a.Printing(c)
}

func (a *app) createTokenCommand() *cobra.Command {
	var name string
	var scopes []string
	var days int64
	c := &cobra.Command{
		Use: "create", Short: "create a token; only this command prints it", Args: cli.Exactly(),
		Long: `Creates a token and prints it to stdout, and everything else to stderr. With --json or
--csv, the result contains the token.`,
		Example: `  portside tokens create --name "build pipeline" --scope read:helm-charts > token
  portside tokens create --name nightly --scope "read:docker-images:acme/*" --days 30`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := cli.Required(c, "name", "scope"); err != nil {
				return err
			}
			body := client.CreateTokenJSONBody{Name: name, Scopes: scopes}
			if c.Flags().Changed("days") {
				body.ExpirationDays = &days
			}
			api, err := a.Connect()
			if err != nil {
				return err
			}
			token, err := api.CreateToken(c.Context(), body)
			if err != nil {
				return err
			}
			return a.printToken(token)
		},
	}
	c.Flags().StringVar(&name, "name", "", "`NAME` of the token (required)")
	c.Flags().StringSliceVar(&scopes, "scope", nil, "`SCOPE`, which can be repeated: read:helm-charts or read:docker-images, also with :NAME")
	c.Flags().Var((*cli.WholeNumber)(&days), "days", "`DAYS` until the token expires; default: the service decides")
	cli.Complete(c, "scope", "read:helm-charts", "read:docker-images")
	return a.Printing(c)
}

func (a *app) printToken(token client.NewToken) error {
	if a.Format.IsForPrograms() {
		return cli.PrintOne(a.App, newTokenColumns(), token)
	}
	a.Report("Created the token %s, which expires at %s. It is not shown again:", token.ID, cli.Cell(token.ExpiresAt, cli.TableTime))
	_, err := fmt.Fprintln(a.Stdout, token.Token)
	return err
}

func (a *app) revokeTokenCommand() *cobra.Command {
	var line, yes bool
	c := &cobra.Command{
		Use: "revoke ID", Short: "revoke a token or a password", Args: cli.Exactly("the ID of the token"),
		Example: "  portside tokens revoke 3vQB7B6MrGQZ\n  portside tokens revoke 3vQB7B6MrGQZ --line --yes",
		RunE: a.calls(func(ctx context.Context, api *client.Client, args []string) error {
			if !yes {
				if err := a.confirmToken(ctx, api, args[0], line); err != nil {
					return err
				}
			}
			if err := api.RevokeToken(ctx, args[0], &client.RevokeTokenParams{Line: &line}); err != nil {
				return err
			}
			a.Report("Revoked %s.", cli.Printable(args[0]))
			return nil
		}),
	}
	addYes(c, &yes)
	c.Flags().BoolVar(&line, "line", false, "also revoke the tokens that it was renewed from, and those renewed from them")
	return a.Calling(c)
}

// confirmToken asks before a token or a password ends.
func (a *app) confirmToken(ctx context.Context, api *client.Client, id string, line bool) error {
	token, err := api.GetToken(ctx, id)
	if err != nil {
		return err
	}
	question := cli.Printable(fmt.Sprintf("Revoke the %s %s (%s)", token.Kind, token.Name, token.ID))
	if line {
		question += " and all tokens of its line"
	}
	return a.Confirm(ctx, false, question+"?")
}
