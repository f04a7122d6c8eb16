package resources

import (
	"net/http"
	"testing"

	"portside/cmd/portside/cli/clitest"
)

// adaID is the ID of the only user.
const adaID = clitest.AdaID

// newTestCLI starts a service with these answers.
func newTestCLI(t *testing.T, answers map[string]http.HandlerFunc) *clitest.CLI {
	t.Helper()
	return clitest.New(t, Commands, answers)
}
