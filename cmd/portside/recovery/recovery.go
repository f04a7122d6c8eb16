// Package recovery has the operators' commands backup, restore and check-layout. Package backup reads and writes the
// files, tables and buckets.
package recovery

import "portside/cmd/portside/operator"

// Commands returns the commands of the package.
func Commands() []operator.Command {
	return []operator.Command{backupCommand(), restoreCommand(), checkLayoutCommand()}
}
