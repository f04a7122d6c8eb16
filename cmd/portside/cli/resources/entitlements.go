package resources

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"portside/client"
	"portside/cmd/portside/cli"
)

// artifacts are the kinds of artifacts, for completion.
var artifacts = []string{"chart", "image"}

const entitlementArgument = "the ID of the entitlement"

func (a *app) entitlementsCommand() *cobra.Command {
	return cli.Group("entitlements", "list, create, update and delete what a customer may fetch",
		a.listEntitlementsCommand(), a.createEntitlementCommand(), a.updateEntitlementCommand(), a.deleteEntitlementCommand())
}

func entitlementColumns() []cli.Column[client.Entitlement] {
	return []cli.Column[client.Entitlement]{
		cli.Field("id", "ID", func(e client.Entitlement) any { return e.ID }),
		cli.Field("artifact", "ARTIFACT", func(e client.Entitlement) any { return string(e.Artifact) }),
		cli.Field("repository", "REPOSITORY", func(e client.Entitlement) any { return e.Repository }),
		cli.Field("versions", "VERSIONS", func(e client.Entitlement) any { return e.Versions }),
		cli.Field("status", "STATUS", func(e client.Entitlement) any { return string(e.Status) }),
		cli.Field("from", "FROM", func(e client.Entitlement) any { return e.From }),
		cli.Field("until", "UNTIL", func(e client.Entitlement) any { return e.Until }),
		cli.Field("createdAt", "", func(e client.Entitlement) any { return e.CreatedAt }),
		cli.Field("updatedAt", "", func(e client.Entitlement) any { return e.UpdatedAt }),
	}
}

// ofCustomer is the flag --customer of all commands of entitlements and of trust policies.
type ofCustomer string

func (o *ofCustomer) add(c *cobra.Command) {
	c.Flags().StringVar((*string)(o), "customer", "", "the `CUSTOMER`, given by slug or ID (required)")
}

// connect returns a client and the ID of the customer.
func (o *ofCustomer) connect(c *cobra.Command, a *app) (api *client.Client, id string, err error) {
	if err := cli.Required(c, "customer"); err != nil {
		return nil, "", err
	}
	if api, err = a.Connect(); err != nil {
		return nil, "", err
	}
	id, err = customerID(c.Context(), api, string(*o))
	return api, id, err
}

func (a *app) listEntitlementsCommand() *cobra.Command {
	var of ofCustomer
	var limit cli.MaxItems
	c := &cobra.Command{
		Use: "list", Short: "list the entitlements of a customer", Args: cli.Exactly(),
		Example: "  portside entitlements list --customer acme-shipping",
		RunE: func(c *cobra.Command, _ []string) error {
			api, customer, err := of.connect(c, a)
			if err != nil {
				return err
			}
			params := &client.ListEntitlementsParams{Limit: limit.Page()}
			return cli.PrintList(a.App, entitlementColumns(), cli.AtMost(limit, api.AllEntitlements(c.Context(), customer, params)))
		},
	}
	of.add(c)
	c.Flags().Var(&limit, "limit", "at most `N` entitlements")
	return a.Printing(c)
}

// entitlementFlags are the flags that both create and update have.
type entitlementFlags struct {
	customer                                    ofCustomer
	artifact, repository, versions, from, until string
}

func (f *entitlementFlags) add(c *cobra.Command) {
	f.customer.add(c)
	c.Flags().StringVar(&f.artifact, "artifact", "", "kind of `ARTIFACT`: chart or image")
	c.Flags().StringVar(&f.repository, "repository", "", "`PATTERN`: the name of a chart, such as api, or of a "+
		"repository, such as acme/api, a folder of the registry, such as acme/*, or * for all")
	c.Flags().StringVar(&f.versions, "versions", "", "`CONSTRAINT` of versions, such as ^1.2.0, or * for all")
	c.Flags().StringVar(&f.from, "from", "", "first `DAY` in UTC, such as 2026-10-01, or an RFC 3339 time")
	c.Flags().StringVar(&f.until, "until", "", "`DAY` in UTC or RFC 3339 time at which it ends; the day is not included")
	cli.Complete(c, "artifact", artifacts...)
}

// times returns the period, with nil for an unset flag and the zero time for an empty one.
func (f *entitlementFlags) times(c *cobra.Command) (from, until *time.Time, err error) {
	if from, err = timeFlag(c, "from", f.from); err == nil {
		until, err = timeFlag(c, "until", f.until)
	}
	return from, until, err
}

// timeFlag returns the time of a flag, nil if the flag is not set, or the zero time if it is empty.
func timeFlag(c *cobra.Command, flag, text string) (*time.Time, error) {
	if !c.Flags().Changed(flag) {
		return nil, nil //nolint:nilnil // an unset flag is not an error
	}
	if text == "" {
		return &time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return &at, nil
		}
	}
	return nil, cli.UsageErrorf("--%s: %q is neither a day such as 2026-10-01 nor a time such as 2026-10-01T08:00:00Z", flag, text)
}

func (a *app) createEntitlementCommand() *cobra.Command {
	var f entitlementFlags
	c := &cobra.Command{
		Use: "create", Short: "let the users of a customer fetch charts or images", Args: cli.Exactly(),
		Example: `  portside entitlements create --customer acme-shipping --artifact chart --repository api --versions "^1.2.0"
  portside entitlements create --customer acme-shipping --artifact image --repository acme/api --until 2027-04-01`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := cli.Required(c, "artifact", "repository"); err != nil {
				return err
			}
			from, until, err := f.times(c)
			if err != nil {
				return err
			}
			api, customer, err := f.customer.connect(c, a)
			if err != nil {
				return err
			}
			created, err := api.CreateEntitlement(c.Context(), customer, client.CreateEntitlementJSONBody{
				Artifact: client.CreateEntitlementJSONBodyArtifact(f.artifact), Repository: f.repository,
				Versions: cli.Optional[string](f.versions), From: unlessZero(from), Until: unlessZero(until),
			})
			if err != nil {
				return err
			}
			return cli.PrintOne(a.App, entitlementColumns(), created)
		},
	}
	f.add(c)
	return a.Printing(c)
}

// unlessZero returns nil for the zero time.
func unlessZero(at *time.Time) *time.Time {
	if at != nil && at.IsZero() {
		return nil
	}
	return at
}

func (a *app) updateEntitlementCommand() *cobra.Command {
	var f entitlementFlags
	c := &cobra.Command{
		Use: "update ID", Short: "change an entitlement", Args: cli.Exactly(entitlementArgument),
		Long: `Changes what the flags set and leaves everything else unchanged. An empty --from or --until
removes this end of the period.`,
		Example: `  portside entitlements update --customer acme-shipping 01939f6f-1d3c-7b4e-9a55-3d7c1f0e8b64 --versions "^2.0.0" --until ""`,
		RunE: func(c *cobra.Command, args []string) error {
			from, until, err := f.times(c)
			if err != nil {
				return err
			}
			change := client.UpdateEntitlementJSONBody{
				Artifact:   cli.IfChanged[client.UpdateEntitlementJSONBodyArtifact](c, "artifact", f.artifact),
				Repository: cli.IfChanged[string](c, "repository", f.repository), Versions: cli.IfChanged[string](c, "versions", f.versions),
				From: from, Until: until,
			}
			if change == (client.UpdateEntitlementJSONBody{}) {
				return cli.UsageError("pass what to change: --artifact, --repository, --versions, --from or --until")
			}
			api, customer, err := f.customer.connect(c, a)
			if err != nil {
				return err
			}
			updated, err := api.UpdateEntitlement(c.Context(), customer, args[0], change)
			if err != nil {
				return err
			}
			return cli.PrintOne(a.App, entitlementColumns(), updated)
		},
	}
	f.add(c)
	return a.Printing(c)
}

func (a *app) deleteEntitlementCommand() *cobra.Command {
	var of ofCustomer
	var yes bool
	c := &cobra.Command{
		Use: "delete ID", Short: "delete an entitlement", Args: cli.Exactly(entitlementArgument),
		RunE: func(c *cobra.Command, args []string) error {
			api, customer, err := of.connect(c, a)
			if err != nil {
				return err
			}
			e, err := api.GetEntitlement(c.Context(), customer, args[0])
			if err != nil {
				return err
			}
			name := cli.Printable(fmt.Sprintf("%s %s, versions %s", e.Artifact, e.Repository, e.Versions))
			if err := a.Confirm(c.Context(), yes, "Delete the entitlement of "+name+"?"); err != nil {
				return err
			}
			if err := api.DeleteEntitlement(c.Context(), customer, e.ID); err != nil {
				return err
			}
			a.Report("Deleted the entitlement of %s.", name)
			return nil
		},
	}
	of.add(c)
	addYes(c, &yes)
	return a.Calling(c)
}
