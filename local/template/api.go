package template

import (
	"slices"
	"strings"
)

func (b *builder) httpAPI(r *resource) error {
	if b.api != "" {
		return problem(r.line, "%q is a second HTTP API beside %q; the local stack serves one", r.id, b.api)
	}
	b.api = r.id
	cors, err := readCORS(r.properties.get("CorsConfiguration"))
	if err != nil {
		return err
	}
	b.stack.CORS = cors
	if b.stack.Throttle, err = readThrottle(r.properties.get("DefaultRouteSettings")); err != nil {
		return err
	}
	b.routeSettings = r.properties.get("RouteSettings")
	return b.readAccessLog(r.properties.get("AccessLogSettings"))
}

// readImplicitCORS reads the CORS settings of the API that SAM creates if the template declares
// none.
func (b *builder) readImplicitCORS(global *node) error {
	if b.api != "" || !b.implicit || !global.has("CorsConfiguration") {
		return nil
	}
	value, err := b.eval(global.get("CorsConfiguration"))
	if err != nil {
		return err
	}
	b.stack.CORS, err = readCORS(value)
	return err
}

func readCORS(n *node) (cors *CORS, err error) {
	if n.kind == object {
		return readCORSLists(n)
	}
	on, err := n.boolean("CorsConfiguration", false)
	if on {
		cors = &CORS{AllowOrigins: []string{"*"}}
	}
	return cors, err
}

// corsKeys are the keys of a CorsConfiguration. They are checked here because cfn-lint does not
// check them.
var corsKeys = []string{"AllowCredentials", "AllowHeaders", "AllowMethods", "AllowOrigins", "ExposeHeaders", "MaxAge"}

func readCORSLists(n *node) (*CORS, error) {
	for _, f := range n.fields {
		if !slices.Contains(corsKeys, f.key) {
			return nil, problem(f.line, "CorsConfiguration has no key %q; %s", f.key, suggest(f.key, corsKeys))
		}
	}
	c := &CORS{}
	for _, into := range []struct {
		key  string
		list *[]string
	}{
		{"AllowOrigins", &c.AllowOrigins}, {"AllowMethods", &c.AllowMethods},
		{"AllowHeaders", &c.AllowHeaders}, {"ExposeHeaders", &c.ExposeHeaders},
	} {
		var err error
		if *into.list, err = n.get(into.key).strings(into.key); err != nil {
			return nil, err
		}
	}
	return c, c.readLimits(n)
}

func (c *CORS) readLimits(n *node) (err error) {
	if c.MaxAge, err = n.get("MaxAge").integer("MaxAge", 0, -1, 86400); err != nil {
		return err
	}
	c.AllowCredentials, err = n.get("AllowCredentials").boolean("AllowCredentials", false)
	if err != nil {
		return err
	}
	for _, origin := range c.AllowOrigins {
		if origin == "*" && c.AllowCredentials {
			return problem(n.get("AllowCredentials").line,
				"API Gateway refuses AllowCredentials together with the origin \"*\"; list the origins by name")
		}
	}
	return nil
}

// Throttle is the limit of the whole API, from the DefaultRouteSettings of the HTTP API, or of one route, from its
// RouteSettings.
type Throttle struct {
	Rate  float64 // requests per second
	Burst int     // requests that may come at once
}

// accountRate and accountBurst are the default quotas of an account in a region, which no stage exceeds.
const accountRate, accountBurst = 10_000, 5_000

// readRouteThrottles reads the limits of routes by their keys, such as "ANY /v1/users". It refuses unknown routes, as
// AWS does.
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

func (b *builder) readAccessLog(p *node) error {
	if p.kind == absent {
		return nil
	}
	to, err := p.get("DestinationArn").required("the DestinationArn of AccessLogSettings")
	if err != nil {
		return err
	}
	line := p.get("DestinationArn").line
	group, isGroup := strings.CutPrefix(to, b.arn("logs", "log-group:"))
	if !isGroup {
		return problem(line, "the DestinationArn of AccessLogSettings must be the Arn of a log group; "+
			"use !GetAtt of an AWS::Logs::LogGroup")
	}
	group = strings.TrimSuffix(group, ":*")
	if err := b.checkLogGroup(group, line); err != nil {
		return err
	}
	format, err := p.get("Format").required("the Format of AccessLogSettings")
	if err != nil {
		return err
	}
	if !strings.Contains(format, "$context.requestId") && !strings.Contains(format, "$context.extendedRequestId") {
		return problem(p.get("Format").line, "the Format of AccessLogSettings has no $context.requestId, "+
			"which API Gateway requires; add it")
	}
	b.stack.AccessLog = &AccessLog{LogGroup: group, Format: strings.TrimSpace(format)}
	return nil
}
