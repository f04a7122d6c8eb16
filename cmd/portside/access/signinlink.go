package access

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"time"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/core/fault"
	"portside/shared/sessions"
	"portside/shared/sessions/sessionsdynamo"
)

func signInLinkCommand() operator.Command {
	return operator.Command{
		Name: "sign-in-link", Summary: "print a link that signs a user in to the portal",
		Help: `Prints a link with which an active user signs in to the portal once, in any browser,
within one hour. Anyone who has the link can use it. The link is shown only once.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			on := installation.NewTarget(flags)
			email := flags.String("email", "", "the user's email `ADDRESS`")
			base := flags.String("base-url", "", "`ADDRESS` of the service, such as https://portal.example.com; required without --local")
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				if err := operator.RejectArguments(arguments); err != nil {
					return err
				}
				if *email == "" {
					return operator.UsageError("--email is required")
				}
				t, err := on.Open(ctx, p)
				if err != nil {
					return err
				}
				if *base == "" && t.Stack.Portal == "" {
					return operator.UsageError("--base-url is required, unless --local names a stack")
				}
				return printSignInLink(ctx, p, t, signInLink{email: *email, baseURL: *base})
			}
		},
	}
}

type signInLink struct{ email, baseURL string }

func printSignInLink(ctx context.Context, p operator.Process, t *installation.Tables, wanted signInLink) error {
	store := sessionsdynamo.New(t.Client, t.Credentials, t.Users.People)
	service := sessions.NewService(sessions.Dependencies{Requests: store, People: t.Users.People, Now: p.Now})
	link, expires, err := service.OperatorLink(ctx, wanted.email)
	if fault.KindOf(err) == fault.NotFound {
		return fmt.Errorf("no active user has the address %s: create the user first, or set its status, or that of its customer, to active",
			wanted.email)
	}
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(wanted.baseURL, "/")
	if base == "" {
		base = t.Stack.Portal
	}
	p.Report("the link works once, until %s", expires.Format(time.DateTime+" UTC"))
	_, err = fmt.Fprintln(p.Stdout, base+sessions.LinkPath+link.Reveal())
	return err
}
