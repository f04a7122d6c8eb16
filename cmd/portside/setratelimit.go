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
		name: "set-rate-limit", summary: "give one credential a rate limit of its own",
		help: `Sets how many requests a minute one credential may make, from its next request on.
The id is the public part of the credential: of psk_<id>_…, the 12 characters between
the underscores.`,
		prepare: func(flags *flag.FlagSet) action {
			on := newTarget(flags)
			id := flags.String("credential", "", "the credential's public `ID`")
			perMinute := flags.Int("per-minute", -1, "`N` requests a minute; 0 is the service's default")
			return func(ctx context.Context, p process, arguments []string) error {
				if err := noArguments(arguments); err != nil {
					return err
				}
				if *id == "" || *perMinute < 0 {
					return usageError("--credential and --per-minute (0 or more) are needed")
				}
				return setRateLimit(ctx, p, on, limitOf{*id, *perMinute})
			}
		},
	}
}

type limitOf struct {
	credential string
	perMinute  int
}

func setRateLimit(ctx context.Context, p process, on *target, limit limitOf) error {
	t, err := on.open(ctx, p)
	if err != nil {
		return err
	}
	err = t.credentials.SetRateLimit(ctx, limit.credential, limit.perMinute)
	if errors.Is(err, credentials.ErrUnknown) {
		return fmt.Errorf("there is no credential with the id %q: GET /v1/users/{userId}/api-keys lists the ids of a user's keys",
			limit.credential)
	}
	if err != nil {
		return err
	}
	if limit.perMinute == 0 {
		p.say("credential %s has the default limit", limit.credential)
		return nil
	}
	p.say("credential %s may make %d requests a minute", limit.credential, limit.perMinute)
	return nil
}
