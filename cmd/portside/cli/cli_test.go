package cli_test

import (
	"net/http"
	"testing"

	"portside/cmd/portside/cli/clitest"
	"portside/cmd/portside/cli/resources"
)

// newTestCLI starts a service with these answers.
func newTestCLI(t *testing.T, answers map[string]http.HandlerFunc) *clitest.CLI {
	t.Helper()
	return clitest.New(t, resources.Commands, answers)
}
