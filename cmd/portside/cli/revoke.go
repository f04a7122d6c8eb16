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
"portside users suspend". If the command is stopped, run it again.

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
			if err := a.confirm(c.Context(), yes, "End all credentials of "+who+"?"); err != nil {
				return err
			}
			r := revocation{api: api, userID: user.ID, ownKey: publicID(target.Key), made: made}
			ended, err := r.run(c.Context())
			if err != nil {
				return err
			}
			a.report("Ended all sessions of %s; API keys: %d; tokens and passwords: %d.", who, ended.keys, ended.tokens)
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "end all credentials (required)")
	c.Flags().BoolVar(&made, "made", false, "also end what was created with the keys, for other users, too: if the keys have leaked")
	addYes(c, &yes)
	return a.calling(c)
}

// publicID returns the part of a key between its first two underscores.
func publicID(key string) string {
	_, rest, _ := strings.Cut(key, "_")
	id, _, _ := strings.Cut(rest, "_")
	return id
}

// revocation ends the credentials of a user.
type revocation struct {
	api    *client.Client
	userID string
	ownKey string // the key that makes the calls
	made   bool
}

type endedCredentials struct{ keys, tokens int }

// run ends sessions first, because a person who is signed in could create further credentials. The key that makes the calls comes last.
func (r revocation) run(ctx context.Context) (endedCredentials, error) {
	var ended endedCredentials
	if err := r.api.SignOutUser(ctx, r.userID); err != nil {
		return ended, err
	}
	keys, err := r.api.ListAPIKeys(ctx, r.userID)
	if err != nil {
		return ended, err
	}
	var own []client.APIKey
	for _, key := range keys {
		if key.ID == r.ownKey {
			own = append(own, key)
			continue
		}
		if err := r.deleteKey(ctx, key); err != nil {
			return ended, err
		}
		ended.keys++
	}
	if ended.tokens, err = r.revokeTokens(ctx); err != nil {
		return ended, err
	}
	for _, key := range own {
		if err := r.deleteKey(ctx, key); err != nil {
			return ended, err
		}
		ended.keys++
	}
	return ended, nil
}

func (r revocation) deleteKey(ctx context.Context, key client.APIKey) error {
	return unlessGone(r.api.DeleteAPIKey(ctx, r.userID, key.ID, &client.DeleteAPIKeyParams{Made: &r.made}))
}

func (r revocation) revokeTokens(ctx context.Context) (n int, err error) {
	tokens, err := r.api.ListTokens(ctx, &client.ListTokensParams{UserID: &r.userID})
	if err != nil {
		return 0, err
	}
	for _, token := range tokens {
		if token.Status == client.TokenStatusRevoked || token.Status == client.TokenStatusExpired {
			continue
		}
		if err := unlessGone(r.api.RevokeToken(ctx, token.ID, nil)); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// unlessGone drops the error for a credential that has ended meanwhile.
func unlessGone(err error) error {
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status == http.StatusNotFound && refused.Code != "" {
		return nil
	}
	return err
}
