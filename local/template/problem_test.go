package template_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portside/local/template"
)

// Each error must name the line that ends in "# HERE".
var invalidTemplates = []struct {
	name, source, want string
	parameters         map[string]string
}{
	{name: "bad YAML", source: "Resources:\n  A: [1,\n  B: 2\nOutputs: {} # HERE\n", want: "not valid YAML"},
	{name: "a tab", source: "Resources:\n\tA: 1 # HERE\n", want: "not valid YAML"},
	{name: "empty", source: "# HERE", want: "empty"},
	{name: "only a list", source: "- 1 # HERE", want: "a template is a map"},
	{name: "no Resources", source: "Description: x # HERE", want: "no Resources"},
	{name: "second document", source: "Resources: { A: { Type: T } }\n--- # HERE\nx: 1", want: "second YAML document"},
	{name: "unknown section", source: "Resource: {} # HERE", want: "no Resources"},
	{name: "duplicate key", source: "Resources:\n  A: { Type: T }\n  A: { Type: T } # HERE", want: "first on line 2"},
	{name: "null", source: "Resources:\n  A:\n    Type: T\n    Properties: { X: null } # HERE", want: "null is not allowed"},
	{name: "merge key", source: "Resources:\n  A: &a { Type: T }\n  B: { <<: *a } # HERE", want: "merge keys"},
	{name: "unknown function", source: "Resources:\n  A: { Type: T, Properties: { X: !Cidr x } } # HERE", want: `does not support the intrinsic function "Cidr"`},
	{name: "unknown reference", source: "Resources:\n  Users: { Type: T }\n  A: { Type: T, Properties: { X: !Ref Usres } } # HERE", want: `no resource or parameter "Usres"`},
	{name: "near miss", source: "Resources:\n  Users: { Type: T }\n  A: { Type: T, Properties: { X: !Ref User } } # HERE", want: "did you mean Users?"},
	{name: "unknown in Sub", source: "Resources:\n  A:\n    Type: T\n    Properties: { X: !Sub 'a${Nope.Arn}' } # HERE", want: `"Nope"`},
	{name: "open Sub", source: "Resources:\n  A: { Type: T, Properties: { X: !Sub '${A' } } # HERE", want: "without a closing }"},
	{name: "unknown attribute", source: "Resources:\n  B: { Type: AWS::S3::Bucket }\n  A: { Type: T, Properties: { X: !GetAtt B.Color } } # HERE", want: `no attribute "Color"`},
	{name: "GetAtt form", source: "Resources:\n  A: { Type: T, Properties: { X: !GetAtt A } } # HERE", want: "Resource.Attribute"},
	{name: "cycle", source: "Resources:\n  A: { Type: T, Properties: { X: !Ref B } }\n  B: { Type: T, DependsOn: A } # HERE", want: "A → B → A"},
	{name: "reference to itself", source: "Resources:\n  A: { Type: T, Properties: { X: !Ref A } } # HERE", want: "A → A"},
	{name: "cycle through an S3 event", source: notifying("Environment: { Variables: { BUCKET: !Ref B } } # HERE", "'s3:ObjectCreated:*' } } }"), want: "cannot create: B → F → B"},
	{name: "Firehose", source: "Resources:\n  F: # HERE\n    Type: AWS::KinesisFirehose::DeliveryStream\n", want: "has no Amazon Data Firehose"},
	{name: "a queue for failures", source: notifying("EventInvokeConfig: { DestinationConfig: { OnFailure: { Type: SQS } } } # HERE", "'s3:ObjectCreated:*' } } }"), want: "only OnFailure destinations of the Type S3Bucket"},
	{name: "a foreign bucket for failures", source: notifying("EventInvokeConfig: { DestinationConfig: { OnFailure: { Type: S3Bucket, Destination: 'arn:aws:s3:::x' } } } # HERE", "'s3:ObjectCreated:*' } } }"), want: "a bucket in this template"},
	{name: "a destination for success", source: notifying("EventInvokeConfig: { DestinationConfig: { OnSuccess: { Type: SQS } } } # HERE", "'s3:ObjectCreated:*' } } }"), want: "does not support OnSuccess"},
	{name: "three retries", source: notifying("EventInvokeConfig: { MaximumRetryAttempts: 3 } # HERE", "'s3:ObjectCreated:*' } } }"), want: "MaximumRetryAttempts"},
	{name: "cycle through a policy", source: notifying("Policies: [{ Statement: [{ Resource: !Sub '${B.Arn}/*' }] }] # HERE", "'s3:ObjectCreated:*' } } }"), want: "cannot create: B → F → B"},
	{name: "cycle through DependsOn", source: notifying("Timeout: 3", "'s3:ObjectCreated:*' } } }\n    DependsOn: B # HERE"), want: "cannot create: B → F → B"},
	{name: "misspelled object event", source: notifying("Timeout: 3", "'s3:ObjectCreate:*' } } } # HERE"), want: "did you mean s3:ObjectCreated:*?"},
	{name: "own log group by default", source: "Resources:\n  F:\n    Type: AWS::Serverless::Function\n    Properties: { Events: { E: { Type: CloudWatchLogs, Properties: { LogGroupName: !Sub '/aws/lambda/${F}', FilterPattern: x } } } } # HERE", want: "F subscribes to its own log group"},
	{name: "own log group", source: subscribed("!Ref Logs # HERE", "''"), want: "F subscribes to its own log group"},
	{name: "unknown log group", source: subscribed("/aws/lambda/other # HERE", "''"), want: `the template has no log group "/aws/lambda/other"`},
	{name: "filter pattern", source: subscribed("!Ref Others", "'{ $.a NOT EXISTS }' # HERE"), want: `has "NOT EXISTS }" where one of =`},
	{name: "name refers to itself", source: "Resources:\n  A: { Type: AWS::S3::Bucket, Properties: { BucketName: !Sub '${A}' } } # HERE", want: "refers to itself"},
	{name: "conditions refer to each other", source: "Conditions:\n  A: !Not [!Condition B] # HERE\n  B: !Not [!Condition A]\nResources: { R: { Type: T } }", want: "refers to itself"},
	{name: "unknown condition", source: "Resources:\n  A: { Type: T, Condition: Nope } # HERE", want: `no condition "Nope"`},
	{name: "reference to a resource whose Condition is false", source: "Conditions: { Off: !Equals [a, b] }\nResources:\n  B: { Type: T, Condition: Off }\n  A: { Type: T, Properties: { X: !Ref B } } # HERE", want: "does not exist because its Condition is false"},
	{name: "map", source: "Mappings: { M: { a: { b: c } } }\nResources:\n  A: { Type: T, Properties: { X: !FindInMap [M, a, z] } } # HERE", want: `no "z"`},
	{name: "select", source: "Resources:\n  A: { Type: T, Properties: { X: !Select [2, [a, b]] } } # HERE", want: "no entry"},
	{name: "no type", source: "Resources:\n  A: { Properties: { X: 1 } } # HERE", want: "the Type of resource A is missing"},

	{name: "managed policy", source: "Resources:\n  R: { Type: AWS::IAM::Role, Properties: { ManagedPolicyArns: [x] } } # HERE", want: "does not know managed policies"},
	{name: "policy template", source: function("Policies: [S3ReadPolicy] # HERE"), want: "no managed policies and policy templates"},
	{name: "role elsewhere", source: function("Role: 'arn:aws:iam::1:role/x' # HERE"), want: `"x" is not a role of this template`},
	{name: "effect", source: function("Policies: [{ Statement: { Effect: allow, Action: a, Resource: '*' } }] # HERE"), want: "must be Allow or Deny"},
	{name: "NotAction", source: function("Policies: [{ Statement: { Effect: Deny, NotAction: a, Resource: '*' } }] # HERE"), want: "does not evaluate NotAction"},
	{name: "key of a condition", source: function("Policies: [{ Statement: { Effect: Allow, Action: a, Resource: '*', Condition: { 'ForAllValues:StringEquals': { dynamodb:leadingkeys: v } } } }] # HERE"), want: `does not know the key "dynamodb:leadingkeys"`},
	{name: "operator", source: function("Policies: [{ Statement: { Effect: Allow, Action: a, Resource: '*', Condition: { IpAddress: { k: v } } } }] # HERE"), want: `does not evaluate the operator "IpAddress"`},

	{name: "unknown override", source: "Parameters: # HERE\n  A: { Type: String, Default: x }\nResources: { R: { Type: T } }",
		parameters: map[string]string{"B": "1"}, want: `no parameter "B"; did you mean A?`},
	{name: "misspelled override", source: colours, parameters: map[string]string{"WallColuor": "1"}, want: `did you mean WallColour?`},
	{name: "override with only some words", source: colours, parameters: map[string]string{"colour": "1"},
		want: `did you mean one of WallColour, RoofColour?`},
	{name: "override unlike any parameter", source: colours, parameters: map[string]string{"Colourful": "1"},
		want: `it declares WallColour, RoofColour, Height`},
	{name: "NoEcho override", source: "Parameters:\n  A: { Type: String, Default: x, NoEcho: true, AllowedPattern: x } # HERE\nResources: { R: { Type: T } }",
		parameters: map[string]string{"A": "hush"}, want: `the value of parameter "A" is invalid: it must match x`},
	{name: "no default", source: "Parameters:\n  A: { Type: String } # HERE\nResources: { R: { Type: T } }", want: "no Default"},
	{name: "pattern", source: "Parameters:\n  A: { Type: String, Default: ax, AllowedPattern: a } # HERE\nResources: { R: { Type: T } }", want: "must match a"},
	{name: "ConstraintDescription", source: "Parameters:\n  A: { Type: String, Default: ax, AllowedPattern: a, ConstraintDescription: must be a. } # HERE\nResources: { R: { Type: T } }", want: "it must be a."},
	{name: "values", source: "Parameters:\n  A: { Type: String, Default: x, AllowedValues: [a, b] } # HERE\nResources: { R: { Type: T } }", want: "one of a, b"},
	{name: "number", source: "Parameters:\n  A: { Type: Number, Default: 1 } # HERE\nResources: { R: { Type: T } }",
		parameters: map[string]string{"A": "0x10"}, want: "must be a number"},
	{name: "too small", source: "Parameters:\n  A: { Type: Number, Default: 1, MinValue: 2 } # HERE\nResources: { R: { Type: T } }", want: "at least 2"},
	{name: "too large", source: "Parameters:\n  A: { Type: Number, Default: 9, MaxValue: 2 } # HERE\nResources: { R: { Type: T } }", want: "at most 2"},
	{name: "too long", source: "Parameters:\n  A: { Type: String, Default: abc, MaxLength: 2 } # HERE\nResources: { R: { Type: T } }", want: "at most 2 characters"},
	{name: "an entry of a list", source: "Parameters:\n  A: { Type: CommaDelimitedList, Default: 'a,c', AllowedValues: [a] } # HERE\nResources: { R: { Type: T } }", want: `"c"`},
	{name: "type", source: "Parameters:\n  A: { Type: Text, Default: a } # HERE\nResources: { R: { Type: T } }", want: `type "Text"`},

	{name: "a rule that fails", source: ruled("!Equals [!Ref A, x]", "!Not [!Equals [!Ref B, '']] # HERE"), parameters: map[string]string{"A": "x"},
		want: "the parameters do not fit together: A needs a B."},
	{name: "a rule without RuleCondition", source: "Parameters: { A: { Type: String, Default: x } }\nRules:\n  R:\n    Assertions:\n" +
		"    - { Assert: { Fn::Contains: [[y, z], !Ref A] }, AssertDescription: A is y or z } # HERE\nResources: { R: { Type: T } }", want: "A is y or z"},
	{name: "a rule's second assertion", source: ruled("!Equals [a, a]", "!Or [!Equals [a, b], !Equals [a, a]]\n"+
		"      AssertDescription: x\n    - Assert: !And [!Equals [a, a], !Equals [a, b]] # HERE"), want: "A needs a B."},
	{name: "a rule without Assertions", source: "Rules:\n  R: {} # HERE\nResources: { R: { Type: T } }", want: `the rule "R" has no Assertions`},
	{name: "an assertion without Assert", source: "Rules:\n  R: { Assertions: [{ AssertDescription: x }] } # HERE\nResources: { R: { Type: T } }", want: "has no Assert;"},
	{name: "an assertion without AssertDescription", source: "Rules:\n  R: { Assertions: [{ Assert: !Equals [a, a] }] } # HERE\nResources: { R: { Type: T } }",
		want: "the AssertDescription of rule R is missing"},
	{name: "a rule about a resource", source: ruled("!Equals [!Ref R, x] # HERE", "!Equals [a, a]"), want: `has no parameter "R"`},
	{name: "a function in a rule", source: ruled("!Equals [!Sub '${A}', x] # HERE", "!Equals [a, a]"), want: "cannot use Fn::Sub"},
	{name: "a condition in a rule", source: ruled("!Condition C # HERE", "!Equals [a, a]"), want: "a rule may use only Fn::Equals"},
	{name: "a mistake in a rule that does not apply", source: ruled("!Equals [a, b]", "!Not [!Condition C] # HERE"), want: "a rule may use only"},
	{name: "Contains without a list", source: ruled("Fn::Contains: [a, !Ref A] # HERE", "!Equals [a, a]"), want: "must be a list"},
	{name: "Contains with one thing", source: ruled("Fn::Contains: [[a]] # HERE", "!Equals [a, a]"), want: "!Contains takes a list and a value"},
	{name: "Contains in a condition", source: "Conditions:\n  C: { Fn::Contains: [[a], a] } # HERE\nResources: { R: { Type: T } }", want: "a condition may use only"},
	{name: "misspelled key of an assertion", source: "Rules:\n  R: { Assertions: [{ Asserts: x }] } # HERE\nResources: { R: { Type: T } }", want: "has no Assert;"},

	{name: "method without path", source: function("Events: { E: { Type: HttpApi, Properties: { Method: GET } } } # HERE"), want: "no Path"},
	{name: "path without method", source: function("Events: { E: { Type: HttpApi, Properties: { Path: /x } } } # HERE"), want: "no Method"},
	{name: "method", source: function("Events: { E: { Type: HttpApi, Properties: { Path: /x, Method: FETCH } } } # HERE"), want: "FETCH"},
	{name: "path", source: function("Events: { E: { Type: HttpApi, Properties: { Path: '/x{id}', Method: GET } } } # HERE"), want: "begins with /"},
	{name: "throttle", source: "Resources:\n  Api: { Type: AWS::Serverless::HttpApi, Properties: { DefaultRouteSettings: { ThrottlingRateLimit: 20000 } } } # HERE", want: "ThrottlingRateLimit"},
	{name: "throttle of a route", source: routeSettings("ANY /x: { ThrottlingRateLimit: 20000 }"), want: "ThrottlingRateLimit"},
	{name: "throttle of a missing route", source: routeSettings("GET /x: { ThrottlingRateLimit: 20 }"), want: `"GET /x", but no function`},
	{name: "slash at the end", source: function("Events: { E: { Type: HttpApi, Properties: { Path: /v2/, Method: GET } } } # HERE"), want: "catch-all"},
	{name: "greedy parameter before the end", source: function("Events: { E: { Type: HttpApi, Properties: { Path: '/{a+}/b', Method: GET } } } # HERE"), want: "comes last"},
	{name: "event type", source: function("Events: { E: { Type: Api } } # HERE"), want: `type "Api"`},
	{name: "authorizer", source: function("Events: { E: { Type: HttpApi, Properties: { Auth: { Authorizer: X } } } } # HERE"), want: "does not support authorizers"},
	{name: "payload format", source: function("Events: { E: { Type: HttpApi, Properties: { PayloadFormatVersion: '1.0' } } } # HERE"), want: "2.0 only"},
	{name: "schedule", source: function("Events: { E: { Type: ScheduleV2, Properties: { ScheduleExpression: rate(1 minutes) } } } # HERE"), want: "rate(1 hour)"},
	{name: "schedule input", source: function("Events: { E: { Type: ScheduleV2, Properties: { OmitName: true, ScheduleExpression: rate(1 day), Input: x } } } # HERE"), want: "must be JSON"},
	{name: "schedule name", source: function("Events: { E: { Type: ScheduleV2, Properties: { ScheduleExpression: rate(1 day) } } } # HERE"), want: "OmitName: true"},
	{name: "time zone", source: function("Events: { E: { Type: ScheduleV2, Properties: { ScheduleExpression: rate(1 day), ScheduleExpressionTimezone: Europe/Rome } } } # HERE"), want: "UTC"},
	{name: "bucket", source: function("Events: { E: { Type: S3, Properties: { Bucket: x, Events: a } } } # HERE"), want: "!Ref of a bucket"},
	{name: "timeout", source: function("Timeout: 901 # HERE"), want: "from 1 to 900"},
	{name: "variable", source: function("Environment: { Variables: { A-B: x } } # HERE"), want: `"A-B"`},
	{name: "reserved variable", source: function("Environment: { Variables: { AWS_REGION: x } } # HERE"), want: "reserved"},
	{name: "list as a variable", source: function("Environment: { Variables: { ABC: [x] } } # HERE"), want: "single value"},
	{name: "too much environment", source: function("Environment: { Variables: { ABC: " + strings.Repeat("x", 4096) + " } } # HERE"), want: "4 KB"},
	{name: "the same route", want: "line 4 gives it to A", source: `Resources:
  A:
    Type: AWS::Serverless::Function
    Properties: { Events: { E: { Type: HttpApi, Properties: { Method: GET, Path: '/x/{a}' } } } }
  B:
    Type: AWS::Serverless::Function
    Properties: { Events: { E: { Type: HttpApi, Properties: { Method: get, Path: '/x/{b}' } } } } # HERE`},
	{name: "two APIs", source: "Resources:\n  A: { Type: AWS::Serverless::HttpApi }\n  B: { Type: AWS::Serverless::HttpApi } # HERE", want: "second HTTP API"},
	{name: "another API", source: "Resources:\n  Api: { Type: AWS::Serverless::HttpApi }\n  F: { Type: AWS::Serverless::Function, Properties: { Events: { E: { Type: HttpApi, Properties: { Method: GET, Path: /x } } } } } # HERE", want: "add ApiId: !Ref Api"},
	{name: "AllowCredentials for all origins", source: "Resources:\n  A: { Type: AWS::Serverless::HttpApi, Properties: { CorsConfiguration: { AllowOrigins: ['*'], AllowCredentials: true } } } # HERE", want: "by name"},
	{name: "key without attribute", source: "Resources:\n  A: { Type: AWS::DynamoDB::Table, Properties: { KeySchema: [{ AttributeName: k, KeyType: HASH }] } } # HERE", want: "not in AttributeDefinitions"},
	{name: "access log without DestinationArn", source: "Resources:\n  L: { Type: AWS::Logs::LogGroup }\n  A: { Type: AWS::Serverless::HttpApi, Properties: { AccessLogSettings: { Format: $context.requestId } } } # HERE", want: "DestinationArn"},
	{name: "access log to another service", source: "Resources:\n  L: { Type: AWS::Logs::LogGroup }\n  A: { Type: AWS::Serverless::HttpApi, Properties: { AccessLogSettings: { DestinationArn: 'arn:aws:firehose:us-east-1:123456789012:deliverystream/x', Format: $context.requestId } } } # HERE", want: "must be the Arn of a log group"},
	{name: "access log to an unknown log group", source: "Resources:\n  L: { Type: AWS::Logs::LogGroup }\n  A: { Type: AWS::Serverless::HttpApi, Properties: { AccessLogSettings: { DestinationArn: 'arn:aws:logs:us-east-1:123456789012:log-group:other', Format: $context.requestId } } } # HERE", want: "no log group"},
	{name: "access log without Format", source: "Resources:\n  L: { Type: AWS::Logs::LogGroup }\n  A: { Type: AWS::Serverless::HttpApi, Properties: { AccessLogSettings: { DestinationArn: !GetAtt L.Arn } } } # HERE", want: "the Format"},
	{name: "access log without request ID", source: "Resources:\n  L: { Type: AWS::Logs::LogGroup }\n  A: { Type: AWS::Serverless::HttpApi, Properties: { AccessLogSettings: { DestinationArn: !GetAtt L.Arn, Format: $context.status } } } # HERE", want: "no $context.requestId"},
	{name: "misspelled key of CorsConfiguration", source: "Resources:\n  A: { Type: AWS::Serverless::HttpApi, Properties: { CorsConfiguration: { AllowOrigin: ['*'] } } } # HERE", want: "did you mean AllowOrigins?"},
	{name: "CORS rule without origins", source: bucket("{ AllowedMethods: [GET] }"), want: "needs AllowedOrigins and AllowedMethods"},
	{name: "CORS rule with OPTIONS", source: bucket("{ AllowedOrigins: ['*'], AllowedMethods: [OPTIONS] }"), want: `does not support "OPTIONS"`},
	{name: "CORS rule with two wildcards", source: bucket("{ AllowedOrigins: ['*.x.*'], AllowedMethods: [GET] }"), want: "more than one *"},
	{name: "max-age of a CORS rule", source: bucket("{ AllowedOrigins: ['*'], AllowedMethods: [GET], MaxAge: -1 }"), want: "MaxAge must be"},
	{name: "output", source: "Resources: { R: { Type: T } }\nOutputs:\n  O: { Description: x } # HERE", want: "Value of output O"},
}

const colours = "Parameters: # HERE\n  WallColour: { Type: String, Default: x }\n  RoofColour: { Type: String, Default: x }\n" +
	"  Height: { Type: Number, Default: 1 }\nResources: { R: { Type: T } }"

// ruled is a template with a rule about two parameters.
func ruled(condition, assertion string) string {
	return "Parameters: { A: { Type: String, Default: '' }, B: { Type: String, Default: '' } }\n" +
		"Rules:\n  X:\n    RuleCondition:\n      " + condition + "\n    Assertions:\n    - Assert: " + assertion +
		"\n      AssertDescription: A needs a B.\nResources: { R: { Type: T } }"
}

// bucket is a template whose bucket has a CORS rule.
func bucket(rule string) string {
	return "Resources:\n  B: { Type: AWS::S3::Bucket, Properties: { CorsConfiguration: { CorsRules: [" + rule + "] } } } # HERE"
}

func function(property string) string {
	return "Resources:\n  F:\n    Type: AWS::Serverless::Function\n    Properties:\n      " + property + "\n"
}

// notifying is a template whose bucket notifies a function of an event.
func notifying(property, event string) string {
	return "Resources:\n  B: { Type: AWS::S3::Bucket }\n  F:\n    Type: AWS::Serverless::Function\n    Properties:\n      " + property +
		"\n      Events: { E: { Type: S3, Properties: { Bucket: !Ref B, Events: " + event + "\n"
}

// subscribed is a template whose function has the log group Logs and subscribes to group with
// pattern.
func subscribed(group, pattern string) string {
	return "Resources:\n  Logs: { Type: AWS::Logs::LogGroup }\n  Others: { Type: AWS::Logs::LogGroup }\n" +
		"  F:\n    Type: AWS::Serverless::Function\n    Properties:\n      LoggingConfig: { LogGroup: !Ref Logs }\n" +
		"      Events:\n        E:\n          Type: CloudWatchLogs\n          Properties:\n" +
		"            LogGroupName: " + group + "\n            FilterPattern: " + pattern + "\n"
}

func TestParseErrorsAreOneLine(t *testing.T) {
	for _, test := range invalidTemplates {
		t.Run(test.name, func(t *testing.T) {
			_, err := template.Parse("template.yaml", []byte(test.source), template.Options{Parameters: test.parameters})
			problem, ok := errors.AsType[*template.Error](err)
			if !ok {
				t.Fatalf("got %v, want an Error", err)
			}
			before, _, _ := strings.Cut(test.source, "# HERE")
			if want := strings.Count(before, "\n") + 1; problem.Line != want && !strings.Contains(problem.Problem, "not valid YAML") {
				t.Errorf("error names line %d, want %d: %v", problem.Line, want, err)
			}
			if !regexp.MustCompile(`^template\.yaml:\d+: [^\n]+$`).MatchString(err.Error()) {
				t.Errorf("error is not one line: %q", err)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %q does not contain %q", err, test.want)
			}
		})
	}
}

func TestErrorsHideNoEchoValues(t *testing.T) {
	_, err := template.Parse("t.yaml", []byte("Parameters:\n  A: { Type: String, NoEcho: true, MaxLength: 3 }\nResources: { R: { Type: T } }"),
		template.Options{Parameters: map[string]string{"A": "hunter2"}})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

func TestLoadReportsMissingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "template.yaml")
	if _, err := template.Load(path, template.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestParseRefusesHostileTemplates(t *testing.T) {
	doubling := "a${AWS::Region}"
	expression := "!Sub '" + doubling + "'"
	for range 25 {
		expression = "!Sub ['${X}${X}', { X: " + expression + " }]"
	}
	laughs := "Resources: { R: { Type: T } }\nMetadata:\n  a0: &a0 [x, x]\n"
	for i := range 20 {
		laughs += strings.NewReplacer("N", string(rune('a'+i)), "P", string(rune('a'+i-1))).Replace("  N: &N [*P, *P]\n")
		if i == 0 {
			laughs = strings.Replace(laughs, "*`, *`", "*a0, *a0", 1)
		}
	}
	globals := "Globals: { Function: { Tags: [" + strings.Repeat(strings.Repeat("x", 1000)+", ", 300) + "] } }\nResources:\n"
	for i := range 100 {
		globals += fmt.Sprintf("  F%d: { Type: AWS::Serverless::Function }\n", i)
	}
	for name, source := range map[string]string{
		"globals": globals, "wide": wideSub(20_000, 1000),
		"doubling":     "Resources:\n  A: { Type: T, Properties: { X: " + expression + " } }",
		"aliases":      laughs,
		"own alias":    "Resources: &r\n  A: { Type: T, Properties: { X: *r } }",
		"nesting":      "Resources: " + strings.Repeat("[", 5000),
		"deep flow":    "Resources: { A: { Type: T, Properties: { X: " + strings.Repeat("[", 200) + strings.Repeat("]", 200) + " } } }",
		"larger than ": "# " + strings.Repeat("x", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := template.Parse("t.yaml", []byte(source), template.Options{}); err == nil {
				t.Error("accepted")
			}
		})
	}
}

// wideSub is a template whose !Sub repeats a text of size bytes.
func wideSub(times, size int) string {
	pattern, long := strings.Repeat("${X}", times), strings.Repeat("x", size)
	return "Resources: { A: { Type: T, Properties: { X: !Sub ['" + pattern + "', { X: " + long + " }] } } }"
}

// The limit applies within one !Sub, not only after it: this one would produce 2 GB.
func TestParseBoundsOneSub(t *testing.T) {
	_, err := template.Parse("t.yaml", []byte(wideSub(10_000, 200_000)), template.Options{})
	if err == nil || !strings.Contains(err.Error(), "this !Sub produces") {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	for _, test := range invalidTemplates {
		f.Add([]byte(test.source))
	}
	oneLine := regexp.MustCompile(`^t\.yaml:[1-9]\d*: [^\n\r]+$`)
	f.Fuzz(func(t *testing.T, source []byte) {
		stack, err := template.Parse("t.yaml", source, template.Options{})
		if (stack == nil) == (err == nil) {
			t.Fatal("want either a stack or an error")
		}
		if err != nil && !oneLine.MatchString(err.Error()) {
			t.Fatalf("error is not one line with a position: %q", err)
		}
	})
}

// routeSettings is a template with the route ANY /x and settings of routes.
func routeSettings(settings string) string {
	return "Resources:\n  Api: { Type: AWS::Serverless::HttpApi, Properties: { RouteSettings: { " + settings + " } } } # HERE\n" +
		strings.TrimPrefix(function("Events: { E: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: /x, Method: ANY } } }"), "Resources:\n")
}
