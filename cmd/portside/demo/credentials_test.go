package demo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/credentialrequests"
	"portside/shared/credentialrequests/credentialrequestsdynamo"
	"portside/shared/credentials"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
)

// checkCredentials checks that the demo has credential requests in every state and used tokens and passwords, and that
// the last pulls belong to them.
func (a *analyticsStack) checkCredentials() {
	a.T.Helper()
	store := credentialrequestsdynamo.New(a.Client, a.Tables.Credentials, a.Tables.Users.People)
	for status, atLeast := range map[credentialrequests.Status]int{
		credentialrequests.Pending: 4, credentialrequests.Approved: 2, credentialrequests.Denied: 1,
		credentialrequests.Collected: 4, credentialrequests.Expired: 1,
	} {
		page, err := store.List(a.T.Context(), credentialrequests.Query{Status: status, Limit: 100})
		a.Must(err)
		if len(page.Requests) < atLeast {
			a.T.Errorf("%d requests are %s, want at least %d", len(page.Requests), status, atLeast)
		}
		if status == credentialrequests.Pending {
			a.checkOverdue(page.Requests)
		}
	}
	for _, item := range liststest.Scan(a.T, a.Client, a.PullsTable) {
		id, isPull := strings.CutPrefix(liststest.Text(item, "pk"), "credential#")
		if !isPull {
			continue
		}
		owner, _, _ := strings.Cut(liststest.Text(item, "ownerShard"), "#")
		used, err := a.Tables.Credentials.GetWithUse(a.T.Context(), id)
		if err != nil || used.Owner.ID != owner || used.LastUsedAt.IsZero() {
			a.T.Fatalf("a pull belongs to the credential %q of %s, last used %s, %v", id, used.Owner.ID, used.LastUsedAt, err)
		}
	}
	a.checkKinds()
}

func (a *analyticsStack) checkOverdue(pending []credentialrequests.Request) {
	a.T.Helper()
	overdue := 0
	for _, r := range pending {
		if r.DueAt.Before(a.Now()) {
			overdue++
		}
	}
	if overdue != 1 {
		a.T.Errorf("%d of %d requests are overdue, want 1", overdue, len(pending))
	}
}

// checkKinds checks that there are tokens and passwords.
func (a *analyticsStack) checkKinds() {
	a.T.Helper()
	kinds := map[string]int{}
	for _, item := range liststest.Scan(a.T, a.Client, a.Names.Credentials) {
		if _, isRecord := item["hash"].(*types.AttributeValueMemberB); isRecord {
			kinds[liststest.Text(item, "kind")]++
		}
	}
	if kinds[string(credentials.AccessToken)] < 3 || kinds[string(credentials.Password)] < 4 {
		a.T.Errorf("credentials by kind: %s", fmt.Sprint(kinds))
	}
}

func TestRequestIDsAreInTheOrderOfCreation(t *testing.T) {
	previous := ""
	for day := range awstest.Days() {
		id, err := idAt(day)
		if err != nil || id <= previous {
			t.Fatalf("%s has the ID %q, %v, after %q", day, id, err, previous)
		}
		previous = id
	}
}
