// Package recovery has the operators' commands around backups. The package backup does the work.
package recovery

import "portside/cmd/portside/operator"

// Commands returns the commands of the package.
func Commands() []operator.Command {
	return []operator.Command{backupCommand(), restoreCommand(), checkLayoutCommand()}
}
