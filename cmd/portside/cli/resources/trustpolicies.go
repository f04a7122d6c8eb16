package resources

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"portside/client"
	"portside/cmd/portside/cli"
)

const trustPolicyArgument = "the ID of the trust policy"

func (a *app) trustPoliciesCommand() *cobra.Command {
	return cli.Group("trust-policies", "list, show, create, update and delete the trust policies of a customer, for pipelines and pods",
		a.listTrustPoliciesCommand(), a.getTrustPolicyCommand(), a.createTrustPolicyCommand(), a.updateTrustPolicyCommand(),
		a.deleteTrustPolicyCommand())
}

func trustPolicyColumns() []cli.Column[client.TrustPolicy] {
	return []cli.Column[client.TrustPolicy]{
		cli.Field("id", "ID", func(p client.TrustPolicy) any { return p.ID }),
		cli.Field("name", "NAME", func(p client.TrustPolicy) any { return p.Name }),
		cli.Field("issuer", "ISSUER", func(p client.TrustPolicy) any { return p.Issuer }),
		cli.Field("audience", "AUDIENCE", func(p client.TrustPolicy) any { return p.Audience }),
		cli.Field("conditions", "CONDITIONS", conditionTexts),
		cli.Field("scopes", "SCOPES", func(p client.TrustPolicy) any { return p.Scopes }),
		cli.Field("maxMinutes", "MINUTES", func(p client.TrustPolicy) any { return p.MaxMinutes }),
		cli.Field("jwks", "", func(p client.TrustPolicy) any { return p.Jwks }),
		cli.Field("createdAt", "", func(p client.TrustPolicy) any { return p.CreatedAt }),
		cli.Field("updatedAt", "", func(p client.TrustPolicy) any { return p.UpdatedAt }),
	}
}

func (a *app) listTrustPoliciesCommand() *cobra.Command {
	var of ofCustomer
	var limit cli.MaxItems
	c := &cobra.Command{
		Use: "list", Short: "list the trust policies of a customer", Args: cli.Exactly(),
		Example: "  portside trust-policies list --customer acme-shipping",
		RunE: func(c *cobra.Command, _ []string) error {
			api, customer, err := of.connect(c, a)
			if err != nil {
				return err
			}
			params := &client.ListTrustPoliciesParams{Limit: limit.Page()}
			return cli.PrintList(a.App, trustPolicyColumns(), cli.AtMost(limit, api.AllTrustPolicies(c.Context(), customer, params)))
		},
	}
	of.add(c)
	c.Flags().Var(&limit, "limit", "at most `N` trust policies")
	return a.Printing(c)
}

func (a *app) getTrustPolicyCommand() *cobra.Command {
	var of ofCustomer
	c := &cobra.Command{
		Use: "get ID", Short: "show all fields of a trust policy", Args: cli.Exactly(trustPolicyArgument),
		Example: "  portside trust-policies get --customer acme-shipping 01939f6f-1d3c-7b4e-9a55-3d7c1f0e8b64",
		RunE: func(c *cobra.Command, args []string) error {
			api, customer, err := of.connect(c, a)
			if err != nil {
				return err
			}
			policy, err := api.GetTrustPolicy(c.Context(), customer, args[0])
			if err != nil {
				return err
			}
			return cli.PrintOne(a.App, trustPolicyColumns(), policy)
		},
	}
	of.add(c)
	return a.Printing(c)
}

// trustPolicyFlags are the flags that both create and update have.
type trustPolicyFlags struct {
	customer                         ofCustomer
	name, issuer, audience, jwksFile string
	conditions                       conditionFlags
	scopes                           []string
	maxMinutes                       int64
}

func (f *trustPolicyFlags) add(c *cobra.Command) {
	f.customer.add(c)
	c.Flags().StringVar(&f.name, "name", "", "`NAME` of the policy")
	c.Flags().StringVar(&f.issuer, "issuer", "", "`ADDRESS` in the claim iss of the tokens, such as https://gitlab.com")
	c.Flags().StringVar(&f.audience, "audience", "", "`TEXT` in the claim aud of the tokens, such as the address of the service")
	f.conditions.add(c)
	c.Flags().StringSliceVar(&f.scopes, "scope", nil,
		"`SCOPE`, which can be repeated: read:helm-charts or read:docker-images, also with :NAME")
	c.Flags().Var((*cli.WholeNumber)(&f.maxMinutes), "max-minutes", "`MINUTES` for which an access token works; default: the service decides")
	c.Flags().StringVar(&f.jwksFile, "jwks-file", "", "`FILE` with the JSON Web Key Set of an issuer that is not at a public address")
	cli.Complete(c, "issuer", githubIssuer, "https://gitlab.com")
	cli.Complete(c, "scope", "read:helm-charts", "read:docker-images")
}

// jwks returns the text of the file, nil if the flag is not set, or an empty text if it is empty.
func (f *trustPolicyFlags) jwks(c *cobra.Command) (*string, error) {
	if !c.Flags().Changed("jwks-file") {
		return nil, nil //nolint:nilnil // an unset flag is not an error
	}
	if f.jwksFile == "" {
		return new(""), nil
	}
	keys, err := os.ReadFile(f.jwksFile)
	if err != nil {
		return nil, err
	}
	return new(strings.TrimSpace(string(keys))), nil
}

// trustPolicyChange returns what the flags set.
func (a *app) trustPolicyChange(c *cobra.Command, f *trustPolicyFlags) (client.UpdateTrustPolicyJSONBody, error) {
	change := client.UpdateTrustPolicyJSONBody{
		Name: cli.IfChanged[string](c, "name", f.name), Issuer: cli.IfChanged[string](c, "issuer", f.issuer),
		Audience: cli.IfChanged[string](c, "audience", f.audience),
	}
	if c.Flags().Changed("max-minutes") {
		change.MaxMinutes = &f.maxMinutes
	}
	if c.Flags().Changed("scope") {
		change.Scopes = &f.scopes
	}
	conditions, err := a.conditionsOf(c, &f.conditions)
	if err != nil {
		return change, err
	}
	if f.conditions.isSet(c) {
		change.Conditions = &conditions
	}
	if c.Flags().Changed("github") {
		change.Issuer = new(githubIssuer)
	}
	change.Jwks, err = f.jwks(c)
	return change, err
}

func (a *app) createTrustPolicyCommand() *cobra.Command {
	var f trustPolicyFlags
	c := &cobra.Command{
		Use: "create", Short: "let pipelines or pods of a customer exchange their tokens for access tokens", Args: cli.Exactly(),
		Long: `Creates a trust policy: a token that has the issuer, the audience and all conditions can be
exchanged for a short-lived access token. One condition must name whom you trust, because an issuer
such as GitHub signs for everybody. --github OWNER/REPOSITORY sets the issuer and conditions on the
IDs of the repository and its owner, which this computer reads from GitHub's public API.`,
		Example: `  portside trust-policies create --customer acme-shipping --name "Builds of the app" --scope read:helm-charts \
    --audience https://portal.example.com --github acme/app --ref refs/heads/main --ref "refs/tags/v*"
  portside trust-policies create --customer acme-shipping --name Jobs --scope read:helm-charts \
    --issuer https://gitlab.com --audience https://portal.example.com --condition project_id=20 \
    --any-of ref=main --any-of "ref=release-*"`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := cli.Required(c, "name", "audience", "scope"); err != nil {
				return err
			}
			if !c.Flags().Changed("github") {
				if err := cli.Required(c, "issuer"); err != nil {
					return err
				}
			}
			if !f.conditions.isSet(c) {
				return cli.UsageError("pass --github, --condition or --any-of")
			}
			given, err := a.trustPolicyChange(c, &f)
			if err != nil {
				return err
			}
			api, customer, err := f.customer.connect(c, a)
			if err != nil {
				return err
			}
			created, err := api.CreateTrustPolicy(c.Context(), customer, client.CreateTrustPolicyJSONBody{
				Name: f.name, Issuer: *given.Issuer, Audience: f.audience, Conditions: *given.Conditions, Scopes: f.scopes,
				MaxMinutes: given.MaxMinutes, Jwks: given.Jwks,
			})
			if err != nil {
				return err
			}
			return cli.PrintOne(a.App, trustPolicyColumns(), created)
		},
	}
	f.add(c)
	return a.Printing(c)
}

func (a *app) updateTrustPolicyCommand() *cobra.Command {
	var f trustPolicyFlags
	c := &cobra.Command{
		Use: "update ID", Short: "change a trust policy", Args: cli.Exactly(trustPolicyArgument),
		Long: `Changes what the flags set and leaves everything else unchanged. --condition, --any-of and --github
replace all conditions, and --scope all scopes. With an empty --jwks-file, the service reads the keys from the
issuer again. Access tokens that were issued before keep working until they expire.`,
		Example: `  portside trust-policies update --customer acme-shipping 01939f6f-1d3c-7b4e-9a55-3d7c1f0e8b64 --max-minutes 5`,
		RunE: func(c *cobra.Command, args []string) error {
			change, err := a.trustPolicyChange(c, &f)
			if err != nil {
				return err
			}
			if change == (client.UpdateTrustPolicyJSONBody{}) {
				return cli.UsageError("pass what to change: --name, --issuer, --audience, --condition, --any-of, --github, --scope, --max-minutes or " +
					"--jwks-file")
			}
			api, customer, err := f.customer.connect(c, a)
			if err != nil {
				return err
			}
			updated, err := api.UpdateTrustPolicy(c.Context(), customer, args[0], change)
			if err != nil {
				return err
			}
			return cli.PrintOne(a.App, trustPolicyColumns(), updated)
		},
	}
	f.add(c)
	return a.Printing(c)
}

func (a *app) deleteTrustPolicyCommand() *cobra.Command {
	var of ofCustomer
	var yes bool
	c := &cobra.Command{
		Use: "delete ID", Short: "delete a trust policy", Args: cli.Exactly(trustPolicyArgument),
		Long: `Deletes a trust policy: it accepts no further tokens. Access tokens that were issued before keep
working until they expire, which is an hour at most.`,
		RunE: func(c *cobra.Command, args []string) error {
			api, customer, err := of.connect(c, a)
			if err != nil {
				return err
			}
			p, err := api.GetTrustPolicy(c.Context(), customer, args[0])
			if err != nil {
				return err
			}
			name := cli.Printable(fmt.Sprintf("%s (%s)", p.Name, p.Issuer))
			if err := a.Confirm(c.Context(), yes, "Delete the trust policy "+name+"?"); err != nil {
				return err
			}
			if err := api.DeleteTrustPolicy(c.Context(), customer, p.ID); err != nil {
				return err
			}
			a.Report("Deleted the trust policy %s.", name)
			return nil
		},
	}
	of.add(c)
	addYes(c, &yes)
	return a.Calling(c)
}
