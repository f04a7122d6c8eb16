package template_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portside/local/iam"
	"portside/local/logs/pattern"
	"portside/local/template"
)

func load(t *testing.T, source string, o template.Options) *template.Stack {
	t.Helper()
	stack, err := template.Parse("template.yaml", []byte(source), o)
	if err != nil {
		t.Fatal(err)
	}
	return stack
}

func TestLoadProjectTemplate(t *testing.T) {
	stack, err := template.Load(filepath.Join("..", "..", "template.yaml"), template.Options{
		Parameters: map[string]string{
			"BaseUrl": "http://127.0.0.1:3000", "ImageRepositories": "acme/*", "CorsAllowOrigins": "*", "RateLimitPerMinute": "0",
		},
		APIURL: "http://127.0.0.1:3000",
	})
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string]template.Function{}
	for _, f := range stack.Functions {
		functions[f.ID] = f
		if f.BuildMethod != "makefile" {
			t.Errorf("BuildMethod of %s = %q, want makefile", f.ID, f.BuildMethod)
		}
	}
	users := functions["UsersFunction"]
	want := map[string]string{
		"USERS_TABLE": "portside-UsersTable", "CREDENTIALS_TABLE": "portside-CredentialsTable",
		"BASE_URL": "http://127.0.0.1:3000", "RATE_LIMIT_PER_MINUTE": "0",
	}
	for name, value := range want {
		if users.Environment[name] != value {
			t.Errorf("%s = %q, want %q", name, users.Environment[name], value)
		}
	}
	if users.MemoryMB < 128 || users.Timeout < time.Second {
		t.Errorf("UsersFunction lacks the settings of Globals: %+v", users)
	}
	if url := stack.Outputs["ApiUrl"]; url != "http://127.0.0.1:3000" {
		t.Errorf("ApiUrl = %q", url)
	}
	for _, id := range []string{"portside-charts-bucket", "portside-media-bucket"} {
		found := false
		for _, b := range stack.Buckets {
			found = found || b.Name == id
		}
		if !found {
			t.Errorf("no bucket %s", id)
		}
	}
	for _, table := range stack.Tables {
		if table.Name != "portside-"+table.ID || len(table.Keys) == 0 {
			t.Errorf("table %+v", table)
		}
	}
	for _, r := range stack.Routes {
		if _, ok := functions[r.Function]; !ok {
			t.Errorf("route %s has the unknown function %q", r.Key(), r.Function)
		}
	}
}

func TestEachProjectFunctionHasLogGroup(t *testing.T) {
	stack, err := template.Load(filepath.Join("..", "..", "template.yaml"), template.Options{
		Parameters: map[string]string{"ImageRepositories": "acme/*", "CorsAllowOrigins": "*"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range stack.Functions {
		if want := "portside-" + strings.TrimSuffix(f.ID, "Function") + "Logs"; f.LogGroup != want {
			t.Errorf("%s logs to %s, want %s", f.ID, f.LogGroup, want)
		}
	}
}

func TestProjectAccessLogSettings(t *testing.T) {
	stack, err := template.Load(filepath.Join("..", "..", "template.yaml"), template.Options{
		Parameters: map[string]string{"ImageRepositories": "acme/*", "CorsAllowOrigins": "*"},
	})
	if err != nil {
		t.Fatal(err)
	}
	l := stack.AccessLog
	if l == nil || l.LogGroup != "/aws/vendedlogs/portside-ApiAccessLogs" ||
		!strings.HasPrefix(l.Format, `{"requestId":"$context.requestId",`) ||
		strings.Contains(l.Format, "\n") {
		t.Fatalf("the access log is %+v", l)
	}
	var subscribed []string
	for _, s := range stack.Subscriptions {
		if s.LogGroup == l.LogGroup {
			subscribed = append(subscribed, s.Function)
			if !s.Pattern.Matches("anything") {
				t.Errorf("the pattern of %s does not match every line", s.ID)
			}
		}
	}
	if !cmp.Equal(subscribed, []string{"CountUsageFunction"}) {
		t.Errorf("functions subscribed to the access log = %q", subscribed)
	}
}

// TestEdgeSecretsAreOnlyWhereTheyAreChecked compares the functions that have the secrets of the distribution with those
// that have routes. Functions that parse files of strangers without a client do not need them.
func TestEdgeSecretsAreOnlyWhereTheyAreChecked(t *testing.T) {
	stack, err := template.Load(filepath.Join("..", "..", "template.yaml"), template.Options{
		Parameters: map[string]string{"ImageRepositories": "acme/*", "CorsAllowOrigins": "*"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range stack.Functions {
		_, has := f.Environment["EDGE_SECRETS"]
		if routed := slices.ContainsFunc(stack.Routes, func(r template.Route) bool { return r.Function == f.ID }); has != routed {
			t.Errorf("%s has EDGE_SECRETS: %t, want %t", f.ID, has, routed)
		}
	}
}

// TestFailureDestinationNeedsTheWholeBucket has grants that Lambda refuses when it sets the destination.
//
//proves:docs/security.md
func TestFailureDestinationNeedsTheWholeBucket(t *testing.T) {
	const granted = `Action: s3:*, Resource: "*" }`
	for _, grant := range []string{
		`Action: s3:*, Resource: !Sub "${OtherBucket.Arn}/aws/lambda/async/*" }`, `Action: s3:PutObject, Resource: "*" }`,
		`Action: s3:ListBucket, Resource: "*" }`, `Action: s3:*, Resource: !GetAtt OtherBucket.Arn }`,
	} {
		source := strings.Replace(everything, granted, grant, 1)
		_, err := template.Parse("template.yaml", []byte(source), template.Options{})
		if err == nil || !strings.Contains(err.Error(), "Lambda would refuse") {
			t.Errorf("%s: %v, want a refusal", grant, err)
		}
	}
}

//proves:docs/security.md
func TestFailedEventsAreKept(t *testing.T) {
	stack, err := template.Load(filepath.Join("..", "..", "template.yaml"), template.Options{
		Parameters: map[string]string{"ImageRepositories": "acme/*", "CorsAllowOrigins": "*"},
	})
	if err != nil {
		t.Fatal(err)
	}
	invoked := asynchronous(stack)
	for _, f := range stack.Functions {
		if slices.Contains(invoked, f.ID) && f.Async.FailureBucket == "" {
			t.Errorf("events of %s that fail are lost; give it an OnFailure destination", f.ID)
		}
	}
	if len(invoked) < 10 {
		t.Errorf("only %d events invoke functions asynchronously", len(invoked))
	}
}

// The local stack refuses the delivery of log lines by Firehose, and says why.
func TestFirehoseIsRefused(t *testing.T) {
	_, err := template.Load(filepath.Join("..", "..", "template.yaml"), template.Options{
		Parameters: map[string]string{"ImageRepositories": "acme/*", "CorsAllowOrigins": "*", "LogDelivery": "firehose"},
	})
	if err == nil || !strings.Contains(err.Error(), "no Amazon Data Firehose; omit the parameter that creates") {
		t.Errorf("error %v", err)
	}
}

// asynchronous returns the functions that AWS invokes asynchronously.
func asynchronous(s *template.Stack) (functions []string) {
	for _, subscription := range s.Subscriptions {
		functions = append(functions, subscription.Function)
	}
	for _, schedule := range s.Schedules {
		functions = append(functions, schedule.Function)
	}
	for _, bucket := range s.Buckets {
		for _, n := range bucket.Notifications {
			functions = append(functions, n.Function)
		}
	}
	return functions
}

const everything = `
Transform: AWS::Serverless-2016-10-31
Parameters:
  Stage: { Type: String, Default: dev, AllowedValues: [dev, live] }
  Names: { Type: CommaDelimitedList, Default: "a, b,c" }
Mappings:
  Sizes:
    dev: { Memory: 256, Zones: [x, y] }
    live: { Memory: 1024, Zones: [z] }
Conditions:
  Live: !Equals [!Ref Stage, live]
  NotLive: !Not [{ Condition: Live }]
  Either: !Or [!Condition Live, !Condition NotLive]
  Both: { "Fn::And": [!Condition Live, !Condition NotLive] }
Globals:
  Function:
    Timeout: 20
    Environment: { Variables: { SHARED: global, KEPT: "yes", REMOVED: x1 } }
Resources:
  Api:
    Type: AWS::Serverless::HttpApi
    Properties:
      CorsConfiguration: { AllowOrigins: !Ref Names, MaxAge: 5, AllowCredentials: true }
  OnlyLive:
    Type: AWS::DynamoDB::Table
    Condition: Live
    Properties: {}
  Data:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub "${AWS::StackName}-${Stage}-data"
      AttributeDefinitions:
        - { AttributeName: pk, AttributeType: S }
        - { AttributeName: n, AttributeType: N }
      KeySchema: [{ AttributeName: pk, KeyType: HASH }]
      GlobalSecondaryIndexes:
        - IndexName: byNumber
          KeySchema: [{ AttributeName: n, KeyType: HASH }]
          Projection: { ProjectionType: INCLUDE, NonKeyAttributes: [q] }
      TimeToLiveSpecification: { AttributeName: gone, Enabled: true }
  MyFilesBucket: { Type: AWS::S3::Bucket }
  OtherBucket:
    Type: AWS::S3::Bucket
    Properties:
      CorsConfiguration:
        CorsRules:
          - AllowedOrigins: ["https://*.example.com"]
            AllowedMethods: [POST, PUT]
            AllowedHeaders: ["*"]
            ExposedHeaders: [ETag]
            MaxAge: 60
          - { AllowedOrigins: !Ref Names, AllowedMethods: [GET] }
  Logs: { Type: AWS::Logs::LogGroup }
  WorkFunction:
    Type: AWS::Serverless::Function
    Metadata: { BuildMethod: makefile }
    Properties:
      MemorySize: !FindInMap [Sizes, !Ref Stage, Memory]
      Policies: [{ Statement: { Effect: Allow, Action: s3:*, Resource: "*" } }]
      EventInvokeConfig:
        MaximumRetryAttempts: 1
        DestinationConfig: { OnFailure: { Type: S3Bucket, Destination: !GetAtt OtherBucket.Arn } }
      Environment:
        Variables:
          SHARED: local
          REMOVED: !Ref AWS::NoValue
          JOINED: !Join ["+", !Ref Names]
          SECOND: !Select [1, !Split [",", "p,q"]]
          ZONES: !Join ["", !FindInMap [Sizes, live, Zones]]
          LITERAL: !Sub "${!Stage}"
          MAPPED: !Sub ["${X}/${Stage}", { X: !Ref AWS::Region }]
          EITHER: !If [Either, "1", "0"]
          BOTH: !If [Both, "1", "0"]
          PICKED: !If [Live, !Ref OnlyLive, none]
          TABLE_ARN: !GetAtt Data.Arn
          BUCKET_ARN: { "Fn::GetAtt": [OtherBucket, Arn] }
          ROLE: !GetAtt WorkFunctionRole.Arn
          LOG_ARN: !GetAtt Logs.Arn
          URL: !Sub "https://${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}/x"
          ENDPOINT: !GetAtt Api.ApiEndpoint
      Events:
        One: { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: get, Path: "/a/{id}" } }
        Rest: { Type: HttpApi, Properties: { ApiId: !Ref Api } }
        Night: { Type: Schedule, Properties: { Schedule: "cron(0 3 * * ? *)", Input: '{"a":1}', Enabled: false } }
        Minute: { Type: ScheduleV2, Properties: { OmitName: true, ScheduleExpression: rate(1 minute) } }
        File:
          Type: S3
          Properties:
            Bucket: !Ref MyFilesBucket
            Events: s3:ObjectCreated:*
            Filter: { S3Key: { Rules: [{ Name: suffix, Value: .tgz }] } }
        Lines: { Type: CloudWatchLogs, Properties: { LogGroupName: !Ref Logs, FilterPattern: "" } }
Outputs:
  Secret: { Condition: Live, Value: hidden }
  Where: { Value: !GetAtt Api.ApiEndpoint }
`

func TestParseResolvesAllFeatures(t *testing.T) {
	got := load(t, everything, template.Options{APIURL: "http://here"})
	const account = "us-east-1:123456789012:"
	want := &template.Stack{
		Roles: []iam.Role{{ID: "WorkFunctionRole", Statements: []iam.Statement{{Actions: []string{"s3:*"}, Resources: []string{"*"}}}}},
		Functions: []template.Function{{
			ID: "WorkFunction", Role: "WorkFunctionRole", Timeout: 20 * time.Second, MemoryMB: 256, BuildMethod: "makefile",
			LogGroup: "/aws/lambda/portside-WorkFunction",
			Async:    template.AsyncInvoke{Retries: 1, MaxAge: 6 * time.Hour, FailureBucket: "portside-other-bucket"},
			Environment: map[string]string{
				"SHARED": "local", "KEPT": "yes", "JOINED": "a+b+c", "SECOND": "q", "ZONES": "z",
				"LITERAL": "${Stage}", "MAPPED": "us-east-1/dev", "PICKED": "none", "EITHER": "1", "BOTH": "0",
				"TABLE_ARN":  "arn:aws:dynamodb:" + account + "table/portside-dev-data",
				"BUCKET_ARN": "arn:aws:s3:::portside-other-bucket",
				"ROLE":       "arn:aws:iam::123456789012:role/portside-WorkFunctionRole",
				"LOG_ARN":    "arn:aws:logs:" + account + "log-group:portside-Logs:*",
				"URL":        "http://here/x", "ENDPOINT": "http://here",
			},
		}},
		Routes: []template.Route{
			{Method: "GET", Path: "/a/{id}", Function: "WorkFunction"},
			{Path: "$default", Function: "WorkFunction"},
		},
		Schedules: []template.Schedule{
			{ID: "WorkFunctionNight", Function: "WorkFunction", Expression: "cron(0 3 * * ? *)", Input: `{"a":1}`, Type: "Schedule"},
			{ID: "WorkFunctionMinute", Function: "WorkFunction", Expression: "rate(1 minute)", Enabled: true, Type: "ScheduleV2"},
		},
		Subscriptions: []template.Subscription{{ID: "WorkFunctionLines", Function: "WorkFunction", LogGroup: "portside-Logs"}},
		Tables: []template.Table{{
			ID: "Data", Name: "portside-dev-data", TTLAttribute: "gone",
			Attributes: []template.Attribute{{Name: "pk", Type: "S"}, {Name: "n", Type: "N"}},
			Keys:       []template.Key{{Name: "pk", Type: "HASH"}},
			Global: []template.Index{{
				Name: "byNumber", Keys: []template.Key{{Name: "n", Type: "HASH"}}, Projection: "INCLUDE", NonKey: []string{"q"},
			}},
		}},
		Buckets: []template.Bucket{{ID: "MyFilesBucket", Name: "portside-my-files-bucket", Notifications: []template.Notification{
			{Function: "WorkFunction", Events: []string{"s3:ObjectCreated:*"}, Suffix: ".tgz"},
		}}, {ID: "OtherBucket", Name: "portside-other-bucket", CORS: []template.CORSRule{
			{
				AllowedOrigins: []string{"https://*.example.com"}, AllowedMethods: []string{"POST", "PUT"}, AllowedHeaders: []string{"*"},
				ExposedHeaders: []string{"ETag"}, MaxAge: 60,
			},
			{AllowedOrigins: []string{"a", "b", "c"}, AllowedMethods: []string{"GET"}},
		}}},
		Throttle: template.Throttle{Rate: 10000, Burst: 5000},
		CORS:     &template.CORS{AllowOrigins: []string{"a", "b", "c"}, MaxAge: 5, AllowCredentials: true},
		Outputs:  map[string]string{"Where": "http://here"},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b pattern.Pattern) bool { return a.String() == b.String() })); diff != "" {
		t.Error(diff)
	}
}

func TestParseConditions(t *testing.T) {
	live := strings.Replace(everything, "    Properties: {}\n", `    Properties:
      AttributeDefinitions: [{ AttributeName: k, AttributeType: B }]
      KeySchema: [{ AttributeName: k, KeyType: HASH }]
`, 1)
	got := load(t, live, template.Options{Parameters: map[string]string{"Stage": "live"}, StackName: "other"})
	if len(got.Tables) != 2 || got.Functions[0].Environment["PICKED"] != "other-OnlyLive" || got.Outputs["Secret"] != "hidden" {
		t.Errorf("got %+v", got)
	}
	if got.Outputs["Where"] != "https://portside00.execute-api.us-east-1.amazonaws.com" {
		t.Errorf("Where = %s, want the address on AWS", got.Outputs["Where"])
	}
}

func TestParseConcatenatesListsOfGlobals(t *testing.T) {
	got := load(t, `
Globals: { HttpApi: { CorsConfiguration: { AllowMethods: [GET], AllowOrigins: [a] } } }
Resources:
  Api: { Type: AWS::Serverless::HttpApi, Properties: { CorsConfiguration: { AllowMethods: [PUT] } } }
`, template.Options{})
	if diff := cmp.Diff(&template.CORS{AllowMethods: []string{"GET", "PUT"}, AllowOrigins: []string{"a"}}, got.CORS); diff != "" {
		t.Error(diff)
	}
}

func TestImplicitAPIUsesCORSOfGlobals(t *testing.T) {
	got := load(t, `
Globals: { HttpApi: { CorsConfiguration: true } }
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties:
      Environment: { Variables: { API: !Ref ServerlessHttpApi } }
      Events: { E: { Type: HttpApi, Properties: { Method: ANY, Path: / } } }
`, template.Options{})
	if got.CORS == nil || got.CORS.AllowOrigins[0] != "*" || got.Functions[0].Environment["API"] != template.APIID {
		t.Errorf("got %+v", got)
	}
}

func TestNamedTablesCanExistOutsideTheStack(t *testing.T) {
	const source = `
Parameters: { Create: { Type: String, Default: "false" }, Suffix: { Type: String, Default: -r1 } }
Conditions: { Creates: !Equals [!Ref Create, "true"] }
Resources:
  Data:
    Type: AWS::DynamoDB::Table
    Condition: Creates
    Properties:
      TableName: !Sub ${AWS::StackName}-data${Suffix}
      AttributeDefinitions: [{ AttributeName: k, AttributeType: B }]
      KeySchema: [{ AttributeName: k, KeyType: HASH }]
`
	for create, external := range map[string]bool{"false": true, "true": false} {
		got := load(t, source, template.Options{Parameters: map[string]string{"Create": create}})
		want := []template.Table{{
			ID: "Data", Name: "portside-data-r1", External: external,
			Attributes: []template.Attribute{{Name: "k", Type: "B"}}, Keys: []template.Key{{Name: "k", Type: "HASH"}},
		}}
		if diff := cmp.Diff(want, got.Tables); diff != "" {
			t.Errorf("Create=%s: %s", create, diff)
		}
	}
}

func TestTheStackUsesTablesWithASuffix(t *testing.T) {
	stack, err := template.Load("../../template.yaml", template.Options{Parameters: map[string]string{
		"TableSuffix": "-r1", "CreateTables": "false", "ImageRepositories": "acme/*", "CorsAllowOrigins": "*",
	}})
	if err != nil {
		t.Fatal(err)
	}
	external := 0
	for _, table := range stack.Tables {
		if table.External {
			external++
			if want := "portside-" + table.ID + "-r1"; table.Name != want || stack.Outputs[table.ID] != want {
				t.Errorf("%s is %s and its output %s, want %s", table.ID, table.Name, stack.Outputs[table.ID], want)
			}
		}
	}
	if external < 5 {
		t.Errorf("%d tables are external, want at least 5", external)
	}
	for _, f := range stack.Functions {
		if name, uses := f.Environment["USERS_TABLE"]; uses && name != "portside-UsersTable-r1" {
			t.Errorf("%s uses %s", f.ID, name)
		}
	}
}
