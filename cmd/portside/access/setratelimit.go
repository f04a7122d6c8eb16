package access

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/credentials"
)

func rateLimitCommand() operator.Command {
	return operator.Command{
		Name: "set-rate-limit", Summary: "set the rate limit of one credential",
		Help: `Sets how many requests per minute one credential may make, starting with its next
request. The ID is the public part of the credential: in psk_<id>_…, the 12 characters
between the underscores.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			on := installation.NewTarget(flags)
			id := flags.String("credential", "", "public `ID` of the credential")
			perMinute := -1
			flags.Func("per-minute", "`N` requests per minute; 0 for the default of the service", operator.WholeNumber(&perMinute))
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				if err := operator.RejectArguments(arguments); err != nil {
					return err
				}
				if *id == "" || perMinute < 0 {
					return operator.UsageError("--credential and --per-minute (0 or more) are required")
				}
				return setRateLimit(ctx, p, on, rateLimit{*id, perMinute})
			}
		},
	}
}

type rateLimit struct {
	credential string
	perMinute  int
}

func setRateLimit(ctx context.Context, p operator.Process, on *installation.Target, limit rateLimit) error {
	t, err := on.Open(ctx, p)
	if err != nil {
		return err
	}
	err = t.Credentials.SetRateLimit(ctx, limit.credential, limit.perMinute)
	if errors.Is(err, credentials.ErrUnknown) {
		return fmt.Errorf("no credential has the ID %q: GET /v1/users/{userId}/api-keys lists the IDs of a user's keys",
			limit.credential)
	}
	if err != nil {
		return err
	}
	if limit.perMinute == 0 {
		p.Report("credential %s has the default limit", limit.credential)
		return nil
	}
	p.Report("credential %s may make %d requests per minute", limit.credential, limit.perMinute)
	return nil
}
