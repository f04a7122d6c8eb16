package rules_test

import (
	"io/fs"
	"os"
	"slices"
	"testing"
)

func TestImportsFollowTheRules(t *testing.T) {
	reportViolations(t, checkImports, os.DirFS(root))
}

func TestModulesFollowTheRules(t *testing.T) {
	reportViolations(t, checkModules, os.DirFS(root))
}

func TestFunctionsHaveOneShape(t *testing.T) {
	reportViolations(t, checkFunctions, os.DirFS(root))
}

// reportViolations fails the test with each violation that check finds in tree.
func reportViolations(t *testing.T, check func(fs.FS) ([]string, error), tree fs.FS) {
	t.Helper()
	violations, err := check(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations {
		t.Error(v)
	}
}

// rule is a row of the import table in CONTRIBUTING.md. The first rule that matches a file applies.
//
// In dir and in import patterns, <name> stands for one path element, and for the same element
// at all its places in the rule. A trailing "/..." includes everything below.
type rule struct {
	dir   string   // folder of the package
	files string   // glob of file names; empty: all files except tests
	name  string   // the package in messages
	may   []string // import patterns
	never []string // import patterns; takes precedence over may
}

// Import patterns that stand for many paths.
const (
	standard   = "standard library"
	thirdParty = "any other module"
	awsSDK     = "AWS SDK"
)

// patterns are the import paths behind the names that the table uses.
var patterns = map[string][]string{
	awsSDK: {"github.com/aws/aws-sdk-go-v2/...", "github.com/aws/smithy-go/..."},
}

// kits are the folders of shared/ that hold tools. All other folders are domains.
var kits = []string{"core", "dynamo", "lambda", "testkit", "web"}

// rules is the import table. `go test ./tests/rules -update` writes it to CONTRIBUTING.md.
var rules = []rule{
	{
		dir: "functions/<function>", files: "main.go", name: "a function",
		may:   []string{standard, thirdParty, "portside/shared/...", "portside/documents/..."},
		never: []string{"portside/shared/testkit/..."},
	}, {
		dir: "functions/<function>", name: "a function outside main.go",
		may:   []string{standard, thirdParty, "portside/shared/...", "portside/documents/..."},
		never: []string{awsSDK, "portside/shared/testkit/..."},
	}, {
		dir: "cmd/<command>/<command>*", name: "test support of a command",
		may: []string{standard, thirdParty, "portside/shared/...", "portside/documents/...", "portside/cmd/<command>/..."},
	}, {
		dir: "cmd/portside/<group>", name: "a group of commands of portside",
		may: []string{
			standard, thirdParty, "portside/shared/...", "portside/documents/...", "portside/client", "portside/cmd/portside/<group>/...",
			"portside/cmd/portside/backup", "portside/cmd/portside/chain", "portside/cmd/portside/cli/...",
			"portside/cmd/portside/installation", "portside/cmd/portside/operator",
		},
		never: []string{"portside/shared/testkit/...", "portside/cmd/portside/cli/clitest"},
	}, {
		dir: "cmd/<command>/...", name: "a command",
		may: []string{
			standard, thirdParty, "portside/shared/...", "portside/documents/...", "portside/cmd/<command>/...",
			"portside/client",
		},
		never: []string{"portside/shared/testkit/...", "portside/cmd/<command>/<command>test", "portside/cmd/portside/cli/clitest"},
	}, {
		dir: "shared/<domain>", name: "a domain",
		may: []string{
			standard, "portside/shared/core/...", "portside/shared/credentials", "portside/shared/mail",
			"github.com/google/uuid",
		},
		never: []string{"net/http/..."},
	}, {
		dir: "shared/<domain>/<domain>*", name: "an adapter",
		may: []string{
			standard, "portside/shared/<domain>", "portside/shared/core/...", "portside/shared/credentials",
			"portside/shared/mail", "portside/shared/dynamo/...", "portside/shared/lambda/s3client",
			awsSDK, "github.com/google/uuid",
		},
	}, {
		dir: "shared/<domain>/<part>", name: "a part of a domain",
		may: []string{
			standard, "portside/shared/<domain>", "portside/shared/core/...", "portside/shared/credentials", "portside/shared/mail",
			"github.com/google/uuid",
		},
		never: []string{"net/http/..."},
	}, {
		dir: "shared/<domain>/<part>/<part>*", name: "an adapter of a part",
		may: []string{
			standard, "portside/shared/<domain>/<part>", "portside/shared/core/...", "portside/shared/credentials",
			"portside/shared/mail", "portside/shared/dynamo/...", "portside/shared/lambda/s3client", awsSDK, "github.com/google/uuid",
		},
	}, {
		dir: "shared/core/<package>", name: "a core package",
		may:   []string{standard, "portside/shared/core/..."},
		never: []string{"net/http/..."},
	}, {
		dir: "shared/dynamo/<package>", name: "a DynamoDB package",
		may: []string{standard, "portside/shared/core/...", "portside/shared/dynamo/...", awsSDK},
	}, {
		dir: "shared/lambda/<package>", name: "a Lambda package",
		may: []string{
			standard, "portside/shared/core/...", "portside/shared/lambda/...", awsSDK,
			"github.com/aws/aws-lambda-go/...", "github.com/awslabs/aws-lambda-go-api-proxy/...",
		},
	}, {
		dir: "shared/web/...", name: "web",
		may: []string{
			standard, thirdParty, "portside/shared/web/...", "portside/shared/core/...",
			"portside/shared/credentials",
		},
		never: []string{awsSDK},
	}, {
		dir: "shared/testkit/...", name: "test support",
		may: []string{
			standard, thirdParty, "portside/shared/...", "portside/documents/...", "portside/testclient/...",
		},
	}, {
		dir: "testclient/...", name: "testclient",
		may: []string{standard},
	}, {
		dir: "client", name: "client",
		may: []string{standard},
	}, {
		dir: "documents/...", name: "documents",
		may:   []string{standard, thirdParty, "portside/documents/..."},
		never: []string{awsSDK, "net/http/..."},
	}, {
		dir: "local/e2e/...", name: "support of the end-to-end tests",
		may: []string{standard, thirdParty, "portside/local/...", "portside/testclient/...", "portside/client"},
	}, {
		dir: "local/...", name: "local",
		may: []string{standard, thirdParty, "portside/local/..."},
	}, {
		dir: "harness/...", name: "harness",
		may: []string{
			standard, thirdParty, "portside/harness/...", "portside/shared/...", "portside/documents/...", "portside/local/...",
			"portside/testclient/...",
		},
	}, {
		dir: "harness/...", files: "*_test.go", name: "a test of harness",
		may: []string{
			standard, thirdParty, "portside/harness/...", "portside/shared/...", "portside/documents/...", "portside/local/...",
			"portside/testclient/...",
		},
	}, {
		dir: "documents/...", files: "*_test.go", name: "a test of documents",
		may: []string{standard, thirdParty, "portside/documents/..."},
	}, {
		dir: "local/...", files: "*_test.go", name: "a test of local",
		may: []string{standard, thirdParty, "portside/local/...", "portside/testclient/...", "portside/client"},
	}, {
		dir: "client", files: "*_test.go", name: "a test of client",
		may: []string{standard, "portside/client"},
	}, {
		dir: "testclient/...", files: "*_test.go", name: "a test of testclient",
		may: []string{standard, "portside/testclient/..."},
	}, {
		dir: "...", files: "*_test.go", name: "a test",
		may: []string{
			standard, thirdParty, "portside/shared/...", "portside/documents/...", "portside/cmd/...",
			"portside/testclient/...",
		},
	},
}

// exception is an import that one package may use in addition to its rule.
type exception struct {
	dir    string
	may    []string
	reason string
}

// credentialWrites is the package with the writes of credentials. Only stores whose transactions change or check
// credentials use it; see decision 0058. Other data that a transaction needs from another domain is in a package of
// shared/dynamo, or comes through an interface.
var credentialWrites = []string{"portside/shared/credentials/credentialsdynamo"}

var exceptions = []exception{
	{"cmd/bench", []string{"portside/cmd/capacity/usage"}, "measures what cmd/capacity prices"},
	{"local/browser", []string{"portside/testclient/scale"}, "checks more sizes and themes at night"},
	{"shared/core/constraints", []string{"github.com/Masterminds/semver/v3"}, "constraints have the same meaning as in Helm"},
	{"shared/core/search", []string{"golang.org/x/text/unicode/norm"}, "a search ignores accents"},
	{"shared/media/...", []string{"portside/documents/..."}, "reads files and answers without a model"},
	{
		"shared/charts/chartshelm",
		[]string{"helm.sh/helm/v3/pkg/chart", "helm.sh/helm/v3/pkg/chart/loader", "go.yaml.in/yaml/v3"},
		"reads charts; Helm's repository package would slow down every cold start",
	},
	{
		"shared/media/mediaengines", []string{
			"portside/shared/media/mediabedrock", "portside/shared/media/mediacommand",
			"portside/shared/media/mediaopenai", "portside/shared/media/mediaprompt",
			"portside/shared/media/mediatextract", "portside/shared/media/mediatranscribe", "portside/shared/lambda/secretvalue",
		},
		"selects the engines for the functions, and where the key of a model is",
	},
	{
		"shared/media/mediabedrock", []string{"portside/shared/media/mediaprompt", "portside/shared/lambda/awsrequest"},
		"all models get the same prompts; one request needs no client of the SDK",
	},
	{"shared/mail/mailses", []string{"portside/shared/lambda/awsrequest"}, "one request needs no client of the SDK"},
	{
		"shared/media/mediatextract", []string{"portside/shared/media/mediaprompt", "portside/shared/lambda/awsrequest"},
		"the same retries and lines of the log as for models; one request needs no client of the SDK",
	},
	{"shared/media/mediaopenai", []string{"portside/shared/media/mediaprompt"}, "all models get the same prompts"},
	{"shared/analytics/analyticsdynamo", []string{"portside/shared/analytics/logs"}, "counts lines, and counts them again"},
	{"shared/analytics/analyticss3", []string{"portside/shared/analytics/logs"}, "stores segments of lines"},
	{"shared/media/medias3", []string{"portside/shared/media/jobs"}, "stores jobs, and the uploads that they read"},
	{
		"shared/media/mediatranscribe",
		[]string{"portside/shared/media/mediaprompt", "golang.org/x/text/unicode/norm"},
		"compares the words of a transcript",
	},
	{
		"shared/sessions/passkeys/passkeyswebauthn", []string{"github.com/go-webauthn/webauthn/..."},
		"verifies the responses of authenticators",
	},
	{
		"shared/sessions/openid/openidclient", []string{"github.com/coreos/go-oidc/v3/oidc", "golang.org/x/oauth2"},
		"talks to the identity provider and verifies its tokens",
	},
	{"shared/credentialrequests/credentialrequestsdynamo", credentialWrites, "issues the requested credential in its transaction"},
	{"shared/sessions/passkeys/passkeysdynamo", credentialWrites, "checks in its transaction that the credential of the caller still works"},
	{"shared/revocation/revocationdynamo", credentialWrites, "revokes credentials in its transactions"},
	{"shared/sessions/sessionsdynamo", credentialWrites, "issues and ends sessions in its transactions"},
	{"shared/tokens/tokensdynamo", credentialWrites, "issues and revokes tokens in its transactions"},
	{"shared/trust/trustdynamo", credentialWrites, "issues exchanged tokens in its transactions"},
	{"shared/users/usersdynamo", credentialWrites, "changes the role and status on credentials in its transactions"},
	{"shared/trust/trustoidc", []string{"github.com/coreos/go-oidc/v3/oidc"}, "verifies the tokens of workloads"},
}

// moduleRule says which modules a go.mod must not name in any directive.
type moduleRule struct {
	gomod  string
	never  []string
	reason string
}

var moduleRules = []moduleRule{
	{
		"go.mod", []string{
			"portside/local", "portside/harness", "github.com/versity/versitygw", "github.com/distribution/distribution/v3",
			"github.com/fsnotify/fsnotify",
		},
		"production does not contain the engines of the local stack",
	},
	{
		"documents/go.mod", []string{"portside", "portside/local", "github.com/aws/...", "github.com/awslabs/..."},
		"documents is a library that other programs can use",
	},
	{
		"client/go.mod", []string{"portside", "portside/documents", "portside/testclient", "github.com/...", "golang.org/..."},
		"other programs import the client without further modules",
	},
	{
		"local/go.mod", []string{"portside", "portside/documents", "portside/harness"},
		"the local stack runs the functions only as processes",
	},
}

// aliases are the imports that may have a name other than the package's own.
var aliases = map[string]string{
	// The SDK's middleware is used together with smithy's, and both packages are called middleware.
	"awsmiddleware": "github.com/aws/aws-sdk-go-v2/aws/middleware",
	// The SDK's packages named http are used together with the standard library's.
	"sdkhttp":    "github.com/aws/aws-sdk-go-v2/aws/transport/http",
	"smithyhttp": "github.com/aws/smithy-go/transport/http",
	// Tests of our packages named mail read messages with the standard library's mail.
	"netmail": "net/mail",
	// The end-to-end tests have a type client.
	"portsideclient": "portside/client",
	// The domain of the audit log has the name of the package with its events, which every domain uses.
	"coreaudit": "portside/shared/core/audit",
	// goldmark's package has the name of the standard library's html.
	"goldmarkhtml": "github.com/yuin/goldmark/renderer/html",
}

// allowed returns what a package in dir may import, with the exceptions for dir.
func (r rule) allowed(dir string) []string {
	may := slices.Clone(r.may)
	for _, e := range exceptions {
		if _, ok := matchDir(e.dir, dir); ok && r.files == "" {
			may = append(may, e.may...)
		}
	}
	return may
}
