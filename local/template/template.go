// Package template reads the SAM template and resolves it to functions with their settings, the
// routes, schedules, buckets and log groups that invoke them, and the tables that they use.
//
// Every reference, parameter and condition is either resolved or refused, and each error is one
// line that names the template's line. The local stack learns of functions only from this package,
// so a route that works on a laptop is also deployed. Unknown keys and property names are not
// checked here: cfn-lint does that in make check.
package template

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"portside/local/iam"
	"portside/local/logs/pattern"
)

// APIID is the value of !Ref of the HTTP API, and the apiId of its events.
const APIID = "portside00"

// Stack is a resolved template. Its lists have the template's order.
type Stack struct {
	Functions     []Function
	Routes        []Route
	Schedules     []Schedule
	Subscriptions []Subscription
	Rules         []Rule
	Tables        []Table
	Buckets       []Bucket
	Roles         []iam.Role
	Secrets       []Secret
	// CORS is nil when the gateway leaves CORS to the functions.
	CORS *CORS
	// Throttle limits the HTTP API. It is zero if the template declares no API.
	Throttle Throttle
	// RouteThrottles limit routes, by their keys, instead of Throttle.
	RouteThrottles map[string]Throttle
	// AccessLog is nil if the API has no access log.
	AccessLog *AccessLog
	Outputs   map[string]string
}

// Function is one AWS::Serverless::Function with the template's Globals merged in.
type Function struct {
	// ID is the logical ID. The build target build-ID and the function's name on the local stack
	// are the same.
	ID          string
	Role        string // ID of its role
	Environment map[string]string
	Timeout     time.Duration
	MemoryMB    int
	// BuildMethod is Metadata.BuildMethod, empty when the template names none.
	BuildMethod string
	// ReservedConcurrency limits concurrent invocations; 0 means no limit.
	ReservedConcurrency int
	// LogGroup is the name of the log group that receives the function's output.
	LogGroup string
	Async    AsyncInvoke
}

// Route is one HttpApi event.
type Route struct {
	// Method is upper case, ANY for every method, and empty for the catch-all.
	Method string
	// Path is as in the template, "$default" for the catch-all.
	Path     string
	Function string
}

// Key returns API Gateway's route key: "ANY /v1/users/{proxy+}", or "$default".
func (r Route) Key() string {
	if r.Path == DefaultPath {
		return DefaultPath
	}
	return r.Method + " " + r.Path
}

// DefaultPath is the path and the key of the catch-all route.
const DefaultPath = "$default"

// Schedule is one Schedule or ScheduleV2 event. It has the fields of schedule.Job, so that Go can
// convert one to the other.
type Schedule struct {
	// ID is the function's logical ID followed by the event's name, like the resource that SAM
	// creates.
	ID         string
	Function   string
	Expression string
	// Input is the JSON payload; empty means the default event of the scheduler.
	Input   string
	Enabled bool
	// Type is "Schedule" (an EventBridge rule) or "ScheduleV2" (EventBridge Scheduler).
	Type string
}

// Subscription is one CloudWatchLogs event: the function receives the log group's lines that match
// Pattern.
type Subscription struct {
	ID       string
	Function string
	LogGroup string
	Pattern  pattern.Pattern
}

// Rule is one EventBridgeRule event for the events of Amazon ECR.
type Rule struct {
	Function string
	Actions  []string // "PUSH" or "DELETE"
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
	// External means that the table has a name, but its Condition is false: the stack does not
	// create the table, and functions use an existing one with this name.
	External bool
}

// Secret is one AWS::SecretsManager::Secret.
type Secret struct{ Name, Value string }

// Attribute is a key attribute; Type is "S", "N" or "B".
type Attribute struct{ Name, Type string }

// Key is one part of a primary key; Type is "HASH" or "RANGE".
type Key struct{ Name, Type string }

// Index is a secondary index; Projection is "ALL", "KEYS_ONLY" or "INCLUDE". NonKey is set for
// "INCLUDE" only.
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
	CORS          []CORSRule // which origins may use the bucket from a browser; none if it is empty
	Notifications []Notification
}

// CORSRule is one entry of the CorsRules of a bucket.
type CORSRule struct {
	AllowedOrigins []string
	AllowedMethods []string
	AllowedHeaders []string
	ExposedHeaders []string
	MaxAge         int // in seconds; 0 sends no max-age
}

// Notification is one S3 event of a function: it selects the changes of the bucket that invoke the
// function.
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

// Options are the settings of a deployment. Empty fields default to a stack named portside in
// us-east-1.
type Options struct {
	// Parameters override the defaults of the template's parameters.
	Parameters map[string]string
	Region     string
	AccountID  string
	StackName  string
	// APIURL replaces https://ID.execute-api.REGION.amazonaws.com, without a trailing slash. Empty
	// keeps the address on AWS.
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

// Load reads and resolves the template at path. It reports mistakes in the template as an *Error.
func Load(path string, o Options) (*Stack, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the template: %w", err)
	}
	return Parse(filepath.Base(path), source, o)
}
