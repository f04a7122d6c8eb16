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

// The line that is to be named is the one that ends in "# HERE".
var broken = []struct {
	name, source, says string
	parameters         map[string]string
}{
	{name: "bad YAML", source: "Resources:\n  A: [1,\n  B: 2\nOutputs: {} # HERE\n", says: "not valid YAML"},
	{name: "a tab", source: "Resources:\n\tA: 1 # HERE\n", says: "not valid YAML"},
	{name: "empty", source: "# HERE", says: "empty"},
	{name: "only a list", source: "- 1 # HERE", says: "a template is a map"},
	{name: "no resources", source: "Description: x # HERE", says: "no Resources"},
	{name: "second document", source: "Resources: { A: { Type: T } }\n--- # HERE\nx: 1", says: "second YAML document"},
	{name: "unknown section", source: "Resource: {} # HERE", says: `no "Resource" in a template; did you mean Resources?`},
	{name: "twice", source: "Resources:\n  A: { Type: T }\n  A: { Type: T } # HERE", says: "first on line 2"},
	{name: "null", source: "Resources:\n  A:\n    Type: T\n    Properties: { X: null } # HERE", says: "null is not allowed"},
	{name: "merge key", source: "Resources:\n  A: &a { Type: T }\n  B: { <<: *a } # HERE", says: "merge keys"},
	{name: "unknown function", source: "Resources:\n  A: { Type: T, Properties: { X: !Cidr x } } # HERE", says: `"Cidr" is not supported`},
	{name: "unknown reference", source: "Resources:\n  Users: { Type: T }\n  A: { Type: T, Properties: { X: !Ref Usres } } # HERE", says: `nothing in the template is called "Usres"`},
	{name: "near miss", source: "Resources:\n  Users: { Type: T }\n  A: { Type: T, Properties: { X: !Ref User } } # HERE", says: "did you mean Users?"},
	{name: "unknown in Sub", source: "Resources:\n  A:\n    Type: T\n    Properties: { X: !Sub 'a${Nope.Arn}' } # HERE", says: `"Nope"`},
	{name: "open Sub", source: "Resources:\n  A: { Type: T, Properties: { X: !Sub '${A' } } # HERE", says: "without a closing }"},
	{name: "unknown attribute", source: "Resources:\n  B: { Type: AWS::S3::Bucket }\n  A: { Type: T, Properties: { X: !GetAtt B.Color } } # HERE", says: `no attribute "Color"`},
	{name: "GetAtt form", source: "Resources:\n  A: { Type: T, Properties: { X: !GetAtt A } } # HERE", says: "Resource.Attribute"},
	{name: "circle", source: "Resources:\n  A: { Type: T, Properties: { X: !Ref B } }\n  B: { Type: T, DependsOn: A } # HERE", says: "A → B → A"},
	{name: "own circle", source: "Resources:\n  A: { Type: T, Properties: { X: !Ref A } } # HERE", says: "A → A"},
	{name: "bucket circle", source: notifying("Environment: { Variables: { BUCKET: !Ref B } } # HERE", "'s3:ObjectCreated:*' } } }"), says: "break it: B → F → B"},
	{name: "circle through a policy", source: notifying("Policies: [{ Statement: [{ Resource: !Sub '${B.Arn}/*' }] }] # HERE", "'s3:ObjectCreated:*' } } }"), says: "break it: B → F → B"},
	{name: "circle through DependsOn", source: notifying("Timeout: 3", "'s3:ObjectCreated:*' } } }\n    DependsOn: B # HERE"), says: "break it: B → F → B"},
	{name: "misspelt object event", source: notifying("Timeout: 3", "'s3:ObjectCreate:*' } } } # HERE"), says: "did you mean s3:ObjectCreated:*?"},
	{name: "own log group by default", source: "Resources:\n  F:\n    Type: AWS::Serverless::Function\n    Properties: { Events: { E: { Type: CloudWatchLogs, Properties: { LogGroupName: !Sub '/aws/lambda/${F}', FilterPattern: x } } } } # HERE", says: "F would be invoked"},
	{name: "own log group", source: subscribed("!Ref Logs # HERE", "''"), says: "F would be invoked by what it prints itself"},
	{name: "log group of nobody", source: subscribed("/aws/lambda/other # HERE", "''"), says: `no log group "/aws/lambda/other"`},
	{name: "filter pattern", source: subscribed("!Ref Others", "'{ $.a NOT EXISTS }' # HERE"), says: `has "NOT EXISTS }" where one of =`},
	{name: "name circle", source: "Resources:\n  A: { Type: AWS::S3::Bucket, Properties: { BucketName: !Sub '${A}' } } # HERE", says: "circle"},
	{name: "condition circle", source: "Conditions:\n  A: !Not [!Condition B] # HERE\n  B: !Not [!Condition A]\nResources: { R: { Type: T } }", says: "circle"},
	{name: "unknown condition", source: "Resources:\n  A: { Type: T, Condition: Nope } # HERE", says: `no condition "Nope"`},
	{name: "reference to what is off", source: "Conditions: { Off: !Equals [a, b] }\nResources:\n  B: { Type: T, Condition: Off }\n  A: { Type: T, Properties: { X: !Ref B } } # HERE", says: "switched off"},
	{name: "map", source: "Mappings: { M: { a: { b: c } } }\nResources:\n  A: { Type: T, Properties: { X: !FindInMap [M, a, z] } } # HERE", says: `no "z"`},
	{name: "select", source: "Resources:\n  A: { Type: T, Properties: { X: !Select [2, [a, b]] } } # HERE", says: "no entry"},
	{name: "no type", source: "Resources:\n  A: { Properties: { X: 1 } } # HERE", says: "the Type of resource A is missing"},

	{name: "unknown override", source: "Parameters: # HERE\n  A: { Type: String, Default: x }\nResources: { R: { Type: T } }",
		parameters: map[string]string{"B": "1"}, says: `no parameter "B" to set; did you mean A?`},
	{name: "misspelt override", source: colours, parameters: map[string]string{"WallColuor": "1"}, says: `did you mean WallColour?`},
	{name: "override with words left out", source: colours, parameters: map[string]string{"colour": "1"},
		says: `did you mean one of WallColour, RoofColour?`},
	{name: "override without words", source: colours, parameters: map[string]string{"Colourful": "1"},
		says: `the template declares WallColour, RoofColour, Height`},
	{name: "hidden override", source: "Parameters:\n  A: { Type: String, Default: x, NoEcho: true, AllowedPattern: x } # HERE\nResources: { R: { Type: T } }",
		parameters: map[string]string{"A": "hush"}, says: `the value of parameter "A" is refused: it must match x`},
	{name: "no default", source: "Parameters:\n  A: { Type: String } # HERE\nResources: { R: { Type: T } }", says: "no Default"},
	{name: "pattern", source: "Parameters:\n  A: { Type: String, Default: ax, AllowedPattern: a } # HERE\nResources: { R: { Type: T } }", says: "must match a"},
	{name: "said in words", source: "Parameters:\n  A: { Type: String, Default: ax, AllowedPattern: a, ConstraintDescription: must be a. } # HERE\nResources: { R: { Type: T } }", says: "it must be a."},
	{name: "values", source: "Parameters:\n  A: { Type: String, Default: x, AllowedValues: [a, b] } # HERE\nResources: { R: { Type: T } }", says: "one of a, b"},
	{name: "number", source: "Parameters:\n  A: { Type: Number, Default: 1 } # HERE\nResources: { R: { Type: T } }",
		parameters: map[string]string{"A": "0x10"}, says: "must be a number"},
	{name: "too small", source: "Parameters:\n  A: { Type: Number, Default: 1, MinValue: 2 } # HERE\nResources: { R: { Type: T } }", says: "at least 2"},
	{name: "too large", source: "Parameters:\n  A: { Type: Number, Default: 9, MaxValue: 2 } # HERE\nResources: { R: { Type: T } }", says: "at most 2"},
	{name: "too long", source: "Parameters:\n  A: { Type: String, Default: abc, MaxLength: 2 } # HERE\nResources: { R: { Type: T } }", says: "at most 2 characters"},
	{name: "an entry of a list", source: "Parameters:\n  A: { Type: CommaDelimitedList, Default: 'a,c', AllowedValues: [a] } # HERE\nResources: { R: { Type: T } }", says: `"c"`},
	{name: "type", source: "Parameters:\n  A: { Type: Text, Default: a } # HERE\nResources: { R: { Type: T } }", says: `type "Text"`},

	{name: "a rule that fails", source: ruled("!Equals [!Ref A, x]", "!Not [!Equals [!Ref B, '']] # HERE"), parameters: map[string]string{"A": "x"},
		says: "the parameters do not fit together: A needs a B."},
	{name: "a rule that always counts", source: "Parameters: { A: { Type: String, Default: x } }\nRules:\n  R:\n    Assertions:\n" +
		"    - { Assert: { Fn::Contains: [[y, z], !Ref A] }, AssertDescription: A is y or z } # HERE\nResources: { R: { Type: T } }", says: "A is y or z"},
	{name: "a rule's second assertion", source: ruled("!Equals [a, a]", "!Or [!Equals [a, b], !Equals [a, a]]\n"+
		"      AssertDescription: x\n    - Assert: !And [!Equals [a, a], !Equals [a, b]] # HERE"), says: "A needs a B."},
	{name: "a rule of nothing", source: "Rules:\n  R: {} # HERE\nResources: { R: { Type: T } }", says: `the rule "R" has no Assertions`},
	{name: "an assertion of nothing", source: "Rules:\n  R: { Assertions: [{ AssertDescription: x }] } # HERE\nResources: { R: { Type: T } }", says: "has no Assert;"},
	{name: "an assertion without words", source: "Rules:\n  R: { Assertions: [{ Assert: !Equals [a, a] }] } # HERE\nResources: { R: { Type: T } }",
		says: "the AssertDescription of rule R is missing"},
	{name: "a rule about a resource", source: ruled("!Equals [!Ref R, x] # HERE", "!Equals [a, a]"), says: `a rule refers to parameters, and "R" is none`},
	{name: "a function in a rule", source: ruled("!Equals [!Sub '${A}', x] # HERE", "!Equals [a, a]"), says: "takes no Sub"},
	{name: "a condition in a rule", source: ruled("!Condition C # HERE", "!Equals [a, a]"), says: "a rule is made of Fn::Equals"},
	{name: "a mistake in a rule that does not count", source: ruled("!Equals [a, b]", "!Not [!Condition C] # HERE"), says: "a rule is made of"},
	{name: "Contains without a list", source: ruled("Fn::Contains: [a, !Ref A] # HERE", "!Equals [a, a]"), says: "must be a list"},
	{name: "Contains with one thing", source: ruled("Fn::Contains: [[a]] # HERE", "!Equals [a, a]"), says: "!Contains takes a list and a value"},
	{name: "Contains in a condition", source: "Conditions:\n  C: { Fn::Contains: [[a], a] } # HERE\nResources: { R: { Type: T } }", says: "a condition is made of"},
	{name: "misspelt key of a rule", source: "Rules:\n  R: { RuleConditions: x } # HERE\nResources: { R: { Type: T } }", says: "did you mean RuleCondition?"},
	{name: "misspelt key of an assertion", source: "Rules:\n  R: { Assertions: [{ Asserts: x }] } # HERE\nResources: { R: { Type: T } }", says: "did you mean Assert?"},

	{name: "method without path", source: function("Events: { E: { Type: HttpApi, Properties: { Method: GET } } } # HERE"), says: "no Path"},
	{name: "path without method", source: function("Events: { E: { Type: HttpApi, Properties: { Path: /x } } } # HERE"), says: "no Method"},
	{name: "method", source: function("Events: { E: { Type: HttpApi, Properties: { Path: /x, Method: FETCH } } } # HERE"), says: "FETCH"},
	{name: "path", source: function("Events: { E: { Type: HttpApi, Properties: { Path: '/x{id}', Method: GET } } } # HERE"), says: "begins with /"},
	{name: "greedy first", source: function("Events: { E: { Type: HttpApi, Properties: { Path: '/{a+}/b', Method: GET } } } # HERE"), says: "comes last"},
	{name: "event type", source: function("Events: { E: { Type: Api } } # HERE"), says: `type "Api"`},
	{name: "authorizer", source: function("Events: { E: { Type: HttpApi, Properties: { Auth: { Authorizer: X } } } } # HERE"), says: "no authorizers"},
	{name: "payload format", source: function("Events: { E: { Type: HttpApi, Properties: { PayloadFormatVersion: '1.0' } } } # HERE"), says: "2.0 only"},
	{name: "schedule", source: function("Events: { E: { Type: ScheduleV2, Properties: { ScheduleExpression: rate(1 minutes) } } } # HERE"), says: "rate(1 hour)"},
	{name: "schedule input", source: function("Events: { E: { Type: ScheduleV2, Properties: { ScheduleExpression: rate(1 day), Input: x } } } # HERE"), says: "must be JSON"},
	{name: "time zone", source: function("Events: { E: { Type: ScheduleV2, Properties: { ScheduleExpression: rate(1 day), ScheduleExpressionTimezone: Europe/Rome } } } # HERE"), says: "UTC"},
	{name: "bucket", source: function("Events: { E: { Type: S3, Properties: { Bucket: x, Events: a } } } # HERE"), says: "!Ref of a bucket"},
	{name: "timeout", source: function("Timeout: 901 # HERE"), says: "from 1 to 900"},
	{name: "variable", source: function("Environment: { Variables: { A-B: x } } # HERE"), says: `"A-B"`},
	{name: "reserved variable", source: function("Environment: { Variables: { AWS_REGION: x } } # HERE"), says: "reserved"},
	{name: "list as a variable", source: function("Environment: { Variables: { ABC: [x] } } # HERE"), says: "single value"},
	{name: "too much environment", source: function("Environment: { Variables: { ABC: " + strings.Repeat("x", 4096) + " } } # HERE"), says: "4 KB"},
	{name: "the same route", says: "A has it since line 4", source: `Resources:
  A:
    Type: AWS::Serverless::Function
    Properties: { Events: { E: { Type: HttpApi, Properties: { Method: GET, Path: '/x/{a}' } } } }
  B:
    Type: AWS::Serverless::Function
    Properties: { Events: { E: { Type: HttpApi, Properties: { Method: get, Path: '/x/{b}' } } } } # HERE`},
	{name: "two APIs", source: "Resources:\n  A: { Type: AWS::Serverless::HttpApi }\n  B: { Type: AWS::Serverless::HttpApi } # HERE", says: "second HTTP API"},
	{name: "another API", source: "Resources:\n  Api: { Type: AWS::Serverless::HttpApi }\n  F: { Type: AWS::Serverless::Function, Properties: { Events: { E: { Type: HttpApi, Properties: { Method: GET, Path: /x } } } } } # HERE", says: "add ApiId: !Ref Api"},
	{name: "credentials for all", source: "Resources:\n  A: { Type: AWS::Serverless::HttpApi, Properties: { CorsConfiguration: { AllowOrigins: ['*'], AllowCredentials: true } } } # HERE", says: "by name"},
	{name: "key without attribute", source: "Resources:\n  A: { Type: AWS::DynamoDB::Table, Properties: { KeySchema: [{ AttributeName: k, KeyType: HASH }] } } # HERE", says: "not in AttributeDefinitions"},
	{name: "misspelt section", source: "Global: {} # HERE\nResources: { R: { Type: T } }", says: "did you mean Globals?"},
	{name: "misspelt parameter's key", source: "Parameters:\n  A: { Type: String, Default: x, AlowedValues: [x] } # HERE\nResources: { R: { Type: T } }", says: "did you mean AllowedValues?"},
	{name: "misspelt section of Globals", source: "Globals:\n  Functions: { Timeout: 3 } # HERE\nResources: { R: { Type: T } }", says: "did you mean Function?"},
	{name: "misspelt key of Globals", source: "Globals:\n  Function: { Timeuot: 3 } # HERE\nResources: { R: { Type: T } }", says: "did you mean Timeout?"},
	{name: "not for all functions", source: "Globals:\n  Function: { FunctionName: x } # HERE\nResources: { R: { Type: T } }", says: `no "FunctionName" in Globals of functions`},
	{name: "misspelt key of a resource", source: "Resources:\n  A: { Type: T, Propertys: {} } # HERE", says: `no "Propertys" in a resource`},
	{name: "misspelt key of an output", source: "Resources: { R: { Type: T } }\nOutputs:\n  O: { Valeu: x } # HERE", says: "did you mean Value?"},
	{name: "misspelt Environment", source: function("Environmen: { Variables: { ABC: x } } # HERE"), says: `no "Environmen" in AWS::Serverless::Function; did you mean Environment?`},
	{name: "misspelt Variables", source: function("Environment: { Variabels: { ABC: x } } # HERE"), says: "did you mean Variables?"},
	{name: "misspelt MemorySize", source: function("MemrySize: 256 # HERE"), says: "did you mean MemorySize?"},
	{name: "another case", source: function("timeout: 3 # HERE"), says: "did you mean Timeout?"},
	{name: "unlike any key", source: function("Colour: red # HERE"), says: "check how it is spelt"},
	{name: "misspelt key of an event", source: function("Events: { E: { Type: HttpApi, Propertie: {} } } # HERE"), says: "did you mean Properties?"},
	{name: "misspelt property of an event", source: function("Events: { E: { Type: HttpApi, Properties: { Methd: GET } } } # HERE"), says: "did you mean Method?"},
	{name: "misspelt in a branch", source: "Conditions: { On: !Equals [a, a] }\nResources:\n  F:\n    Type: AWS::Serverless::Function\n    Properties:\n      Environment: !If [On, { Variables: {} }, { Variable: {} }] # HERE", says: "did you mean Variables?"},
	{name: "misspelt in what is off", source: "Conditions: { Off: !Equals [a, b] }\nResources:\n  F:\n    Type: AWS::S3::Bucket\n    Condition: Off\n    Properties: { BuketName: x } # HERE", says: "did you mean BucketName?"},
	{name: "misspelt API", source: "Resources:\n  A:\n    Type: AWS::Serverless::HttpAp # HERE\n  F: { Type: AWS::Serverless::Function, Properties: { Events: { E: { Type: HttpApi, Properties: { ApiId: !Ref A } } } } }", says: "did you mean AWS::Serverless::HttpApi?"},
	{name: "no type of SAM", source: "Resources:\n  A: { Type: AWS::Serverless::Queue } # HERE", says: `no resource type "AWS::Serverless::Queue"`},
	{name: "misspelt table", source: "Resources:\n  A: { Type: AWS::DynamoDb::Table } # HERE", says: "did you mean AWS::DynamoDB::Table?"},
	{name: "misspelt attributes", source: table("AtributeDefinitions: [{ AttributeName: pk, AttributeType: S }] # HERE"), says: "did you mean AttributeDefinitions?"},
	{name: "misspelt in a list", source: table("AttributeDefinitions: [{ AttributeNam: pk, AttributeType: S }] # HERE"), says: "did you mean AttributeName?"},
	{name: "misspelt in an index", source: table("GlobalSecondaryIndexes: [{ IndexName: byK, KeySchema: [{ AttributeName: k, KeyTyp: HASH }] }] # HERE"), says: "did you mean KeyType?"},
	{name: "access log to nowhere", source: "Resources:\n  L: { Type: AWS::Logs::LogGroup }\n  A: { Type: AWS::Serverless::HttpApi, Properties: { AccessLogSettings: { Format: $context.requestId } } } # HERE", says: "DestinationArn"},
	{name: "access log elsewhere", source: "Resources:\n  L: { Type: AWS::Logs::LogGroup }\n  A: { Type: AWS::Serverless::HttpApi, Properties: { AccessLogSettings: { DestinationArn: 'arn:aws:firehose:us-east-1:123456789012:deliverystream/x', Format: $context.requestId } } } # HERE", says: "must be the Arn of a log group"},
	{name: "access log of nobody", source: "Resources:\n  L: { Type: AWS::Logs::LogGroup }\n  A: { Type: AWS::Serverless::HttpApi, Properties: { AccessLogSettings: { DestinationArn: 'arn:aws:logs:us-east-1:123456789012:log-group:other', Format: $context.requestId } } } # HERE", says: "no log group"},
	{name: "access log without form", source: "Resources:\n  L: { Type: AWS::Logs::LogGroup }\n  A: { Type: AWS::Serverless::HttpApi, Properties: { AccessLogSettings: { DestinationArn: !GetAtt L.Arn } } } # HERE", says: "the Format"},
	{name: "access log without ids", source: "Resources:\n  L: { Type: AWS::Logs::LogGroup }\n  A: { Type: AWS::Serverless::HttpApi, Properties: { AccessLogSettings: { DestinationArn: !GetAtt L.Arn, Format: $context.status } } } # HERE", says: "no $context.requestId"},
	{name: "misspelt access log", source: "Resources:\n  L: { Type: AWS::Logs::LogGroup }\n  A: { Type: AWS::Serverless::HttpApi, Properties: { AccessLogSettings: { DestinationArn: !GetAtt L.Arn, Formats: x } } } # HERE", says: "did you mean Format?"},
	{name: "misspelt CORS", source: "Resources:\n  A: { Type: AWS::Serverless::HttpApi, Properties: { CorsConfiguration: { AllowOrigin: ['*'] } } } # HERE", says: "did you mean AllowOrigins?"},
	{name: "output", source: "Resources: { R: { Type: T } }\nOutputs:\n  O: { Description: x } # HERE", says: "Value of output O"},
}

const colours = "Parameters: # HERE\n  WallColour: { Type: String, Default: x }\n  RoofColour: { Type: String, Default: x }\n" +
	"  Height: { Type: Number, Default: 1 }\nResources: { R: { Type: T } }"

// ruled is a template of a rule about two parameters.
func ruled(condition, assertion string) string {
	return "Parameters: { A: { Type: String, Default: '' }, B: { Type: String, Default: '' } }\n" +
		"Rules:\n  X:\n    RuleCondition:\n      " + condition + "\n    Assertions:\n    - Assert: " + assertion +
		"\n      AssertDescription: A needs a B.\nResources: { R: { Type: T } }"
}

func function(property string) string {
	return "Resources:\n  F:\n    Type: AWS::Serverless::Function\n    Properties:\n      " + property + "\n"
}

// notifying is a template whose bucket notifies its function of an event.
func notifying(property, event string) string {
	return "Resources:\n  B: { Type: AWS::S3::Bucket }\n  F:\n    Type: AWS::Serverless::Function\n    Properties:\n      " + property +
		"\n      Events: { E: { Type: S3, Properties: { Bucket: !Ref B, Events: " + event + "\n"
}

// subscribed is a template whose function has a log group, and subscribes to another one by a pattern.
func subscribed(group, pattern string) string {
	return "Resources:\n  Logs: { Type: AWS::Logs::LogGroup }\n  Others: { Type: AWS::Logs::LogGroup }\n" +
		"  F:\n    Type: AWS::Serverless::Function\n    Properties:\n      LoggingConfig: { LogGroup: !Ref Logs }\n" +
		"      Events:\n        E:\n          Type: CloudWatchLogs\n          Properties:\n" +
		"            LogGroupName: " + group + "\n            FilterPattern: " + pattern + "\n"
}

func table(property string) string {
	return "Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n    Properties:\n" +
		"      KeySchema: [{ AttributeName: pk, KeyType: HASH }]\n      " + property + "\n"
}

func TestWhatIsWrongIsOneLine(t *testing.T) {
	for _, test := range broken {
		t.Run(test.name, func(t *testing.T) {
			_, err := template.Parse("template.yaml", []byte(test.source), template.Options{Parameters: test.parameters})
			problem, ok := errors.AsType[*template.Error](err)
			if !ok {
				t.Fatalf("got %v, want an Error", err)
			}
			before, _, _ := strings.Cut(test.source, "# HERE")
			if want := strings.Count(before, "\n") + 1; problem.Line != want && !strings.Contains(problem.Problem, "not valid YAML") {
				t.Errorf("the line is %d, want %d: %v", problem.Line, want, err)
			}
			if !regexp.MustCompile(`^template\.yaml:\d+: [^\n]+$`).MatchString(err.Error()) {
				t.Errorf("not one line: %q", err)
			}
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("%q does not say %q", err, test.says)
			}
		})
	}
}

func TestASecretValueIsNotRepeated(t *testing.T) {
	_, err := template.Parse("t.yaml", []byte("Parameters:\n  A: { Type: String, NoEcho: true, MaxLength: 3 }\nResources: { R: { Type: T } }"),
		template.Options{Parameters: map[string]string{"A": "hunter2"}})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

func TestAMissingTemplateIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "template.yaml")
	if _, err := template.Load(path, template.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestHostileTemplatesEnd(t *testing.T) {
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

// wideSub is a !Sub that names a text of so many bytes so many times.
func wideSub(times, size int) string {
	pattern, long := strings.Repeat("${X}", times), strings.Repeat("x", size)
	return "Resources: { A: { Type: T, Properties: { X: !Sub ['" + pattern + "', { X: " + long + " }] } } }"
}

// The limit must hold within one !Sub, not only after it: this one would be 2 GB.
func TestOneSubIsBounded(t *testing.T) {
	_, err := template.Parse("t.yaml", []byte(wideSub(10_000, 200_000)), template.Options{})
	if err == nil || !strings.Contains(err.Error(), "this !Sub produces") {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	for _, test := range broken {
		f.Add([]byte(test.source))
	}
	oneLine := regexp.MustCompile(`^t\.yaml:[1-9]\d*: [^\n\r]+$`)
	f.Fuzz(func(t *testing.T, source []byte) {
		stack, err := template.Parse("t.yaml", source, template.Options{})
		if (stack == nil) == (err == nil) {
			t.Fatal("neither a stack nor an error, or both")
		}
		if err != nil && !oneLine.MatchString(err.Error()) {
			t.Fatalf("not one line with its place: %q", err)
		}
	})
}
