package resources

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"portside/client"
	"portside/cmd/portside/cli"
)

// nameOf returns how questions and reports name a user.
func nameOf(user client.User) string {
	return cli.Printable(fmt.Sprintf("%s (%s)", user.Email, user.Name))
}

// findUser returns the user with an email address or ID.
func findUser(ctx context.Context, api *client.Client, name string) (client.User, error) {
	id, err := userID(ctx, api, name)
	if err != nil {
		return client.User{}, err
	}
	return api.GetUser(ctx, id)
}

// idPattern matches UUIDs.
var idPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// userID returns the ID of the user that an email address or an ID names.
func userID(ctx context.Context, api *client.Client, name string) (string, error) {
	if idPattern.MatchString(name) {
		return name, nil
	}
	if !strings.Contains(name, "@") {
		return "", cli.UsageErrorf("%q is neither an email address nor an ID: `portside users find` searches names", name)
	}
	found, err := api.ListUsers(ctx, &client.ListUsersParams{Email: &name})
	if err != nil {
		return "", err
	}
	if len(found.Data) == 0 {
		return "", fmt.Errorf("no user has the address %s: `portside users find` searches for the beginning of one", name)
	}
	return found.Data[0].ID, nil
}

// optionalUserID returns the ID of the user that a flag names, or nil if the flag is not set.
func optionalUserID(ctx context.Context, api *client.Client, name string) (*string, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // no user is an answer here
	}
	id, err := userID(ctx, api, name)
	return &id, err
}
