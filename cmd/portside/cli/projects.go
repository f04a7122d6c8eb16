package cli

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"portside/client"
)

// projectStates are the states of a project, for completion.
var projectStates = []string{"draft", "active", "on_hold", "completed", "archived"}

const projectArgument = "the ID of the project"

func (a *app) projectsCommand() *cobra.Command {
	return group("projects", "list, find, show, create and delete projects",
		a.listProjectsCommand(), a.findProjectsCommand(), a.getProjectCommand(), a.createProjectCommand(), a.deleteProjectCommand())
}

func listedProjectColumns(n *names) []column[client.ListedProject] {
	return []column[client.ListedProject]{
		{"id", "ID", func(p client.ListedProject) any { return p.ID }},
		{"name", "NAME", func(p client.ListedProject) any { return p.Name }},
		{"customerId", "CUSTOMER", func(p client.ListedProject) any { return n.customer(p.CustomerID) }},
		{"status", "STATUS", func(p client.ListedProject) any { return string(p.Status) }},
		{"ownerId", "OWNER", func(p client.ListedProject) any { return p.OwnerID }},
		{"createdAt", "CREATED", func(p client.ListedProject) any { return p.CreatedAt }},
		{"description", "", func(p client.ListedProject) any { return p.Description }},
	}
}

func projectColumns(n *names) []column[client.Project] {
	return []column[client.Project]{
		{"id", "ID", func(p client.Project) any { return p.ID }},
		{"name", "NAME", func(p client.Project) any { return p.Name }},
		{"customerId", "CUSTOMER", func(p client.Project) any { return n.customer(p.CustomerID) }},
		{"status", "STATUS", func(p client.Project) any { return string(p.Status) }},
		{"ownerId", "OWNER", func(p client.Project) any { return p.OwnerID }},
		{"members", "MEMBERS", members},
		{"description", "DESCRIPTION", func(p client.Project) any { return p.Description }},
		{"metadata", "METADATA", func(p client.Project) any { return p.Metadata }},
		{"settings", "SETTINGS", func(p client.Project) any { return p.Settings }},
		{"createdAt", "CREATED", func(p client.Project) any { return p.CreatedAt }},
		{"updatedAt", "UPDATED", func(p client.Project) any { return p.UpdatedAt }},
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
	return printList(a, listedProjectColumns(n), namingCustomers(ctx, n, projects, customerID))
}

func (a *app) printProject(ctx context.Context, api *client.Client, project client.Project) error {
	n := a.names(api)
	n.findCustomers(ctx, project.CustomerID)
	return printOne(a, projectColumns(n), project)
}

func (a *app) listProjectsCommand() *cobra.Command {
	var status, customer string
	var limit maxItems
	c := &cobra.Command{
		Use: "list", Short: "list all projects", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			api, err := a.connect()
			if err != nil {
				return err
			}
			of, err := optionalCustomerID(c.Context(), api, customer)
			if err != nil {
				return err
			}
			params := &client.ListProjectsParams{
				CustomerID: of, Status: optional[client.ListProjectsParamsStatus](status), Limit: limit.page(),
			}
			return a.printProjects(c.Context(), api, atMost(limit, api.AllProjects(c.Context(), params)))
		},
	}
	c.Flags().StringVar(&status, "status", "", "only projects with this `STATUS`: draft, active, on_hold, completed or archived")
	c.Flags().StringVar(&customer, "customer", "", "only projects of the `CUSTOMER` with this slug or ID")
	c.Flags().Var(&limit, "limit", "at most `N` projects")
	complete(c, "status", projectStates...)
	return a.printing(c)
}

func (a *app) findProjectsCommand() *cobra.Command {
	var customer string
	var limit maxItems
	c := &cobra.Command{
		Use: "find TEXT", Short: "find projects by the beginning of a word of the name", Args: exactly("the text"),
		Example: "  portside projects find engine",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := a.connect()
			if err != nil {
				return err
			}
			of, err := optionalCustomerID(c.Context(), api, customer)
			if err != nil {
				return err
			}
			params := &client.SearchProjectsParams{Q: args[0], CustomerID: of, Limit: limit.page()}
			return a.printProjects(c.Context(), api, atMost(limit, api.FindProjects(c.Context(), params)))
		},
	}
	c.Flags().StringVar(&customer, "customer", "", "only projects of the `CUSTOMER` with this slug or ID")
	c.Flags().Var(&limit, "limit", "at most `N` projects")
	return a.printing(c)
}

func (a *app) getProjectCommand() *cobra.Command {
	return a.printing(&cobra.Command{
		Use: "get ID", Short: "show a project", Args: exactly(projectArgument),
		RunE: func(c *cobra.Command, args []string) error {
			api, err := a.connect()
			if err != nil {
				return err
			}
			project, err := api.GetProject(c.Context(), args[0])
			if err != nil {
				return err
			}
			return a.printProject(c.Context(), api, project)
		},
	})
}

func (a *app) createProjectCommand() *cobra.Command {
	var description, owner, customer, status string
	c := &cobra.Command{
		Use: "create NAME", Short: "create a project", Args: exactly("the name of the project"),
		Example: `  portside projects create "Difference Engine" --owner ada@example.com`,
		RunE: func(c *cobra.Command, args []string) error {
			api, err := a.connect()
			if err != nil {
				return err
			}
			ownerID, err := optionalUserID(c.Context(), api, owner)
			if err != nil {
				return err
			}
			of, err := optionalCustomerID(c.Context(), api, customer)
			if err != nil {
				return err
			}
			project, err := api.CreateProject(c.Context(), client.CreateProjectJSONBody{
				Name: args[0], Description: optional[string](description), OwnerID: ownerID, CustomerID: of,
				Status: optional[client.CreateProjectJSONBodyStatus](status),
			})
			if err != nil {
				return err
			}
			return a.printProject(c.Context(), api, project)
		},
	}
	c.Flags().StringVar(&description, "description", "", "`TEXT` about the project")
	c.Flags().StringVar(&owner, "owner", "", "`USER` who owns it: an email address or an ID; default: you")
	c.Flags().StringVar(&customer, "customer", "", "`CUSTOMER` to whom it belongs: a slug or an ID; default: none")
	c.Flags().StringVar(&status, "status", "", "`STATUS`: draft, active, on_hold, completed or archived")
	complete(c, "status", projectStates...)
	return a.printing(c)
}

func (a *app) deleteProjectCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "delete ID", Short: "delete a project", Args: exactly(projectArgument),
		RunE: func(c *cobra.Command, args []string) error {
			api, err := a.connect()
			if err != nil {
				return err
			}
			project, err := api.GetProject(c.Context(), args[0])
			if err != nil {
				return err
			}
			name := printable(project.Name)
			if err := a.confirm(c.Context(), yes, "Delete the project "+name+"?"); err != nil {
				return err
			}
			if err := api.DeleteProject(c.Context(), project.ID); err != nil {
				return err
			}
			a.report("Deleted the project %s.", name)
			return nil
		},
	}
	addYes(c, &yes)
	return a.calling(c)
}
