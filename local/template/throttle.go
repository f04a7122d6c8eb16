package template

import "slices"

// Throttle is the limit of the whole API, from the DefaultRouteSettings of the HTTP API, or of one route, from its RouteSettings.
type Throttle struct {
	Rate  float64 // requests per second
	Burst int     // requests that may come at once
}

// accountRate and accountBurst are the default quotas of an account in a region, which no stage exceeds.
const accountRate, accountBurst = 10_000, 5_000

// readRouteThrottles reads the limits of routes by their keys, such as "ANY /v1/users". It refuses unknown routes, as AWS does.
func (b *builder) readRouteThrottles() (err error) {
	for _, route := range b.routeSettings.present() {
		if !slices.ContainsFunc(b.stack.Routes, func(r Route) bool { return r.Key() == route.key }) {
			return problem(route.line, "RouteSettings has %q, but no function has an event for this route", route.key)
		}
		if b.stack.RouteThrottles == nil {
			b.stack.RouteThrottles = map[string]Throttle{}
		}
		if b.stack.RouteThrottles[route.key], err = readThrottle(route.value); err != nil {
			return err
		}
	}
	return nil
}

// readThrottle reads the limits. Without them, the quotas of the account hold.
func readThrottle(n *node) (Throttle, error) {
	rate, err := n.get("ThrottlingRateLimit").integer("ThrottlingRateLimit", accountRate, 0, accountRate)
	if err != nil {
		return Throttle{}, err
	}
	burst, err := n.get("ThrottlingBurstLimit").integer("ThrottlingBurstLimit", accountBurst, 0, accountBurst)
	return Throttle{Rate: float64(rate), Burst: burst}, err
}
