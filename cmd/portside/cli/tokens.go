package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"portside/client"
)

func (a *app) tokensCommand() *cobra.Command {
	return group("tokens", "list, create and revoke tokens for charts and images",
		a.listTokensCommand(), a.createTokenCommand(), a.revokeTokenCommand())
}

func tokenColumns() []column[client.Token] {
	return []column[client.Token]{
		{"id", "ID", func(t client.Token) any { return t.ID }},
		{"name", "NAME", func(t client.Token) any { return t.Name }},
		{"kind", "KIND", func(t client.Token) any { return string(t.Kind) }},
		{"status", "STATUS", func(t client.Token) any { return string(t.Status) }},
		{"scopes", "SCOPES", func(t client.Token) any { return t.Scopes }},
		{"expiresAt", "EXPIRES", func(t client.Token) any { return t.ExpiresAt }},
		{"lastUsedAt", "LAST USED", func(t client.Token) any { return t.LastUsedAt }},
		{"createdAt", "", func(t client.Token) any { return t.CreatedAt }},
		{"revokedAt", "", func(t client.Token) any { return t.RevokedAt }},
		{"username", "", func(t client.Token) any { return t.Username }},
		{"reason", "", func(t client.Token) any { return t.Reason }},
		{"rotatedFrom", "", func(t client.Token) any { return t.RotatedFrom }},
	}
}

func newTokenColumns() []column[client.NewToken] {
	return []column[client.NewToken]{
		{"id", "ID", func(t client.NewToken) any { return t.ID }},
		{"name", "NAME", func(t client.NewToken) any { return t.Name }},
		{"token", "TOKEN", func(t client.NewToken) any { return t.Token }},
		{"scopes", "SCOPES", func(t client.NewToken) any { return t.Scopes }},
		{"expiresAt", "EXPIRES", func(t client.NewToken) any { return t.ExpiresAt }},
	}
}

func (a *app) listTokensCommand() *cobra.Command {
	var user, customer string
	c := &cobra.Command{
		Use: "list", Short: "list your tokens and passwords, or those of another user or a customer", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			api, err := a.connect()
			if err != nil {
				return err
			}
			if user != "" && customer != "" {
				return UsageError("--user and --customer exclude each other")
			}
			id, err := optionalUserID(c.Context(), api, user)
			if err != nil {
				return err
			}
			of, err := optionalCustomerID(c.Context(), api, customer)
			if err != nil {
				return err
			}
			params := &client.ListTokensParams{UserID: id, CustomerID: of}
			if of != nil {
				params.Limit = new(int64(pageSize))
			}
			return printList(a, tokenColumns(), api.AllTokens(c.Context(), params))
		},
	}
	c.Flags().StringVar(&customer, "customer", "", "tokens of all users of the `CUSTOMER` with this slug or ID")
	c.Flags().StringVar(&user, "user", "", "tokens of this `USER`: an email address or an ID")
	return a.printing(c)
}

func (a *app) createTokenCommand() *cobra.Command {
	var name string
	var scopes []string
	var days int64
	c := &cobra.Command{
		Use: "create", Short: "create a token; only this command prints it", Args: exactly(),
		Long: `Creates a token and prints it to stdout, and everything else to stderr. With --json or
--csv, the result contains the token.`,
		Example: `  portside tokens create --name "build pipeline" --scope read:helm-charts > token
  portside tokens create --name nightly --scope "read:docker-images:acme/*" --days 30`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := required(c, "name", "scope"); err != nil {
				return err
			}
			body := client.CreateTokenJSONBody{Name: name, Scopes: scopes}
			if c.Flags().Changed("days") {
				body.ExpirationDays = &days
			}
			api, err := a.connect()
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
	c.Flags().Var((*wholeNumber)(&days), "days", "`DAYS` until the token expires; default: the service decides")
	complete(c, "scope", "read:helm-charts", "read:docker-images")
	return a.printing(c)
}

func (a *app) printToken(token client.NewToken) error {
	if a.format.isForPrograms() {
		return printOne(a, newTokenColumns(), token)
	}
	a.report("Created the token %s, which expires at %s. It is not shown again:", token.ID, cell(token.ExpiresAt, tableTime))
	_, err := fmt.Fprintln(a.Stdout, token.Token)
	return err
}

func (a *app) revokeTokenCommand() *cobra.Command {
	var line, yes bool
	c := &cobra.Command{
		Use: "revoke ID", Short: "revoke a token or a password", Args: exactly("the ID of the token"),
		Example: "  portside tokens revoke 3vQB7B6MrGQZ\n  portside tokens revoke 3vQB7B6MrGQZ --line --yes",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := a.connect()
			if err != nil {
				return err
			}
			if !yes {
				if err := a.confirmToken(c.Context(), api, args[0], line); err != nil {
					return err
				}
			}
			if err := api.RevokeToken(c.Context(), args[0], &client.RevokeTokenParams{Line: &line}); err != nil {
				return err
			}
			a.report("Revoked %s.", printable(args[0]))
			return nil
		},
	}
	addYes(c, &yes)
	c.Flags().BoolVar(&line, "line", false, "also revoke the tokens that it was renewed from, and those renewed from them")
	return a.calling(c)
}

// confirmToken asks before a token or a password ends.
func (a *app) confirmToken(ctx context.Context, api *client.Client, id string, line bool) error {
	token, err := api.GetToken(ctx, id)
	if err != nil {
		return err
	}
	question := printable(fmt.Sprintf("Revoke the %s %s (%s)", token.Kind, token.Name, token.ID))
	if line {
		question += " and all tokens of its line"
	}
	return a.confirm(ctx, false, question+"?")
}
