package cli

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"portside/client"
)

func (a *app) revokeCommand() *cobra.Command {
	var all, made, yes bool
	c := &cobra.Command{
		Use: "revoke --all USER", Short: "end all credentials of a user: keys, tokens, passwords, sessions and passkeys",
		Args: exactly(userArgument),
		Long: `Ends all sessions and passkeys of a user, and revokes all API keys, tokens and passwords. The
user stays active and can sign in again with a mailed link: to prevent that, use
"portside users suspend".

To revoke one token, use "portside tokens revoke".`,
		RunE: func(c *cobra.Command, args []string) error {
			if !all {
				return UsageError("pass --all; to revoke one token, use `portside tokens revoke`")
			}
			target, err := a.target()
			if err != nil {
				return err
			}
			api, err := a.clientOf(target)
			if err != nil {
				return err
			}
			user, err := findUser(c.Context(), api, args[0])
			if err != nil {
				return err
			}
			who := nameOf(user)
			if err := a.confirmEnd(c.Context(), api, target, user, yes); err != nil {
				return err
			}
			if made {
				if err := endMade(c.Context(), api, user.ID, publicID(target.Key)); err != nil {
					return err
				}
			}
			if err := api.EndUserCredentials(c.Context(), user.ID); err != nil {
				return err
			}
			a.report("Ended all credentials of %s.", who)
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "end all credentials (required)")
	c.Flags().BoolVar(&made, "made", false, "also end what was created with the keys, for other users, too: if the keys have leaked")
	addYes(c, &yes)
	return a.calling(c)
}

// confirmEnd asks before all credentials of a user end.
func (a *app) confirmEnd(ctx context.Context, api *client.Client, target profile, user client.User, yes bool) error {
	if yes {
		return nil
	}
	question := "End all credentials of " + nameOf(user) + "?"
	isOwn, err := ownsKey(ctx, api, user.ID, target.Key)
	if err != nil {
		return err
	}
	if isOwn {
		question = "This is your own account: the key of this command also ends. " + question
	}
	return a.confirm(ctx, yes, question)
}

// publicID returns the part of a key between its first two underscores.
func publicID(key string) string {
	_, rest, _ := strings.Cut(key, "_")
	id, _, _ := strings.Cut(rest, "_")
	return id
}

// endMade deletes the API keys of a user and what was created with them. The key that makes the calls stays.
func endMade(ctx context.Context, api *client.Client, userID, ownKey string) error {
	keys, err := api.ListAPIKeys(ctx, userID)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if key.ID == ownKey {
			continue
		}
		if err := unlessGone(api.DeleteAPIKey(ctx, userID, key.ID, &client.DeleteAPIKeyParams{Made: new(true)})); err != nil {
			return err
		}
	}
	return nil
}

// unlessGone drops the error for a credential that has ended meanwhile.
func unlessGone(err error) error {
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status == http.StatusNotFound && refused.Code != "" {
		return nil
	}
	return err
}
