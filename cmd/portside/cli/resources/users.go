package resources

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"portside/client"
	"portside/cmd/portside/cli"
)

// roles and statuses are those of users, for completion.
var (
	roles    = []string{"admin", "manager", "user", "viewer"}
	statuses = []string{"pending", "active", "inactive", "suspended"}
)

const (
	userArgument   = "the email address or the ID of the user"
	onlyOfCustomer = "only users of the `CUSTOMER` with this slug or ID"
)

func (a *app) usersCommand() *cobra.Command {
	return cli.Group("users", "create, list, find, invite, update, suspend and delete users",
		a.listUsersCommand(), a.findUsersCommand(), a.getUserCommand(), a.createUserCommand(), a.inviteUserCommand(),
		a.updateUserCommand(), a.suspendUserCommand(), a.deleteUserCommand())
}

func listedUserColumns(n *names) []cli.Column[client.ListedUser] {
	return []cli.Column[client.ListedUser]{
		cli.Field("id", "ID", func(u client.ListedUser) any { return u.ID }),
		cli.Field("email", "EMAIL", func(u client.ListedUser) any { return u.Email }),
		cli.Field("name", "NAME", func(u client.ListedUser) any { return u.Name }),
		cli.Field("customerId", "CUSTOMER", func(u client.ListedUser) any { return n.customer(u.CustomerID) }),
		cli.Field("role", "ROLE", func(u client.ListedUser) any { return string(u.Role) }),
		cli.Field("status", "STATUS", func(u client.ListedUser) any { return string(u.Status) }),
		cli.Field("createdAt", "CREATED", func(u client.ListedUser) any { return u.CreatedAt }),
	}
}

func userColumns(n *names) []cli.Column[client.User] {
	return []cli.Column[client.User]{
		cli.Field("id", "ID", func(u client.User) any { return u.ID }),
		cli.Field("email", "EMAIL", func(u client.User) any { return u.Email }),
		cli.Field("name", "NAME", func(u client.User) any { return u.Name }),
		cli.Field("customerId", "CUSTOMER", func(u client.User) any { return n.customer(u.CustomerID) }),
		cli.Field("role", "ROLE", func(u client.User) any { return string(u.Role) }),
		cli.Field("status", "STATUS", func(u client.User) any { return string(u.Status) }),
		cli.Field("department", "DEPARTMENT", func(u client.User) any { return u.Department }),
		cli.Field("metadata", "METADATA", func(u client.User) any { return u.Metadata }),
		cli.Field("permissions", "PERMISSIONS", func(u client.User) any { return u.Permissions }),
		cli.Field("createdAt", "CREATED", func(u client.User) any { return u.CreatedAt }),
		cli.Field("updatedAt", "UPDATED", func(u client.User) any { return u.UpdatedAt }),
		cli.Field("lastLoginAt", "LAST LOGIN", func(u client.User) any { return u.LastLoginAt }),
	}
}

func (a *app) printUsers(ctx context.Context, api *client.Client, users iter.Seq2[client.ListedUser, error]) error {
	n := a.names(api)
	named := namingCustomers(ctx, n, users, func(u client.ListedUser) *string { return u.CustomerID })
	return cli.PrintList(a.App, listedUserColumns(n), named)
}

func (a *app) printUser(ctx context.Context, api *client.Client, user client.User) error {
	n := a.names(api)
	n.lookUpCustomers(ctx, user.CustomerID)
	return cli.PrintOne(a.App, userColumns(n), user)
}

func (a *app) listUsersCommand() *cobra.Command {
	var role, status, customer string
	var limit cli.MaxItems
	c := &cobra.Command{
		Use: "list", Short: "list all users", Args: cli.Exactly(),
		RunE: a.calls(func(ctx context.Context, api *client.Client, _ []string) error {
			of, err := optionalCustomerID(ctx, api, customer)
			if err != nil {
				return err
			}
			params := &client.ListUsersParams{
				CustomerID: of, Role: cli.Optional[client.ListUsersParamsRole](role), Status: cli.Optional[client.ListUsersParamsStatus](status),
				Limit: limit.Page(),
			}
			return a.printUsers(ctx, api, cli.AtMost(limit, api.AllUsers(ctx, params)))
		}),
	}
	c.Flags().StringVar(&role, "role", "", "only users with this `ROLE`: admin, manager, user or viewer")
	c.Flags().StringVar(&status, "status", "", "only users with this `STATUS`: pending, active, inactive or suspended")
	c.Flags().StringVar(&customer, "customer", "", onlyOfCustomer)
	c.Flags().Var(&limit, "limit", "at most `N` users")
	cli.Complete(c, "role", roles...)
	cli.Complete(c, "status", statuses...)
	return a.Printing(c)
}

func (a *app) findUsersCommand() *cobra.Command {
	var customer string
	var limit cli.MaxItems
	c := &cobra.Command{
		Use: "find TEXT", Short: "find users by the beginning of the email address or of a word of the name", Args: cli.Exactly("the text"),
		Example: "  portside users find ada@\n  portside users find \"ada b\"\n  portside users find byron",
		RunE: a.calls(func(ctx context.Context, api *client.Client, args []string) error {
			of, err := optionalCustomerID(ctx, api, customer)
			if err != nil {
				return err
			}
			params := &client.SearchUsersParams{Q: args[0], CustomerID: of, Limit: limit.Page()}
			return a.printUsers(ctx, api, cli.AtMost(limit, api.FindUsers(ctx, params)))
		}),
	}
	c.Flags().StringVar(&customer, "customer", "", onlyOfCustomer)
	c.Flags().Var(&limit, "limit", "at most `N` users")
	return a.Printing(c)
}

func (a *app) getUserCommand() *cobra.Command {
	return a.Printing(&cobra.Command{
		Use: "get USER", Short: "show all fields of the user with an email address or ID", Args: cli.Exactly(userArgument),
		Example: "  portside users get ada@example.com",
		RunE: a.calls(func(ctx context.Context, api *client.Client, args []string) error {
			user, err := findUser(ctx, api, args[0])
			if err != nil {
				return err
			}
			return a.printUser(ctx, api, user)
		}),
	})
}

func (a *app) createUserCommand() *cobra.Command {
	var name, role, customer, department string
	var silent bool
	c := &cobra.Command{
		Use: "create EMAIL", Short: "create a user, and invite the person by mail", Args: cli.Exactly("the email address"),
		Example: `  portside users create ada@example.com --name "Ada Lovelace" --role manager
  portside users create bob@acme.example --name "Bob Byron" --customer acme-shipping`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := cli.Required(c, "name"); err != nil {
				return err
			}
			api, err := a.Connect()
			if err != nil {
				return err
			}
			of, err := optionalCustomerID(c.Context(), api, customer)
			if err != nil {
				return err
			}
			user, err := api.CreateUser(c.Context(), client.CreateUserJSONBody{
				Email: args[0], Name: name, CustomerID: of, Role: client.CreateUserJSONBodyRole(role),
				Department: cli.Optional[string](department), SendActivationEmail: new(!silent),
			})
			if err != nil {
				return err
			}
			return a.printUser(c.Context(), api, user)
		},
	}
	c.Flags().StringVar(&name, "name", "", "`NAME` of the person (required)")
	c.Flags().StringVar(&role, "role", "user", "`ROLE`: admin, manager, user or viewer")
	c.Flags().StringVar(&customer, "customer", "", "slug or ID of the `CUSTOMER` to whom the user belongs; without it, your own, if any")
	c.Flags().StringVar(&department, "department", "", "`DEPARTMENT` of the person")
	c.Flags().BoolVar(&silent, "no-mail", false, "send no invitation; the user is active at once")
	cli.Complete(c, "role", roles...)
	return a.Printing(c)
}

func invitationColumns() []cli.Column[client.Invitation] {
	return []cli.Column[client.Invitation]{
		cli.Field("userId", "USER", func(i client.Invitation) any { return i.UserID }),
		cli.Field("status", "STATUS", func(i client.Invitation) any { return string(i.Status) }),
		cli.Field("createdAt", "CREATED", func(i client.Invitation) any { return i.CreatedAt }),
		cli.Field("expiresAt", "EXPIRES", func(i client.Invitation) any { return i.ExpiresAt }),
	}
}

func (a *app) inviteUserCommand() *cobra.Command {
	var showOnly bool
	c := &cobra.Command{
		Use: "invite USER", Short: "send a pending user another invitation, or show the current one", Args: cli.Exactly(userArgument),
		Long:    "Sends a new activation mail to a pending user. The previous link stops working.",
		Example: "  portside users invite ada@example.com\n  portside users invite ada@example.com --show",
		RunE: a.calls(func(ctx context.Context, api *client.Client, args []string) error {
			id, err := userID(ctx, api, args[0])
			if err != nil {
				return err
			}
			call := api.ResendInvitation
			if showOnly {
				call = api.GetInvitation
			}
			invitation, err := call(ctx, id)
			if err != nil {
				return err
			}
			return cli.PrintOne(a.App, invitationColumns(), invitation)
		}),
	}
	c.Flags().BoolVar(&showOnly, "show", false, "show the current invitation without sending a mail")
	return a.Printing(c)
}

func (a *app) updateUserCommand() *cobra.Command {
	var name, customer, role, department, status string
	var yes bool
	c := &cobra.Command{
		Use: "update USER", Short: "change a user", Args: cli.Exactly(userArgument),
		Long: `Changes what the flags set and leaves everything else unchanged. An empty --department removes
it, and an empty --customer makes the user one of the vendor's staff. A change of the customer ends
all credentials of the user: sessions, passkeys, API keys, tokens and passwords.`,
		Example: `  portside users update ada@example.com --role admin
  portside users update ada@example.com --status active
  portside users update ada@example.com --customer acme-shipping
  portside users update ada@example.com --customer ""`,
		RunE: func(c *cobra.Command, args []string) error {
			change := client.UpdateUserJSONBody{
				Name: cli.IfChanged[string](c, "name", name), Department: cli.IfChanged[string](c, "department", department),
				CustomerID: cli.IfChanged[string](c, "customer", customer),
				Role:       cli.IfChanged[client.UpdateUserJSONBodyRole](c, "role", role),
				Status:     cli.IfChanged[client.UpdateUserJSONBodyStatus](c, "status", status),
			}
			if change == (client.UpdateUserJSONBody{}) {
				return cli.UsageError("pass what to change: --name, --customer, --role, --department or --status")
			}
			return a.updateUser(c.Context(), args[0], change, yes)
		},
	}
	addYes(c, &yes)
	c.Flags().StringVar(&name, "name", "", "new `NAME`")
	c.Flags().StringVar(&customer, "customer", "", "slug or ID of the new `CUSTOMER`; empty for the vendor's staff")
	c.Flags().StringVar(&role, "role", "", "new `ROLE`: admin, manager, user or viewer")
	c.Flags().StringVar(&department, "department", "", "new `DEPARTMENT`")
	c.Flags().StringVar(&status, "status", "", "new `STATUS`: active, inactive or suspended")
	cli.Complete(c, "role", roles...)
	cli.Complete(c, "status", "active", "inactive", "suspended")
	return a.Printing(c)
}

func (a *app) suspendUserCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "suspend USER", Short: "stop all credentials of a user until the user is active again", Args: cli.Exactly(userArgument),
		Long: `All credentials of the user stop working at once, sessions and passkeys for good. API keys
and tokens work again after "portside users update USER --status active".`,
		RunE: func(c *cobra.Command, args []string) error {
			suspended := client.UpdateUserJSONBodyStatus("suspended")
			return a.updateUser(c.Context(), args[0], client.UpdateUserJSONBody{Status: &suspended}, yes)
		},
	}
	addYes(c, &yes)
	return a.Printing(c)
}

// updateUser changes the user with an email address or ID. The change names a customer by slug or ID.
func (a *app) updateUser(ctx context.Context, name string, change client.UpdateUserJSONBody, yes bool) error {
	api, err := a.ConnectCaller()
	if err != nil {
		return err
	}
	id, err := userID(ctx, api.Client, name)
	if err != nil {
		return err
	}
	if change.CustomerID != nil && *change.CustomerID != "" {
		if change.CustomerID, err = optionalCustomerID(ctx, api.Client, *change.CustomerID); err != nil {
			return err
		}
	}
	isMove := false
	if change.CustomerID != nil || !yes && (change.Role != nil || change.Status != nil) {
		before, err := api.GetUser(ctx, id)
		if err != nil {
			return err
		}
		isMove = moves(before, change)
		if !yes {
			if err := a.confirmUpdate(ctx, api, before, change); err != nil {
				return err
			}
		}
	}
	user, err := api.UpdateUser(ctx, id, change)
	if err != nil {
		return err
	}
	if isMove {
		a.Report("Ended all credentials of %s, because the customer is another one.", nameOf(user))
	}
	return a.printUser(ctx, api.Client, user)
}

// confirmUpdate asks before a change that ends all credentials of the user, or takes rights from the caller, who may
// not be able to undo it.
func (a *app) confirmUpdate(ctx context.Context, api cli.Caller, before client.User, change client.UpdateUserJSONBody) error {
	if moves(before, change) {
		return a.confirmEnd(ctx, api, before.ID, "A change of the customer ends all credentials of "+nameOf(before)+". Change it?")
	}
	if !takesRights(before, change) {
		return nil
	}
	isOwn, err := api.Is(ctx, before.ID)
	if err != nil || !isOwn {
		return err
	}
	return a.Confirm(ctx, false, "This is your own account, and you may not be able to undo the change. Change it?")
}

// confirmEnd asks before a user or the user's credentials end, and says if the key of this command is one of them.
func (a *app) confirmEnd(ctx context.Context, api cli.Caller, id, question string) error {
	isOwn, err := api.Is(ctx, id)
	if err != nil {
		return err
	}
	if isOwn {
		question = "This is your own account: the key of this command also ends. " + question
	}
	return a.Confirm(ctx, false, question)
}

// moves reports whether a change makes the user one of another customer or of the vendor's staff, which ends all
// credentials of the user.
func moves(user client.User, change client.UpdateUserJSONBody) bool {
	return change.CustomerID != nil && !strings.EqualFold(*change.CustomerID, cli.Cell(user.CustomerID, ""))
}

// takesRights reports whether a change suspends or deactivates a user, or lowers the role.
func takesRights(user client.User, change client.UpdateUserJSONBody) bool {
	isLower := change.Role != nil && slices.Index(roles, string(*change.Role)) > slices.Index(roles, string(user.Role))
	return isLower || change.Status != nil && *change.Status != "active"
}

func (a *app) deleteUserCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "delete USER", Short: "delete a user and revoke all credentials", Args: cli.Exactly(userArgument),
		RunE: func(c *cobra.Command, args []string) error {
			api, err := a.ConnectCaller()
			if err != nil {
				return err
			}
			user, err := findUser(c.Context(), api.Client, args[0])
			if err != nil {
				return err
			}
			who := nameOf(user)
			if !yes {
				if err := a.confirmEnd(c.Context(), api, user.ID, "Delete "+who+"?"); err != nil {
					return err
				}
			}
			if err := api.DeleteUser(c.Context(), user.ID); err != nil {
				return err
			}
			a.Report("Deleted %s.", who)
			return nil
		},
	}
	addYes(c, &yes)
	return a.Calling(c)
}

// addYes adds the flag that confirms.
func addYes(c *cobra.Command, yes *bool) {
	c.Flags().BoolVarP(yes, "yes", "y", false, "do not ask for confirmation")
}
