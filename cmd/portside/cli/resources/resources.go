// Package resources has the commands for every day: one file for each resource of the API.
package resources

import (
	"context"

	"github.com/spf13/cobra"

	"portside/client"
	"portside/cmd/portside/cli"
)

// app is what the commands have in common.
type app struct{ *cli.App }

// Commands returns the commands for every day.
func Commands(p cli.Process) []*cobra.Command {
	a := &app{cli.NewApp(p)}
	return []*cobra.Command{
		a.LoginCommand(), a.LogoutCommand(), a.usersCommand(), a.customersCommand(), a.entitlementsCommand(), a.trustPoliciesCommand(),
		a.projectsCommand(), a.tokensCommand(), a.requestsCommand(), a.pullsCommand(), a.auditCommand(), a.dashboardCommand(),
		a.extractCommand(), a.revokeCommand(),
	}
}

// calls makes the run of a command that calls the API: it connects before run, which gets the arguments of the command.
func (a *app) calls(run func(context.Context, *client.Client, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		api, err := a.Connect()
		if err != nil {
			return err
		}
		return run(c.Context(), api, args)
	}
}
