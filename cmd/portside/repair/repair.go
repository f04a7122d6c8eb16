// Package repair has the operators' commands that compare derived data with its source, and correct it.
package repair

import "portside/cmd/portside/operator"

// Commands returns the commands of the package.
func Commands() []operator.Command {
	return []operator.Command{rebuildCommand(), reconcileCommand(), recountPullsCommand(), reindexCommand()}
}
