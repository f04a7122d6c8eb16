package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// The operations that are measured.
const (
	recordBatch  = "record a batch of pulls"
	countWindow  = "count a window of pulls"
	authenticate = "authenticate a request to the API"
	authorize    = "authenticate the requests of an image pull"
	getUser      = "get a user"
	listUsers    = "list a page of users"
	createUser   = "create a user"
	createToken  = "create a token"
	newProject   = "create a project"
	dashboard    = "read the dashboard"
	exchange     = "exchange a token of a pipeline"
)

func operations() []string {
	return []string{
		recordBatch, countWindow, authenticate, authorize, getUser, listUsers, createUser, createToken, newProject, dashboard,
		exchange,
	}
}

// size is a month of load.
type size struct {
	name         string
	users        int
	pulls        int // a month
	repositories int
}

func sizes() []size {
	return []size{
		{"10³ users, 10⁶ pulls", 1e3, 1e6, 30},
		{"10⁴ users, 10⁷ pulls", 1e4, 1e7, 50},
		{"10⁵ users, 10⁸ pulls", 1e5, 1e8, 100},
		{"10⁷ users, 10⁹ pulls", 1e7, 1e9, 200},
	}
}

const (
	secondsPerMonth = 30 * 24 * 3600
	// peak is the busiest minute over the average: weekdays have 1.3 times the average of the week, and the busiest
	// hour has 2.3 times the average of its day.
	peak = 1.3 * 2.3
	// batchSize is the most pulls in a delivery of CloudWatch Logs: a delivery has about a second of one environment of
	// the function, which answers about 20 requests in that time.
	batchSize = 20
	// requestsPerPull is the requests of a pull of an image: a question without a login, then manifests and blobs.
	requestsPerPull = 12
	// authenticatedPerPull is the requests of a pull that have a credential.
	authenticatedPerPull = requestsPerPull - 1
	// manifestsPerPull is how many of these requests get manifests. The rest get blobs, which have a limit ten times as
	// high.
	manifestsPerPull = 3
	// pullsPerExchange is how many pulls there are for each exchange: a tenth of all pulls are those of pipelines,
	// which get a token for each.
	pullsPerExchange = 10
	// requestLimit is the default limit of manifests per owner and second. A user who pulls more has several owners,
	// such as trust policies, or a higher limit.
	requestLimit = 1200.0 / 60
)

// monthly is how often a user does something in a month, for operations that do not depend on pulls.
var monthly = map[string]float64{
	getUser: 10, listUsers: 1, createUser: 0.1, createToken: 0.5, newProject: 0.05, dashboard: 0.2,
}

// rate is the calls in a second of the busiest minute.
func (s size) rate(operation string) float64 {
	return monthly[operation] * float64(s.users) / secondsPerMonth * peak
}

// requestRate is the requests in a second of the busiest minute. Each is a line of the access log.
func (s size) requestRate() float64 {
	rate := s.pullRate()*requestsPerPull + s.exchangeRate()
	for _, operation := range slices.Sorted(maps.Keys(monthly)) { // in order, because the sums of fractions depend on it
		rate += s.rate(operation)
	}
	return rate
}

// exchangeRate is the exchanges in a second of the busiest minute.
func (s size) exchangeRate() float64 { return s.pullRate() / pullsPerExchange }

func (s size) pullRate() float64 { return float64(s.pulls) / secondsPerMonth * peak }

// pullsPerBatch is the pulls that one environment logs while a delivery is collected.
func (s size) pullsPerBatch() float64 {
	return min(batchSize, max(1, s.pullRate()))
}

// credentialOf picks one of a user's credentials: as many as the user needs to stay below half of the rate limit.
func (s size) credentialOf(dice *rand.Rand, user int) string {
	pulls := s.pullRate() / math.Log(float64(s.users)+1) / float64(user+1)
	needed := 1 + int(2*pulls*manifestsPerPull/requestLimit)
	return fmt.Sprintf("%d of user %d", dice.IntN(needed), user)
}

// zipf draws a number below n; by Zipf's law, k is drawn about 1/k as often as 1.
func zipf(dice *rand.Rand, n int) int {
	return min(n-1, int(math.Exp(dice.Float64()*math.Log(float64(n)+1)))-1)
}

// times returns a whole number of events whose average is the given one.
func times(dice *rand.Rand, average float64) int {
	whole := math.Floor(average)
	if dice.Float64() < average-whole {
		whole++
	}
	return int(whole)
}
