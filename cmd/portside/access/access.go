// Package access has the operators' commands that let people and machines in: the first admin, links to sign in, tokens
// in secrets that are rotated, and the rate limits of credentials.
package access

import "portside/cmd/portside/operator"

// Commands returns the commands of the package.
func Commands() []operator.Command {
	return []operator.Command{bootstrapCommand(), rateLimitCommand(), manageTokenCommand(), signInLinkCommand()}
}
