package resources

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"portside/client"
	"portside/cmd/portside/cli"
)

// projectStates are the states of a project, for completion.
var projectStates = []string{"draft", "active", "on_hold", "completed", "archived"}

const projectArgument = "the ID of the project"

func (a *app) projectsCommand() *cobra.Command {
	return cli.Group("projects", "list, find, show, create and delete projects",
		a.listProjectsCommand(), a.findProjectsCommand(), a.getProjectCommand(), a.createProjectCommand(), a.deleteProjectCommand())
}

func listedProjectColumns(n *names) []cli.Column[client.ListedProject] {
	return []cli.Column[client.ListedProject]{
		cli.Field("id", "ID", func(p client.ListedProject) any { return p.ID }),
		cli.Field("name", "NAME", func(p client.ListedProject) any { return p.Name }),
		cli.Field("customerId", "CUSTOMER", func(p client.ListedProject) any { return n.customer(p.CustomerID) }),
		cli.Field("status", "STATUS", func(p client.ListedProject) any { return string(p.Status) }),
		cli.Field("ownerId", "OWNER", func(p client.ListedProject) any { return p.OwnerID }),
		cli.Field("createdAt", "CREATED", func(p client.ListedProject) any { return p.CreatedAt }),
		cli.Field("description", "", func(p client.ListedProject) any { return p.Description }),
	}
}

func projectColumns(n *names) []cli.Column[client.Project] {
	return []cli.Column[client.Project]{
		cli.Field("id", "ID", func(p client.Project) any { return p.ID }),
		cli.Field("name", "NAME", func(p client.Project) any { return p.Name }),
		cli.Field("customerId", "CUSTOMER", func(p client.Project) any { return n.customer(p.CustomerID) }),
		cli.Field("status", "STATUS", func(p client.Project) any { return string(p.Status) }),
		cli.Field("ownerId", "OWNER", func(p client.Project) any { return p.OwnerID }),
		cli.Field("members", "MEMBERS", members),
		cli.Field("description", "DESCRIPTION", func(p client.Project) any { return p.Description }),
		cli.Field("metadata", "METADATA", func(p client.Project) any { return p.Metadata }),
		cli.Field("settings", "SETTINGS", func(p client.Project) any { return p.Settings }),
		cli.Field("createdAt", "CREATED", func(p client.Project) any { return p.CreatedAt }),
		cli.Field("updatedAt", "UPDATED", func(p client.Project) any { return p.UpdatedAt }),
	}
}

// members returns the members as USER:ROLE.
func members(p client.Project) any {
	texts := make([]string, len(p.Members))
	for i, m := range p.Members {
		texts[i] = m.UserID + ":" + string(m.Role)
	}
	return texts
}

func (a *app) printProjects(ctx context.Context, api *client.Client, projects iter.Seq2[client.ListedProject, error]) error {
	n := a.names(api)
	customerID := func(p client.ListedProject) *string { return p.CustomerID }
	return cli.PrintList(a.App, listedProjectColumns(n), namingCustomers(ctx, n, projects, customerID))
}

func (a *app) printProject(ctx context.Context, api *client.Client, project client.Project) error {
	n := a.names(api)
	n.lookUpCustomers(ctx, project.CustomerID)
	return cli.PrintOne(a.App, projectColumns(n), project)
}

func (a *app) listProjectsCommand() *cobra.Command {
	var status, customer string
	var limit cli.MaxItems
	c := &cobra.Command{
		Use: "list", Short: "list all projects", Args: cli.Exactly(),
		RunE: a.calls(func(ctx context.Context, api *client.Client, _ []string) error {
			of, err := optionalCustomerID(ctx, api, customer)
			if err != nil {
				return err
			}
			params := &client.ListProjectsParams{
				CustomerID: of, Status: cli.Optional[client.ListProjectsParamsStatus](status), Limit: limit.Page(),
			}
			return a.printProjects(ctx, api, cli.AtMost(limit, api.AllProjects(ctx, params)))
		}),
	}
	c.Flags().StringVar(&status, "status", "", "only projects with this `STATUS`: draft, active, on_hold, completed or archived")
	c.Flags().StringVar(&customer, "customer", "", "only projects of the `CUSTOMER` with this slug or ID")
	c.Flags().Var(&limit, "limit", "at most `N` projects")
	cli.Complete(c, "status", projectStates...)
	return a.Printing(c)
}

func (a *app) findProjectsCommand() *cobra.Command {
	var customer string
	var limit cli.MaxItems
	c := &cobra.Command{
		Use: "find TEXT", Short: "find projects by the beginning of a word of the name", Args: cli.Exactly("the text"),
		Example: "  portside projects find engine",
		RunE: a.calls(func(ctx context.Context, api *client.Client, args []string) error {
			of, err := optionalCustomerID(ctx, api, customer)
			if err != nil {
				return err
			}
			params := &client.SearchProjectsParams{Q: args[0], CustomerID: of, Limit: limit.Page()}
			return a.printProjects(ctx, api, cli.AtMost(limit, api.FindProjects(ctx, params)))
		}),
	}
	c.Flags().StringVar(&customer, "customer", "", "only projects of the `CUSTOMER` with this slug or ID")
	c.Flags().Var(&limit, "limit", "at most `N` projects")
	return a.Printing(c)
}

func (a *app) getProjectCommand() *cobra.Command {
	return a.Printing(&cobra.Command{
		Use: "get ID", Short: "show a project", Args: cli.Exactly(projectArgument),
		RunE: a.calls(func(ctx context.Context, api *client.Client, args []string) error {
			project, err := api.GetProject(ctx, args[0])
			if err != nil {
				return err
			}
			return a.printProject(ctx, api, project)
		}),
	})
}

func (a *app) createProjectCommand() *cobra.Command {
	var description, owner, customer, status string
	c := &cobra.Command{
		Use: "create NAME", Short: "create a project", Args: cli.Exactly("the name of the project"),
		Example: `  portside projects create "Difference Engine" --owner ada@example.com`,
		RunE: a.calls(func(ctx context.Context, api *client.Client, args []string) error {
			ownerID, err := optionalUserID(ctx, api, owner)
			if err != nil {
				return err
			}
			of, err := optionalCustomerID(ctx, api, customer)
			if err != nil {
				return err
			}
			project, err := api.CreateProject(ctx, client.CreateProjectJSONBody{
				Name: args[0], Description: cli.Optional[string](description), OwnerID: ownerID, CustomerID: of,
				Status: cli.Optional[client.CreateProjectJSONBodyStatus](status),
			})
			if err != nil {
				return err
			}
			return a.printProject(ctx, api, project)
		}),
	}
	c.Flags().StringVar(&description, "description", "", "`TEXT` about the project")
	c.Flags().StringVar(&owner, "owner", "", "`USER` who owns it: an email address or an ID; default: you")
	c.Flags().StringVar(&customer, "customer", "", "`CUSTOMER` to whom it belongs: a slug or an ID; default: none")
	c.Flags().StringVar(&status, "status", "", "`STATUS`: draft, active, on_hold, completed or archived")
	cli.Complete(c, "status", projectStates...)
	return a.Printing(c)
}

func (a *app) deleteProjectCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "delete ID", Short: "delete a project", Args: cli.Exactly(projectArgument),
		RunE: a.calls(func(ctx context.Context, api *client.Client, args []string) error {
			project, err := api.GetProject(ctx, args[0])
			if err != nil {
				return err
			}
			name := cli.Printable(project.Name)
			if err := a.Confirm(ctx, yes, "Delete the project "+name+"?"); err != nil {
				return err
			}
			if err := api.DeleteProject(ctx, project.ID); err != nil {
				return err
			}
			a.Report("Deleted the project %s.", name)
			return nil
		}),
	}
	addYes(c, &yes)
	return a.Calling(c)
}
