package template

import (
	"regexp"
	"slices"
	"strings"

	"portside/local/logs/pattern"
	"portside/local/schedule"
)

func (b *builder) addEvents(r *resource) error {
	events := r.properties.get("Events")
	if events.kind != absent && events.kind != object {
		return problem(events.line, "the Events of %q must be a map", r.id)
	}
	for _, f := range events.present() {
		if err := b.addEvent(r.id, f); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) addEvent(function string, f field) error {
	typ, err := f.value.get("Type").required("the Type of event " + f.key)
	if err != nil {
		return err
	}
	properties := f.value.get("Properties")
	switch typ {
	case "HttpApi":
		return b.addRoute(function, properties)
	case "Schedule":
		return b.addSchedule(Schedule{ID: function + f.key, Function: function, Type: typ}, properties, "Schedule")
	case "ScheduleV2":
		return b.addSchedule(Schedule{ID: function + f.key, Function: function, Type: typ}, properties, "ScheduleExpression")
	case "EventBridgeRule":
		return b.addRule(function, properties)
	case "S3":
		return b.addNotification(function, properties)
	case "CloudWatchLogs":
		return b.addSubscription(function+f.key, function, properties)
	}
	return problem(f.value.get("Type").line, "the local stack does not support events of type %q; "+
		"use HttpApi, Schedule, ScheduleV2, EventBridgeRule, S3 or CloudWatchLogs", typ)
}

func (b *builder) addRoute(function string, p *node) error {
	if err := b.checkAPI(p); err != nil {
		return err
	}
	method, err := p.get("Method").str("Method")
	if err != nil {
		return err
	}
	path, err := p.get("Path").str("Path")
	if err != nil {
		return err
	}
	route, err := makeRoute(p, strings.ToUpper(method), path)
	if err != nil {
		return err
	}
	shape := parameterName.ReplaceAllString(route.Key(), "{$2}")
	if earlier, taken := b.routeOwners[shape]; taken {
		return problem(p.line, "the route %q is taken: line %d gives it to %s; give it to one function only",
			route.Key(), earlier.line, earlier.function)
	}
	b.routeOwners[shape] = routeOwner{function, p.line}
	route.Function = function
	b.stack.Routes = append(b.stack.Routes, route)
	return nil
}

func (b *builder) checkAPI(p *node) error {
	if auth := p.get("Auth"); auth.kind != absent {
		return problem(auth.line, "the local gateway does not support authorizers; check credentials in the function")
	}
	if version := p.get("PayloadFormatVersion"); version.kind != absent && version.text != "2.0" {
		return problem(version.line, "the local gateway sends payload format 2.0 only; set PayloadFormatVersion to \"2.0\"")
	}
	switch api := p.get("ApiId"); {
	case api.kind == absent && b.api != "":
		return problem(p.line, "this event names no API, so SAM would create a second one; add ApiId: !Ref %s", b.api)
	case api.kind == absent:
		b.implicit = true
	case api.text != APIID:
		return problem(api.line, "ApiId must be !Ref of the template's AWS::Serverless::HttpApi")
	}
	return nil
}

var (
	methods       = []string{"ANY", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
	routePath     = regexp.MustCompile(`^/$|^(/([^/{}]+|\{[A-Za-z0-9._:-]+\}))*(/\{[A-Za-z0-9._:-]+\+\}|/([^/{}]+|\{[A-Za-z0-9._:-]+\}))$`)
	parameterName = regexp.MustCompile(`\{([^{}+]*)(\+?)\}`)
)

func makeRoute(p *node, method, path string) (Route, error) {
	switch {
	case path == "" && method == "", path == DefaultPath:
		return Route{Path: DefaultPath}, nil
	case path == "":
		return Route{}, problem(p.line, "this HttpApi event has a Method but no Path; add Path: /…, "+
			"or remove the Method to make this the catch-all route")
	case method == "":
		return Route{}, problem(p.line, "this HttpApi event has a Path but no Method; add a Method, such as ANY")
	case !slices.Contains(methods, method):
		return Route{}, problem(p.get("Method").line, "unknown method %q; use one of %s", method, strings.Join(methods, ", "))
	case len(path) > 1 && strings.HasSuffix(path, "/"):
		return Route{}, problem(p.get("Path").line, "API Gateway may refuse or ignore the slash at the end of the path %q; "+
			"remove it, and serve such paths with the catch-all route", path)
	case !routePath.MatchString(path):
		return Route{}, problem(p.get("Path").line, "API Gateway refuses the path %q: "+
			"it begins with /, a parameter {name} fills a whole segment, and {name+} comes last", path)
	}
	return Route{Method: method, Path: path}, nil
}

func (b *builder) addSchedule(s Schedule, p *node, key string) (err error) {
	if s.Expression, err = p.get(key).required(key); err != nil {
		return err
	}
	if _, err := schedule.Parse(s.Expression); err != nil {
		return problem(p.get(key).line, "%v", err)
	}
	if zone := p.get("ScheduleExpressionTimezone"); zone.kind != absent && zone.text != "UTC" {
		return problem(zone.line, "the local stack runs schedules in UTC only; set ScheduleExpressionTimezone to UTC")
	}
	if err := checkScheduleName(s.Type, p); err != nil {
		return err
	}
	if s.Input, err = p.get("Input").str("Input"); err != nil {
		return err
	}
	if !schedule.ValidInput(s.Input) {
		return problem(p.get("Input").line, "the Input of a schedule must be JSON, because Lambda accepts only JSON payloads")
	}
	if s.Enabled, err = p.get("Enabled").boolean("Enabled", true); err != nil {
		return err
	}
	switch state := p.get("State"); state.text {
	case "", "ENABLED":
	case "DISABLED":
		s.Enabled = false
	default:
		return problem(state.line, "State must be ENABLED or DISABLED")
	}
	b.stack.Schedules = append(b.stack.Schedules, s)
	return nil
}

// checkScheduleName refuses a schedule whose name would be the same in each stack. Names of EventBridge Scheduler are
// unique in an account and region, so the second stack could not be created.
func checkScheduleName(typ string, p *node) error {
	omitted, err := p.get("OmitName").boolean("OmitName", false)
	if err != nil || typ != "ScheduleV2" || omitted {
		return err
	}
	return problem(p.line, "without OmitName, SAM names this schedule after its event, so a second stack in the same account fails; "+
		"add OmitName: true")
}

// ecrPattern has the values in events of Amazon ECR from the local stack, which sends no other events to EventBridge.
var ecrPattern = map[string][]string{
	"source": {"aws.ecr"}, "detail-type": {"ECR Image Action"}, "result": {"SUCCESS"}, "action-type": {"PUSH", "DELETE"},
}

func (b *builder) addRule(function string, p *node) error {
	events := p.get("Pattern")
	wanted := map[string][]string{}
	for _, part := range []*node{events, events.get("detail")} {
		for _, f := range part.present() {
			if f.key == "detail" {
				continue
			}
			values, err := f.value.strings(f.key)
			if err != nil {
				return err
			}
			for _, value := range values {
				if !slices.Contains(ecrPattern[f.key], value) {
					return problem(f.value.line, "the local stack sends no events with the %s %q; it sends those of Amazon ECR: "+
						"source aws.ecr, detail-type ECR Image Action, result SUCCESS, action-type PUSH and DELETE", f.key, value)
				}
			}
			wanted[f.key] = values
		}
	}
	if len(wanted["source"]) == 0 || len(wanted["detail-type"]) == 0 {
		return problem(p.line, "the Pattern of an EventBridgeRule needs a source and a detail-type")
	}
	rule := Rule{Function: function, Actions: wanted["action-type"]}
	if rule.Actions == nil {
		rule.Actions = ecrPattern["action-type"]
	}
	b.stack.Rules = append(b.stack.Rules, rule)
	return nil
}

func (b *builder) addNotification(function string, p *node) error {
	name, err := p.get("Bucket").required("the Bucket of an S3 event")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(b.stack.Buckets, func(bucket Bucket) bool { return bucket.Name == name })
	if i < 0 {
		return problem(p.get("Bucket").line, "the Bucket of an S3 event must be !Ref of a bucket in this template")
	}
	n := Notification{Function: function}
	if n.Events, err = p.get("Events").strings("Events"); err != nil {
		return err
	}
	if len(n.Events) == 0 {
		return problem(p.line, "this S3 event has no Events; add for example Events: s3:ObjectCreated:*")
	}
	for _, event := range n.Events {
		if !slices.Contains(objectEvents[:], event) {
			return problem(p.lineOf("Events"), "the local stack does not support the S3 event %q; %s", event, suggest(event, objectEvents[:]))
		}
	}
	if err := n.filter(p.get("Filter").get("S3Key").get("Rules")); err != nil {
		return err
	}
	b.stack.Buckets[i].Notifications = append(b.stack.Buckets[i].Notifications, n)
	return nil
}

var objectEvents = [...]string{
	"s3:ObjectCreated:*", "s3:ObjectCreated:Put", "s3:ObjectCreated:Post", "s3:ObjectCreated:Copy",
	"s3:ObjectCreated:CompleteMultipartUpload",
	"s3:ObjectRemoved:*", "s3:ObjectRemoved:Delete", "s3:ObjectRemoved:DeleteMarkerCreated",
}

func (n *Notification) filter(rules *node) error {
	all, err := rules.elements("Rules")
	if err != nil {
		return err
	}
	for _, rule := range all {
		value, err := rule.get("Value").str("the Value of a rule")
		if err != nil {
			return err
		}
		switch strings.ToLower(rule.get("Name").text) {
		case "prefix":
			n.Prefix = value
		case "suffix":
			n.Suffix = value
		default:
			return problem(rule.line, "the Name of a rule of an S3 event must be prefix or suffix")
		}
	}
	return nil
}

func (b *builder) addSubscription(id, function string, p *node) error {
	group, err := p.get("LogGroupName").required("the LogGroupName of a CloudWatchLogs event")
	if err != nil {
		return err
	}
	if own := b.stack.Functions[len(b.stack.Functions)-1].LogGroup; own == group {
		return problem(p.get("LogGroupName").line, "%s subscribes to its own log group, so every invocation would cause another; "+
			"subscribe it to the log group of another function", function)
	}
	source, err := p.get("FilterPattern").str("FilterPattern")
	if err != nil {
		return err
	}
	if err := b.checkLogGroup(group, p.get("LogGroupName").line); err != nil {
		return err
	}
	filter, err := pattern.Parse(source)
	if err != nil {
		return problem(p.get("FilterPattern").line, "%v", err)
	}
	b.stack.Subscriptions = append(b.stack.Subscriptions, Subscription{ID: id, Function: function, LogGroup: group, Pattern: filter})
	return nil
}

// checkLogGroup refuses a log group to which nothing in the template writes. Such a group may exist
// in the cloud, but locally it would stay empty.
func (b *builder) checkLogGroup(group string, line int) error {
	for _, r := range b.resources {
		if !r.exists || r.typ != logsType && r.typ != functionType {
			continue
		}
		name, err := b.physicalID(r)
		if err != nil {
			return err
		}
		if name == group || r.typ == functionType && group == lambdaGroupPrefix+name {
			return nil
		}
	}
	return problem(line, "the template has no log group %q; use !Ref of an AWS::Logs::LogGroup", group)
}
