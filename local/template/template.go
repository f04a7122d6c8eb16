// Package template reads the SAM template and says what it comes to: which functions there are,
// which routes, schedules and buckets call them, which tables they use, and with what settings.
//
// What must stay true: every reference, parameter and condition is resolved or refused, and each
// refusal is one line that begins with the template's line. The local stack knows the functions
// only through this package, so that a route that works on a laptop is a route that is deployed;
// where SAM or CloudFormation would refuse a template, guessing here would only move the failure
// to the deployment.
package template

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"portside/local/logs/pattern"
)

// APIID is what `!Ref` of the HTTP API yields, and the apiId of its events.
const APIID = "portside00"

// Stack is a template with everything resolved, each list in the template's order.
type Stack struct {
	Functions     []Function
	Routes        []Route
	Schedules     []Schedule
	Subscriptions []Subscription
	Tables        []Table
	Buckets       []Bucket
	// CORS is nil when the gateway leaves CORS to the functions.
	CORS *CORS
	// AccessLog is nil when the API's requests are not logged.
	AccessLog *AccessLog
	Outputs   map[string]string
}

// Function is one AWS::Serverless::Function with the template's Globals merged in.
type Function struct {
	// ID is the logical ID, which names the build target and the function everywhere else.
	ID          string
	Environment map[string]string
	Timeout     time.Duration
	MemoryMB    int
	// BuildMethod is Metadata.BuildMethod, empty when the template names none.
	BuildMethod string
	// ReservedConcurrency is the most invocations at one time; 0 when the template sets no limit.
	ReservedConcurrency int
	// LogGroup is the name of the group that gets what the function prints.
	LogGroup string
}

// Route is one HttpApi event.
type Route struct {
	// Method is upper case, ANY for every method, and empty for the catch-all.
	Method string
	// Path is as in the template, "$default" for the catch-all.
	Path     string
	Function string
}

// Key is the route as API Gateway names it: "ANY /v1/users/{proxy+}", or "$default".
func (r Route) Key() string {
	if r.Path == DefaultPath {
		return DefaultPath
	}
	return r.Method + " " + r.Path
}

// DefaultPath is the path and the key of the catch-all route.
const DefaultPath = "$default"

// Schedule is one Schedule or ScheduleV2 event. Its fields are those of schedule.Job, so that one
// converts to the other.
type Schedule struct {
	// ID is the logical ID of the function followed by the name of the event, as SAM makes it.
	ID         string
	Function   string
	Expression string
	// Input is the JSON payload; empty for the event that AWS makes up.
	Input   string
	Enabled bool
	// Type is "Schedule" (an EventBridge rule) or "ScheduleV2" (EventBridge Scheduler).
	Type string
}

// Subscription is one CloudWatchLogs event: what a log group gets goes to the function.
type Subscription struct {
	ID       string
	Function string
	LogGroup string
	Pattern  pattern.Pattern
}

// Table is one AWS::DynamoDB::Table.
type Table struct {
	ID         string
	Name       string
	Attributes []Attribute
	Keys       []Key
	Global     []Index
	Local      []Index
	// TTLAttribute is empty when items do not expire.
	TTLAttribute string
}

// Attribute is a key attribute; Type is "S", "N" or "B".
type Attribute struct{ Name, Type string }

// Key is one part of a primary key; Type is "HASH" or "RANGE".
type Key struct{ Name, Type string }

// Index is a secondary index; Projection is "ALL", "KEYS_ONLY" or "INCLUDE", the last with NonKey.
type Index struct {
	Name       string
	Keys       []Key
	Projection string
	NonKey     []string
}

// Bucket is one AWS::S3::Bucket.
type Bucket struct {
	ID            string
	Name          string
	Notifications []Notification
}

// Notification is one S3 event of a function: which changes of the bucket call it.
type Notification struct {
	Function string
	// Events are as in the template, for example "s3:ObjectCreated:*".
	Events         []string
	Prefix, Suffix string
}

// CORS is the CorsConfiguration of the HTTP API.
type CORS struct {
	AllowOrigins  []string
	AllowMethods  []string
	AllowHeaders  []string
	ExposeHeaders []string
	// MaxAge is in seconds; 0 sends no max-age.
	MaxAge           int
	AllowCredentials bool
}

// AccessLog is the AccessLogSettings of the HTTP API.
type AccessLog struct {
	LogGroup string // by name
	Format   string // of a line, with variables such as $context.requestId
}

// Options is what a deployment decides. Empty fields take the values of a deployment named
// portside in us-east-1.
type Options struct {
	// Parameters override the defaults of the template's parameters.
	Parameters map[string]string
	Region     string
	AccountID  string
	StackName  string
	// APIURL stands in for https://ID.execute-api.REGION.amazonaws.com of the HTTP API, without a
	// trailing slash. Empty leaves such addresses as AWS would make them.
	APIURL string
}

func (o Options) withDefaults() Options {
	o.Region = orElse(o.Region, "us-east-1")
	o.AccountID = orElse(o.AccountID, "123456789012")
	o.StackName = orElse(o.StackName, "portside")
	return o
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Load reads and resolves the template at path. What is wrong with the template itself is an
// *Error.
func Load(path string, o Options) (*Stack, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the template: %w", err)
	}
	return Parse(filepath.Base(path), source, o)
}
