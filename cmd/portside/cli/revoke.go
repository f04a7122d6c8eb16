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
			return a.revokeAll(c.Context(), args[0], made, yes)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "end all credentials (required)")
	c.Flags().BoolVar(&made, "made", false, "also end what was created with the keys, for other users, too: if the keys have leaked")
	addYes(c, &yes)
	return a.calling(c)
}

// revokeAll ends all credentials of a user; with made, also what was created with the user's keys.
func (a *app) revokeAll(ctx context.Context, name string, made, yes bool) error {
	target, err := a.target()
	if err != nil {
		return err
	}
	api, err := a.clientOf(target)
	if err != nil {
		return err
	}
	user, err := findUser(ctx, api, name)
	if err != nil {
		return err
	}
	if err := a.confirmUser(ctx, api, target, user.ID, yes, "End all credentials of "+nameOf(user)+"?"); err != nil {
		return err
	}
	if made {
		if err := endMade(ctx, api, user.ID, target.Key); err != nil {
			return err
		}
	}
	if err := api.EndUserCredentials(ctx, user.ID); err != nil {
		return err
	}
	a.report("Ended all credentials of %s.", nameOf(user))
	return nil
}

// publicID returns the part of a key between its first two underscores.
func publicID(key string) string {
	_, rest, _ := strings.Cut(key, "_")
	id, _, _ := strings.Cut(rest, "_")
	return id
}

// endMade deletes the API keys of a user and what was created with them. It refuses the user of the key that makes the calls: that key
// would have to end first, or what was created with it would stay.
func endMade(ctx context.Context, api *client.Client, userID, callersKey string) error {
	keys, err := api.ListAPIKeys(ctx, userID)
	if err != nil {
		return err
	}
	if hasKey(keys, callersKey) {
		return UsageError("--made needs the key of another admin: this command cannot end its own key and what was created with it")
	}
	for _, key := range keys {
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
