package crashes

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/harness/invariants"
)

// checkInvariants checks all tables and buckets after all crashes. Schedules may write meanwhile, so it checks until
// nothing is broken.
func (s *service) checkInvariants() {
	s.t.Helper()
	client := dynamodb.New(dynamodb.Options{Region: s.info.Region, BaseEndpoint: &s.info.DynamoDB, Credentials: s.keys()})
	tables := invariants.Tables{
		Users: s.info.Tables["UsersTable"], Credentials: s.info.Tables["CredentialsTable"],
		Customers: s.info.Tables["CustomersTable"], Projects: s.info.Tables["ProjectsTable"],
		Pulls: s.info.Tables["PullsTable"], Analytics: s.info.Tables["AnalyticsTable"],
		Audit: s.info.Tables["AuditTable"],
	}
	buckets := invariants.Buckets{Charts: s.info.Buckets["ChartsBucket"], Media: s.info.Buckets["MediaBucket"]}
	var broken []string
	defer func() { // also if the wait fails
		for _, sentence := range broken {
			s.t.Error(sentence)
		}
	}()
	s.settled("the tables", func() bool {
		var err error
		now := time.Now() //nolint:forbidigo // the clock of the stack
		if broken, err = invariants.Check(s.t.Context(), client, tables, now); err != nil {
			s.t.Fatal(err)
		}
		objects, err := invariants.CheckObjects(s.t.Context(), s.objects(), buckets, now)
		if err != nil {
			s.t.Fatal(err)
		}
		broken = append(broken, objects...)
		return len(broken) == 0
	})()
}
