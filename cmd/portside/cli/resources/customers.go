package resources

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"portside/client"
	"portside/cmd/portside/cli"
)

// customerStates are the states of a customer, for completion.
var customerStates = []string{"active", "suspended"}

const customerArgument = "the slug or the ID of the customer"

func (a *app) customersCommand() *cobra.Command {
	return cli.Group("customers", "list, find, show, create, update, suspend, activate and delete customers, and end their credentials",
		a.listCustomersCommand(), a.findCustomersCommand(), a.getCustomerCommand(), a.createCustomerCommand(), a.updateCustomerCommand(),
		a.customerStatusCommand("suspend", "suspended", "stop all credentials of the users of a customer until it is active again",
			`All credentials of the users of the customer stop working with the next request. They work again
after "portside customers activate CUSTOMER".`),
		a.customerStatusCommand("activate", "active", "let the credentials of the users of a suspended customer work again",
			"All credentials of the users of the customer that have not ended or expired meanwhile work again."),
		a.deleteCustomerCommand(), a.revokeCustomerCommand())
}

func listedCustomerColumns() []cli.Column[client.ListedCustomer] {
	return []cli.Column[client.ListedCustomer]{
		cli.Field("id", "ID", func(c client.ListedCustomer) any { return c.ID }),
		cli.Field("slug", "SLUG", func(c client.ListedCustomer) any { return c.Slug }),
		cli.Field("name", "NAME", func(c client.ListedCustomer) any { return c.Name }),
		cli.Field("status", "STATUS", func(c client.ListedCustomer) any { return string(c.Status) }),
		cli.Field("externalId", "EXTERNAL ID", func(c client.ListedCustomer) any { return c.ExternalID }),
		cli.Field("createdAt", "CREATED", func(c client.ListedCustomer) any { return c.CreatedAt }),
	}
}

func customerColumns() []cli.Column[client.Customer] {
	return []cli.Column[client.Customer]{
		cli.Field("id", "ID", func(c client.Customer) any { return c.ID }),
		cli.Field("slug", "SLUG", func(c client.Customer) any { return c.Slug }),
		cli.Field("name", "NAME", func(c client.Customer) any { return c.Name }),
		cli.Field("status", "STATUS", func(c client.Customer) any { return string(c.Status) }),
		cli.Field("externalId", "EXTERNAL ID", func(c client.Customer) any { return c.ExternalID }),
		cli.Field("users", "USERS", func(c client.Customer) any { return c.Users }),
		cli.Field("usersLimit", "USERS LIMIT", func(c client.Customer) any { return valueOrNil(c.Limits.Users) }),
		cli.Field("requestsLimit", "REQUESTS LIMIT", func(c client.Customer) any { return valueOrNil(c.Limits.RequestsPerMinute) }),
		cli.Field("contacts", "CONTACTS", contacts),
		cli.Field("metadata", "METADATA", func(c client.Customer) any { return c.Metadata }),
		cli.Field("createdAt", "CREATED", func(c client.Customer) any { return c.CreatedAt }),
		cli.Field("updatedAt", "UPDATED", func(c client.Customer) any { return c.UpdatedAt }),
	}
}

// valueOrNil returns a limit, or nil for none.
func valueOrNil(limit *int64) any {
	if limit == nil {
		return nil
	}
	return *limit
}

// contacts returns the contacts as NAME <EMAIL>.
func contacts(c client.Customer) any {
	texts := make([]string, len(c.Contacts))
	for i, contact := range c.Contacts {
		texts[i] = contact.Email
		if contact.Name != "" {
			texts[i] = contact.Name + " <" + contact.Email + ">"
		}
	}
	return texts
}

func (a *app) listCustomersCommand() *cobra.Command {
	var status string
	var limit cli.MaxItems
	c := &cobra.Command{
		Use: "list", Short: "list all customers", Args: cli.Exactly(),
		RunE: a.calls(func(ctx context.Context, api *client.Client, _ []string) error {
			params := &client.ListCustomersParams{Status: cli.Optional[client.ListCustomersParamsStatus](status), Limit: limit.Page()}
			return cli.PrintList(a.App, listedCustomerColumns(), cli.AtMost(limit, api.AllCustomers(ctx, params)))
		}),
	}
	c.Flags().StringVar(&status, "status", "", "only customers with this `STATUS`: active or suspended")
	c.Flags().Var(&limit, "limit", "at most `N` customers")
	cli.Complete(c, "status", customerStates...)
	return a.Printing(c)
}

func (a *app) findCustomersCommand() *cobra.Command {
	var limit cli.MaxItems
	c := &cobra.Command{
		Use: "find TEXT", Short: "find customers by the beginning of the slug, of the external ID or of a word of the name",
		Args: cli.Exactly("the text"), Example: "  portside customers find acme",
		RunE: a.calls(func(ctx context.Context, api *client.Client, args []string) error {
			params := &client.SearchCustomersParams{Q: args[0], Limit: limit.Page()}
			return cli.PrintList(a.App, listedCustomerColumns(), cli.AtMost(limit, api.FindCustomers(ctx, params)))
		}),
	}
	c.Flags().Var(&limit, "limit", "at most `N` customers")
	return a.Printing(c)
}

func (a *app) getCustomerCommand() *cobra.Command {
	return a.Printing(&cobra.Command{
		Use: "get CUSTOMER", Short: "show all fields of the customer with a slug or ID", Args: cli.Exactly(customerArgument),
		Example: "  portside customers get acme-shipping",
		RunE: func(c *cobra.Command, args []string) error {
			_, customer, err := a.customer(c.Context(), args[0])
			if err != nil {
				return err
			}
			return cli.PrintOne(a.App, customerColumns(), customer)
		},
	})
}

// customerID returns the ID of the customer that a slug or an ID names.
func customerID(ctx context.Context, api *client.Client, name string) (string, error) {
	if idPattern.MatchString(name) {
		return name, nil
	}
	params := &client.SearchCustomersParams{Q: name, Limit: new(int64(cli.PageSize))}
	for customer, err := range api.FindCustomers(ctx, params) {
		if err != nil {
			return "", err
		}
		if customer.Slug == name {
			return customer.ID, nil
		}
	}
	return "", fmt.Errorf("no customer has the slug %s: `portside customers find` searches for the beginning of one", name)
}

// customer connects to the service, and returns the customer with a slug or ID.
func (a *app) customer(ctx context.Context, name string) (*client.Client, client.Customer, error) {
	api, err := a.Connect()
	if err != nil {
		return nil, client.Customer{}, err
	}
	id, err := customerID(ctx, api, name)
	if err != nil {
		return nil, client.Customer{}, err
	}
	found, err := api.GetCustomer(ctx, id)
	return api, found, err
}

// optionalCustomerID returns the ID of the customer that a flag names, or nil if the flag is not set.
func optionalCustomerID(ctx context.Context, api *client.Client, name string) (*string, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // no customer is an answer here
	}
	id, err := customerID(ctx, api, name)
	return &id, err
}

func (a *app) createCustomerCommand() *cobra.Command {
	var f customerFlags
	c := &cobra.Command{
		Use: "create NAME", Short: "create a customer", Args: cli.Exactly("the name of the customer"),
		Example: `  portside customers create "Acme Shipping" --slug acme-shipping --contact "Ada Byron <ada@example.com>" --users-limit 50 \
    --requests-limit 6000`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := cli.Required(c, "slug"); err != nil {
				return err
			}
			people, err := f.people()
			if err != nil {
				return err
			}
			metadata, err := f.object()
			if err != nil {
				return err
			}
			return a.createCustomer(c.Context(), client.CreateCustomerJSONBody{
				Name: args[0], Slug: f.slug, Status: cli.Optional[client.CreateCustomerJSONBodyStatus](f.status),
				ExternalID: cli.Optional[string](f.externalID), Contacts: people, Limits: f.limits(c), Metadata: pointerTo(metadata),
			})
		},
	}
	f.add(c)
	return a.Printing(c)
}

func (a *app) createCustomer(ctx context.Context, body client.CreateCustomerJSONBody) error {
	api, err := a.Connect()
	if err != nil {
		return err
	}
	customer, err := api.CreateCustomer(ctx, body)
	if err != nil {
		return err
	}
	return cli.PrintOne(a.App, customerColumns(), customer)
}

func (a *app) updateCustomerCommand() *cobra.Command {
	var f customerFlags
	var name string
	c := &cobra.Command{
		Use: "update CUSTOMER", Short: "change a customer", Args: cli.Exactly(customerArgument),
		Long: `Changes what the flags set and leaves everything else unchanged. --contact and --metadata
replace all contacts and the whole object, and an empty --contact or --external-id removes them.
The new contacts have no role, because the command line cannot set the role of a contact.
All credentials of the users of a suspended customer stop working until it is active again.`,
		Example: "  portside customers update acme-shipping --users-limit 100\n  portside customers update acme-shipping --external-id C-1816",
		RunE: func(c *cobra.Command, args []string) error {
			people, err := f.people()
			if err != nil {
				return err
			}
			metadata, err := f.object()
			if err != nil {
				return err
			}
			change := client.UpdateCustomerJSONBody{
				Name: cli.IfChanged[string](c, "name", name), Slug: cli.IfChanged[string](c, "slug", f.slug),
				Status:     cli.IfChanged[client.UpdateCustomerJSONBodyStatus](c, "status", f.status),
				ExternalID: cli.IfChanged[string](c, "external-id", f.externalID), Contacts: people, Limits: f.limits(c), Metadata: pointerTo(metadata),
			}
			if change == (client.UpdateCustomerJSONBody{}) {
				return cli.UsageError("pass what to change: --name, --slug, --status, --external-id, --contact, --users-limit, " +
					"--requests-limit or --metadata")
			}
			return a.updateCustomer(c.Context(), args[0], change)
		},
	}
	c.Flags().StringVar(&name, "name", "", "new `NAME`")
	f.add(c)
	return a.Printing(c)
}

func (a *app) updateCustomer(ctx context.Context, name string, change client.UpdateCustomerJSONBody) error {
	api, err := a.Connect()
	if err != nil {
		return err
	}
	id, err := customerID(ctx, api, name)
	if err != nil {
		return err
	}
	customer, err := api.UpdateCustomer(ctx, id, change)
	if err != nil {
		return err
	}
	return cli.PrintOne(a.App, customerColumns(), customer)
}

// customerStatusCommand is "customers update" with this status.
func (a *app) customerStatusCommand(name, status, short, long string) *cobra.Command {
	return a.Printing(&cobra.Command{
		Use: name + " CUSTOMER", Short: short, Long: long, Args: cli.Exactly(customerArgument),
		Example: "  portside customers " + name + " acme-shipping",
		RunE: func(c *cobra.Command, args []string) error {
			changed := client.UpdateCustomerJSONBodyStatus(status)
			return a.updateCustomer(c.Context(), args[0], client.UpdateCustomerJSONBody{Status: &changed})
		},
	})
}

func (a *app) revokeCustomerCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "revoke-credentials CUSTOMER", Args: cli.Exactly(customerArgument),
		Short: "end all credentials of a customer's users, pipelines and pods",
		Long: `Ends all sessions, passkeys, API keys, tokens and passwords of all users of the customer, and
the access tokens that its pipelines and pods exchanged. The users stay active and can sign in
again with a mailed link, and pipelines and pods can exchange other tokens: to prevent that,
suspend the customer.

To end all credentials of one user, use "portside revoke --all".`,
		RunE: func(c *cobra.Command, args []string) error {
			api, customer, err := a.customer(c.Context(), args[0])
			if err != nil {
				return err
			}
			if err := a.Confirm(c.Context(), yes, "End all credentials of the users, pipelines and pods of "+customer.Name+"?"); err != nil {
				return err
			}
			if err := api.EndCustomerCredentials(c.Context(), customer.ID); err != nil {
				return err
			}
			a.Report("Ended all credentials of the users, pipelines and pods of %s.", customer.Name)
			return nil
		},
	}
	addYes(c, &yes)
	return a.Calling(c)
}

func (a *app) deleteCustomerCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "delete CUSTOMER", Short: "delete a customer without users", Args: cli.Exactly(customerArgument),
		RunE: func(c *cobra.Command, args []string) error {
			api, customer, err := a.customer(c.Context(), args[0])
			if err != nil {
				return err
			}
			name := cli.Printable(fmt.Sprintf("%s (%s)", customer.Name, customer.Slug))
			if err := a.Confirm(c.Context(), yes, "Delete the customer "+name+"?"); err != nil {
				return err
			}
			if err := api.DeleteCustomer(c.Context(), customer.ID); err != nil {
				return err
			}
			a.Report("Deleted the customer %s.", name)
			return nil
		},
	}
	addYes(c, &yes)
	return a.Calling(c)
}
