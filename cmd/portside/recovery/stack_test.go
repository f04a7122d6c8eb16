package recovery

import (
	"testing"

	"portside/cmd/portside/access"
	"portside/cmd/portside/importusers"
	"portside/cmd/portside/portsidetest"
	"portside/cmd/portside/repair"
)

// analyticsStack is a stack for the tests of the package.
type analyticsStack struct{ *portsidetest.Analytics }

func newAnalyticsStack(t *testing.T) *analyticsStack {
	t.Helper()
	return &analyticsStack{portsidetest.NewAnalytics(t, Commands(), access.Commands(), importusers.Commands(), repair.Commands())}
}
