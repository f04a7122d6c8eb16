package rules_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// Each test here makes one change to a valid tree, and expects the checks to report it.

const validTemplate = `
Resources:
  ApiAccessLogs: { Type: AWS::Logs::LogGroup }
  IndexChartsFunction:
    Type: AWS::Serverless::Function
    Metadata: { BuildMethod: makefile }
    Properties:
      LoggingConfig: { LogFormat: JSON, LogGroup: !Ref IndexChartsLogs }
      Events: { Minute: { Type: ScheduleV2, Properties: { ScheduleExpression: rate(1 minute) } } }
  IndexChartsLogs: { Type: AWS::Logs::LogGroup, Properties: { RetentionInDays: !Ref Days } }
  UsersFunction:
    Type: AWS::Serverless::Function
    Metadata: { BuildMethod: makefile }
    Properties:
      LoggingConfig: { LogFormat: JSON, LogGroup: !Ref UsersLogs }
      Events: { Users: { Type: HttpApi, Properties: { ApiId: !Ref HttpApi } } }
  UsersLogs: { Type: AWS::Logs::LogGroup }
`

// validTree returns a small tree without a violation.
func validTree() fstest.MapFS {
	tree := fstest.MapFS{}
	for name, content := range map[string]string{
		"template.yaml":                     validTemplate,
		"go.mod":                            "module portside\n\nrequire portside/documents v0.0.0\n\nreplace portside/documents => ./documents\n",
		"local/go.mod":                      "module portside/local\n\nrequire github.com/versity/versitygw v1.8.0\n",
		"client/go.mod":                     "module portside/client\n",
		"documents/go.mod":                  "module portside/documents\n\nrequire golang.org/x/text v0.43.0\n",
		"architecture_test.go":              imports("portside_test", "testing"),
		"events/indexcharts/created.json":   "{}",
		"events/indexcharts/deleted.json":   "{}",
		"events/users/create.json":          "{}",
		"events/users/list.json":            "{}",
		"functions/indexcharts/main.go":     imports("main", "portside/shared/charts", "github.com/aws/aws-lambda-go/lambda"),
		"functions/users/main.go":           imports("main", "portside/shared/users/usersdynamo", "github.com/aws/aws-sdk-go-v2/config"),
		"functions/users/routes.go":         imports("main", "net/http", "portside/shared/web", "github.com/danielgtaylor/huma/v2"),
		"functions/users/users_test.go":     imports("main", "portside/shared/testkit/awstest"),
		"cmd/portside/main.go":              imports("main", "portside/shared/users", "portside/cmd/portside/operator"),
		"cmd/portside/portsidetest/a.go":    imports("portsidetest", "portside/shared/testkit/awstest", "portside/cmd/portside/operator"),
		"shared/users/users.go":             imports("users", "context", "_ embed", "portside/shared/core/fault", "portside/shared/mail"),
		"shared/users/users_test.go":        imports("users_test", "portside/shared/users/usersdynamo", "net/http/httptest"),
		"shared/users/usersdynamo/a.go":     imports("usersdynamo", "portside/shared/users", "portside/shared/dynamo/rank"),
		"shared/media/jobs/jobs.go":         imports("jobs", "portside/shared/media", "portside/documents"),
		"shared/media/mediaengines/a.go":    imports("mediaengines", "portside/shared/media/mediaopenai", "portside/documents/offline"),
		"documents/documents.go":            imports("documents", "golang.org/x/text/encoding"),
		"documents/offline/offline.go":      imports("offline", "portside/documents"),
		"documents/cmd/quality/main.go":     imports("main", "portside/documents/offline"),
		"shared/web/web.go":                 imports("web", "net/http", "portside/shared/core/fault"),
		"shared/lambda/lambdahttp/a.go":     imports("lambdahttp", "net/http", "github.com/aws/aws-lambda-go/events"),
		"shared/testkit/awstest/awstest.go": imports("awstest", "awsmiddleware github.com/aws/aws-sdk-go-v2/aws/middleware"),
		"shared/testkit/webtest/webtest.go": imports("webtest", "net/http/httptest", "portside/testclient"),
		"shared/web/testdata/bad.go":        "not Go",
		".local/other/bad.go":               "not Go",
		"local/e2e/e2etest/client.go":       imports("e2etest", "portside/local/stack", "portside/testclient"),
		"local/e2e/api/client_test.go":      imports("api", "portside/local/e2e/e2etest", "portside/client"),
		"client/client.go":                  imports("client", "net/http"),
		"client/client_test.go":             imports("client_test", "portside/client"),
		"testclient/client.go":              imports("testclient", "net/http"),
		"testclient/client_test.go":         imports("testclient_test", "portside/testclient"),
		"local/stack/stack.go":              imports("stack", "portside/local/lambda", "github.com/fsnotify/fsnotify"),
	} {
		tree[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return tree
}

// imports returns a source file with imports, each in the form "path" or "alias path".
func imports(pkg string, paths ...string) string {
	var src strings.Builder
	src.WriteString("package " + pkg + "\n\nimport (\n")
	for _, p := range paths {
		alias, rest, ok := strings.Cut(p, " ")
		if !ok {
			alias, rest = "", p
		}
		src.WriteString("\t" + alias + " \"" + rest + "\"\n")
	}
	src.WriteString(")\n")
	return src.String()
}

type violation struct {
	name    string
	file    string
	content string // empty to remove the file
	want    string // part of the only violation
}

// expectViolations applies each change to a fresh valid tree and compares what check reports.
func expectViolations(t *testing.T, check func(fs.FS) ([]string, error), changes []violation) {
	t.Helper()
	if found, err := check(validTree()); err != nil || len(found) > 0 {
		t.Fatalf("the valid tree has violations: %q, %v", found, err)
	}
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			tree := validTree()
			tree[c.file] = &fstest.MapFile{Data: []byte(c.content)}
			if c.content == "" {
				delete(tree, c.file)
			}
			found, err := check(tree)
			if err != nil || len(found) != 1 || !strings.Contains(found[0], c.want) {
				t.Errorf("got %q, %v; want one violation with %q", found, err, c.want)
			}
		})
	}
}

func TestCheckImportsFindsViolationsOfFunctionsAndDomains(t *testing.T) {
	const sdk = "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	expectViolations(t, checkImports, []violation{
		{"function imports function", "functions/users/x.go",
			imports("main", "portside/functions/media"), "may not import portside/functions"},
		{"function imports local", "functions/users/x.go", imports("main", "portside/local/lambda"), "may not import portside/local"},
		{"AWS client outside main.go", "functions/users/x.go", imports("main", sdk), "may not import " + sdk},
		{"function imports awstest", "functions/users/x.go", imports("main", "portside/shared/testkit/awstest"), "may not import portside/shared/testkit/awstest"},
		{"test support imports function", "shared/testkit/webtest/x.go", imports("webtest", "portside/functions/users"), "test support may not"},
		{"domain imports net/http", "shared/users/x.go", imports("users", "net/http"), "a domain may not import net/http"},
		{"domain imports net/http below", "shared/users/x.go", imports("users", "net/http/httptest"), "may not import net/http/"},
		{"domain imports web", "shared/users/x.go", imports("users", "portside/shared/web"), "may not import portside/shared/web"},
		{"domain imports start", "shared/users/x.go", imports("users", "portside/shared/lambda/start"), "may not import portside/shared/lambda/start"},
		{"domain imports AWS", "shared/users/x.go", imports("users", sdk), "a domain may not import " + sdk},
		{"domain imports a DynamoDB package", "shared/users/x.go", imports("users", "portside/shared/dynamo/rank"), "a domain may not"},
		{"domain imports another", "shared/users/x.go",
			imports("users", "portside/shared/projects"), "may not import portside/shared/projects"},
		{"domain imports its adapter", "shared/users/x.go", imports("users", "portside/shared/users/usersdynamo"), "may not import"},
		{"domain imports its part", "shared/media/x.go", imports("media", "portside/shared/media/jobs"), "a domain may not"},
		{"part imports an adapter", "shared/media/jobs/x.go", imports("jobs", "portside/shared/media/medias3"), "a part of a domain may not"},
		{"part imports net/http", "shared/media/jobs/x.go", imports("jobs", "net/http"), "a part of a domain may not import net/http"},
		{"domain imports a module", "shared/users/x.go", imports("users", "github.com/x/y"), "a domain may not import github.com/x/y"},
		{"adapter imports another domain", "shared/users/usersdynamo/x.go",
			imports("usersdynamo", "portside/shared/charts"), "an adapter may not"},
		{"adapter imports web", "shared/users/usersdynamo/x.go", imports("usersdynamo", "portside/shared/web"), "an adapter may not"},
		{"adapter imports another's format", "shared/charts/chartss3/x.go",
			imports("chartss3", "helm.sh/helm/v3/pkg/chart/loader"), "an adapter may not"},
		{"documents imports shared", "documents/offline/x.go", imports("offline", "portside/shared/core/fault"), "documents may not"},
		{"documents imports local", "documents/offline/x.go", imports("offline", "portside/local/lambda"), "documents may not"},
		{"documents imports AWS", "documents/pdf/x.go", imports("pdf", sdk), "documents may not"},
		{"documents imports net/http", "documents/text/x.go", imports("text", "net/http"), "documents may not"},
		{"test of documents imports shared", "documents/text/x_test.go",
			imports("text_test", "portside/shared/core/fault"), "a test of documents may not"},
		{"domain imports documents", "shared/users/x.go", imports("users", "portside/documents"), "a domain may not"},
		{"adapter imports documents", "shared/users/usersdynamo/x.go",
			imports("usersdynamo", "portside/documents"), "an adapter may not"},
		{"engine imports another", "shared/media/mediaopenai/x.go",
			imports("mediaopenai", "portside/shared/media/mediabedrock"), "an adapter may not"},
		{"another YAML library", "shared/charts/chartshelm/x.go", imports("chartshelm", "go.yaml.in/yaml/v2"), "an adapter may not"},
		{"Helm's repository package", "shared/charts/chartshelm/x.go", imports("chartshelm", "helm.sh/helm/v3/pkg/repo"), "an adapter may not"},
	})
}

func TestCheckImportsFindsViolationsOfKitsAndModules(t *testing.T) {
	const sdk = "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	expectViolations(t, checkImports, []violation{
		{"web imports a domain", "shared/web/x.go", imports("web", "portside/shared/users"), "web may not import portside/shared/users"},
		{"web imports AWS", "shared/web/x.go", imports("web", sdk), "web may not import " + sdk},
		{"command imports test support", "cmd/portside/x.go", imports("main", "portside/shared/testkit"), "a command may not"},
		{"command imports its own test support", "cmd/portside/demo/x.go", imports("demo", "portside/cmd/portside/portsidetest"), "a group of commands of portside may not"},
		{"group of commands imports another one", "cmd/portside/demo/x.go", imports("demo", "portside/cmd/portside/repair"), "a group of commands of portside may not"},
		{"DynamoDB package imports a domain", "shared/dynamo/rank/x.go",
			imports("rank", "portside/shared/users"), "a DynamoDB package may not"},
		{"core package imports AWS", "shared/core/fault/x.go", imports("fault", sdk), "a core package may not"},
		{"core package imports net/http", "shared/core/fault/x.go", imports("fault", "net/http"), "a core package may not"},
		{"lambdahttp imports a domain", "shared/lambda/lambdahttp/x.go", imports("lambdahttp", "portside/shared/users"), "a Lambda package may not"},
		{"principal imports users", "shared/core/principal/x.go", imports("principal", "portside/shared/users"), "a core package may not"},
		{"shared imports functions", "shared/web/x.go", imports("web", "portside/functions/users"), "may not import portside/functions"},
		{"command imports function", "cmd/portside/x.go", imports("main", "portside/functions/users"), "a command may not"},
		{"local imports portside", "local/stack/x.go",
			imports("stack", "portside/shared/users"), "local may not import portside/shared/users"},
		{"test of local imports portside", "local/stack/x_test.go",
			imports("stack_test", "portside/shared/core/fault"), "a test of local may not"},
		{"local imports testclient outside tests", "local/stack/x.go",
			imports("stack", "portside/testclient"), "local may not import portside/testclient"},
		{"local imports client outside tests", "local/stack/x.go", imports("stack", "portside/client"), "local may not import portside/client"},
		{"function imports client", "functions/users/x.go", imports("main", "portside/client"), "may not import portside/client"},
		{"client imports a module", "client/x.go", imports("client", "github.com/x/y"), "client may not import github.com/x/y"},
		{"client imports shared", "client/x.go", imports("client", "portside/shared/web"), "client may not import portside/shared/web"},
		{"function imports testclient", "functions/users/x.go", imports("main", "portside/testclient"), "may not import portside/testclient"},
		{"testclient imports a module", "testclient/x.go", imports("testclient", "github.com/x/y"), "testclient may not import github.com/x/y"},
		{"testclient imports shared", "testclient/x.go", imports("testclient", "portside/shared/web"), "testclient may not"},
		{"test of testclient imports shared", "testclient/x_test.go",
			imports("testclient_test", "portside/shared/web"), "a test of testclient may not"},
		{"test imports local", "shared/users/x_test.go", imports("users_test", "portside/local/engines"), "a test may not import"},
		{"test imports function", "shared/users/x_test.go", imports("users_test", "portside/functions/users"), "a test may not import"},
		{"alias", "shared/users/x.go", imports("users", "str strings"), "has the alias str"},
		{"alias for the wrong package", "shared/testkit/awstest/x.go",
			imports("awstest", "awsmiddleware github.com/x/y"), "has the alias awsmiddleware"},
		{"alias in a test", "shared/users/x_test.go", imports("users_test", "str strings"), "has the alias str"},
		{"dot import", "shared/users/x.go", imports("users", ". strings"), "has the alias ."},
		{"code at the root", "portside.go", imports("portside", "fmt"), "no code belongs here"},
		{"code in a kit", "shared/core/x.go", imports("core", "fmt"), "no code belongs here"},
		{"code between functions", "functions/x.go", imports("main", "fmt"), "no code belongs here"},
		{"package below a part of a domain", "shared/users/parts/below/x.go", imports("below", "fmt"), "no code belongs here"},
	})
}

func TestCheckModulesFindsViolations(t *testing.T) {
	expectViolations(t, checkModules, []violation{
		{"engine in production", "go.mod",
			"module portside\nrequire (\n\tgithub.com/versity/versitygw v1.8.0\n)\n", "must not name github.com/versity/versitygw"},
		{"local in production", "go.mod", "module portside\nreplace portside/local => ./local\n", "must not name portside/local"},
		{"production in documents", "documents/go.mod",
			"module portside/documents\nrequire portside v0.0.0\n", "must not name portside:"},
		{"local in documents", "documents/go.mod",
			"module portside/documents\nreplace portside/local => ../local\n", "must not name portside/local"},
		{"AWS in documents", "documents/go.mod",
			"module portside/documents\nrequire github.com/aws/smithy-go v1.28.8\n", "must not name github.com/aws/smithy-go"},
		{"module in client", "client/go.mod",
			"module portside/client\nrequire github.com/oapi-codegen/runtime v1.1.1\n", "must not name github.com/oapi-codegen/runtime"},
		{"production in local", "local/go.mod", "module portside/local\nrequire portside v0.0.0\n", "must not name portside:"},
	})
}

func TestCheckFunctionsFindsViolations(t *testing.T) {
	long := imports("main", "fmt") + strings.Repeat("\n// wiring", 41) + "\n"
	expectViolations(t, checkFunctions, []violation{
		{"a library in a function", "functions/users/x.go", "package users\n", "package users in a function"},
		{"long main", "functions/users/main.go", long, "lines of wiring, at most 40"},
	})
}

func TestCheckNamesFindsViolations(t *testing.T) {
	template := func(from, to string) string { return strings.ReplaceAll(validTemplate, from, to) }
	expectViolations(t, checkNames, []violation{
		{"no main.go", "functions/indexcharts/main.go", "", "functions/indexcharts/main.go is missing"},
		{"no routes.go", "functions/users/routes.go", "", "functions/users/routes.go is missing"},
		{"one event", "events/users/list.json", "", "events/users: 1 sample events"},
		{"invalid JSON event", "events/users/list.json", "{", "events/users/list.json: not a JSON object"},
		{"event that is not an object", "events/users/list.json", "[]", "events/users/list.json: not a JSON object"},
		{"function without a logical ID", "functions/media/main.go", imports("main"), "functions/media: template.yaml has no function"},
		{"events without a function", "events/media/list.json", "{}", "events/media: template.yaml has no function"},
		{"file in functions", "functions/README", "x", "functions/README: template.yaml has no function"},
		{"not built by make", "template.yaml",
			strings.Replace(validTemplate, "BuildMethod: makefile", "BuildMethod: go1.x", 1), "not built by the Makefile"},
		{"logs to another log group", "template.yaml", template("!Ref UsersLogs", "!Ref ApiAccessLogs"), "UsersFunction does not log to !Ref UsersLogs"},
		{"logs to a literal", "template.yaml", template("!Ref UsersLogs", "UsersLogs"), "UsersFunction does not log to !Ref UsersLogs"},
		{"no log group", "template.yaml",
			template("  UsersLogs: { Type: AWS::Logs::LogGroup }\n", ""), "UsersFunction has no log group UsersLogs"},
		{"log group without a function", "template.yaml",
			validTemplate + "  MediaLogs: { Type: AWS::Logs::LogGroup }\n", "MediaLogs belongs to no function"},
		{"logical ID without Function", "template.yaml",
			validTemplate + "  Media: { Type: AWS::Serverless::Function }\n", "Media does not end in Function"},
	})
}

func TestCheckNamesReportsMissingFolders(t *testing.T) {
	tree := fstest.MapFS{"template.yaml": {Data: []byte(validTemplate)}}
	found, err := checkNames(tree)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(found, "\n")
	for _, want := range []string{
		"functions: the directory is missing", "events: the directory is missing",
		"functions/users/main.go is missing; template.yaml has UsersFunction", "events/indexcharts: 0 sample events",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
}
