package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"time"

	"portside/shared/core/fault"
	"portside/shared/sessions"
	"portside/shared/sessions/sessionsdynamo"
)

func signInLinkCommand() command {
	return command{
		name: "sign-in-link", summary: "print a link that signs a user in to the portal",
		help: `Prints a link with which an active user signs in to the portal once, in any browser,
within one hour. Anyone who has the link can use it. The link is shown only once.`,
		prepare: func(flags *flag.FlagSet) action {
			on := newTarget(flags)
			email := flags.String("email", "", "the user's email `ADDRESS`")
			base := flags.String("base-url", "", "`ADDRESS` of the service, such as https://portal.example.com; required without --local")
			return func(ctx context.Context, p process, arguments []string) error {
				if err := rejectArguments(arguments); err != nil {
					return err
				}
				if *email == "" {
					return usageError("--email is required")
				}
				t, err := on.open(ctx, p)
				if err != nil {
					return err
				}
				if *base == "" && t.stack.Portal == "" {
					return usageError("--base-url is required, unless --local names a stack")
				}
				return printSignInLink(ctx, p, t, signInLink{email: *email, baseURL: *base})
			}
		},
	}
}

type signInLink struct{ email, baseURL string }

func printSignInLink(ctx context.Context, p process, t *tables, wanted signInLink) error {
	store := sessionsdynamo.New(t.client, t.credentials, t.users.People)
	service := sessions.NewService(sessions.Dependencies{Requests: store, People: t.users.People, Now: p.now})
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
		base = t.stack.Portal
	}
	p.report("the link works once, until %s", expires.Format(time.DateTime+" UTC"))
	_, err = fmt.Fprintln(p.stdout, base+sessions.LinkPath+link.Reveal())
	return err
}
