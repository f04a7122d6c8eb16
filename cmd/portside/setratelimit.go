package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"portside/shared/credentials"
)

func rateLimitCommand() command {
	return command{
		name: "set-rate-limit", summary: "set the rate limit of one credential",
		help: `Sets how many requests per minute one credential may make, starting with its next
request. The ID is the public part of the credential: in psk_<id>_…, the 12 characters
between the underscores.`,
		prepare: func(flags *flag.FlagSet) action {
			on := newTarget(flags)
			id := flags.String("credential", "", "public `ID` of the credential")
			perMinute := -1
			flags.Func("per-minute", "`N` requests per minute; 0 for the default of the service", wholeNumber(&perMinute))
			return func(ctx context.Context, p process, arguments []string) error {
				if err := rejectArguments(arguments); err != nil {
					return err
				}
				if *id == "" || perMinute < 0 {
					return usageError("--credential and --per-minute (0 or more) are required")
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

func setRateLimit(ctx context.Context, p process, on *target, limit rateLimit) error {
	t, err := on.open(ctx, p)
	if err != nil {
		return err
	}
	err = t.credentials.SetRateLimit(ctx, limit.credential, limit.perMinute)
	if errors.Is(err, credentials.ErrUnknown) {
		return fmt.Errorf("no credential has the ID %q: GET /v1/users/{userId}/api-keys lists the IDs of a user's keys",
			limit.credential)
	}
	if err != nil {
		return err
	}
	if limit.perMinute == 0 {
		p.report("credential %s has the default limit", limit.credential)
		return nil
	}
	p.report("credential %s may make %d requests per minute", limit.credential, limit.perMinute)
	return nil
}
