package template

// Throttle is the limit of the whole API, from the DefaultRouteSettings of the HTTP API.
type Throttle struct {
	Rate  float64 // requests per second
	Burst int     // requests that may come at once
}

// accountRate and accountBurst are the default quotas of an account in a region, which no stage exceeds.
const accountRate, accountBurst = 10_000, 5_000

// readThrottle reads the limits. Without them, the quotas of the account hold.
func readThrottle(n *node) (Throttle, error) {
	rate, err := n.get("ThrottlingRateLimit").integer("ThrottlingRateLimit", accountRate, 0, accountRate)
	if err != nil {
		return Throttle{}, err
	}
	burst, err := n.get("ThrottlingBurstLimit").integer("ThrottlingBurstLimit", accountBurst, 0, accountBurst)
	return Throttle{Rate: float64(rate), Burst: burst}, err
}
