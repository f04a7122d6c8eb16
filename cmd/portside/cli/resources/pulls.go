package resources

import (
	"github.com/spf13/cobra"

	"portside/client"
	"portside/cmd/portside/cli"
)

func (a *app) pullsCommand() *cobra.Command {
	return cli.Group("pulls", "show who pulled which charts and images", a.listPullsCommand())
}

// pullColumns returns the columns of pulls, or of checks, whose table shows how many they are.
func pullColumns(of string) []cli.Column[client.Pull] {
	checks := ""
	if of == string(client.PullTypeCheck) {
		checks = "CHECKS"
	}
	return []cli.Column[client.Pull]{
		cli.Field("at", "AT", func(p client.Pull) any { return p.At }),
		cli.Field("kind", "KIND", func(p client.Pull) any { return string(p.Kind) }),
		cli.Field("repository", "REPOSITORY", func(p client.Pull) any { return p.Repository }),
		cli.Field("reference", "REFERENCE", func(p client.Pull) any { return p.Reference }),
		cli.Field("ownerEmail", "OWNER", func(p client.Pull) any { return p.OwnerEmail }),
		cli.Field("tokenName", "TOKEN", func(p client.Pull) any { return p.TokenName }),
		cli.Field("address", "ADDRESS", func(p client.Pull) any { return p.Address }),
		cli.Field("client", "CLIENT", func(p client.Pull) any { return p.Client }),
		cli.Field("ownerName", "", func(p client.Pull) any { return p.OwnerName }),
		cli.Field("ownerId", "", func(p client.Pull) any { return p.OwnerID }),
		cli.Field("tokenId", "", func(p client.Pull) any { return p.TokenID }),
		cli.Field("digest", "", func(p client.Pull) any { return p.Digest }),
		cli.Field("id", "", func(p client.Pull) any { return p.ID }),
		cli.Field("customerId", "", func(p client.Pull) any { return p.CustomerID }),
		cli.Field("type", "", func(p client.Pull) any { return string(p.Type) }),
		cli.Field("checks", checks, func(p client.Pull) any { return p.Checks }),
	}
}

func (a *app) listPullsCommand() *cobra.Command {
	var from, to, repository, kind, of, token, user, customer string
	var limit cli.MaxItems
	var months monthFlags
	c := &cobra.Command{
		Use: "list", Short: "list the pulls of the last 30 days, or of another period", Args: cli.Exactly(),
		Example: "  portside pulls list --last-month --csv > pulls.csv\n  portside pulls list --from 2026-10-01 --to 2026-10-31\n" +
			"  portside pulls list --user ada@example.com\n  portside pulls list --type check",
		RunE: func(c *cobra.Command, _ []string) error {
			if days, isSet, err := months.days(a.Now()); err != nil {
				return err
			} else if isSet {
				if from != "" || to != "" {
					return cli.UsageError("give a month, or --from and --to")
				}
				from, to = days.first, days.last
			}
			api, err := a.Connect()
			if err != nil {
				return err
			}
			params := &client.ListPullsParams{
				From: cli.Optional[string](from), To: cli.Optional[string](to), Repository: cli.Optional[string](repository),
				Kind: cli.Optional[client.ListPullsParamsKind](kind), Type: cli.Optional[client.ListPullsParamsType](of),
				Token: cli.Optional[string](token), Limit: limit.Page(),
			}
			if params.UserID, err = optionalUserID(c.Context(), api, user); err != nil {
				return err
			}
			if params.CustomerID, err = optionalCustomerID(c.Context(), api, customer); err != nil {
				return err
			}
			return cli.PrintList(a.App, pullColumns(of), cli.AtMost(limit, api.AllPulls(c.Context(), params)))
		},
	}
	c.Flags().StringVar(&from, "from", "", "first `DAY` in UTC, such as 2026-10-01, or an RFC 3339 time")
	c.Flags().StringVar(&to, "to", "", "last `DAY` in UTC, included, or an RFC 3339 time")
	c.Flags().StringVar(&repository, "repository", "", "only pulls of the chart or image with this `NAME`")
	c.Flags().StringVar(&kind, "kind", "", "only pulls of this `KIND`: chart or image")
	c.Flags().StringVar(&of, "type", "", "pull, or check for update checks: requests for what a tag leads to, without a pull")
	c.Flags().StringVar(&token, "token", "", "only pulls with the token or password that has this `ID`")
	c.Flags().StringVar(&user, "user", "", "only pulls with the tokens and passwords of this `USER`, given by email address or ID")
	c.Flags().StringVar(&customer, "customer", "", "only pulls of users of this `CUSTOMER`, given by slug or ID")
	c.Flags().Var(&limit, "limit", "at most `N` pulls")
	cli.Complete(c, "kind", "chart", "image")
	cli.Complete(c, "type", "pull", "check")
	months.add(c)
	return a.Printing(c)
}
