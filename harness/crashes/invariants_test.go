package crashes

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/harness/invariants"
)

// checkInvariants checks all tables after all crashes. Schedules may write meanwhile, so it checks until nothing is broken.
func (s *service) checkInvariants() {
	s.t.Helper()
	client := dynamodb.New(dynamodb.Options{Region: s.info.Region, BaseEndpoint: &s.info.DynamoDB, Credentials: s.keys()})
	tables := invariants.Tables{
		Users: s.info.Tables["UsersTable"], Credentials: s.info.Tables["CredentialsTable"], Projects: s.info.Tables["ProjectsTable"],
		Pulls: s.info.Tables["PullsTable"], Analytics: s.info.Tables["AnalyticsTable"],
	}
	var broken []string
	defer func() { // also if the wait fails
		for _, sentence := range broken {
			s.t.Error(sentence)
		}
	}()
	s.settled("the tables", func() bool {
		var err error
		if broken, err = invariants.Check(s.t.Context(), client, tables, time.Now()); err != nil { //nolint:forbidigo // the clock of the stack
			s.t.Fatal(err)
		}
		return len(broken) == 0
	})()
}
