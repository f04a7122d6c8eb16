package distribution

import (
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"portside/local/e2e/e2etest"
)

// demoMachine is the computer of a person who follows docs/install.md after `make demo`.
func demoMachine(t *testing.T, p *e2etest.Stack) machine {
	t.Helper()
	c := machine{p.CustomerMachine(t, e2etest.Login{})}
	c.WriteFile(t, ".portside/api-key", p.Operator.Line(t, "admin-key"))
	c.WriteFile(t, ".portside/keyring.gpg", p.Operator.File(t, "demo-keyring.gpg"))
	return c
}

// TestInstallDocument runs the marked blocks in order, each in a new shell.
func TestInstallDocument(t *testing.T) {
	p := e2etest.Shared(t)
	p.Operator.Demo(t)
	c := demoMachine(t, p)
	c.Input = p.Operator.Line(t, "registry-password") // the upstream registry serves as the mirror
	c.RunClient(t, "skopeo", "login", "--authfile", c.Path(".docker/config.json"), "-u", "AWS", "--password-stdin",
		"--tls-verify=false",
		p.Upstream())
	text := strings.ReplaceAll(e2etest.FromRepository(t, "docs", "install.md"), "customer@example.com",
		p.Email("customer"))
	blocks := e2etest.Runnable.FindAllStringSubmatch(text, -1)
	if len(blocks) < 10 {
		t.Fatalf("only %d blocks are marked", len(blocks))
	}
	for _, block := range blocks {
		c.Shell(t, block[1]).WantExit(t, 0)
		p.Secrets.AddFrom([]byte(c.ReadFile(t, ".portside/token")))
	}
	for _, name := range []string{".portside/customer-key", ".portside/password"} {
		if content := c.ReadFile(t, name); !e2etest.Credential.MatchString(content) {
			t.Errorf("%s is %q", name, content)
		}
		p.Secrets.AddFrom([]byte(c.ReadFile(t, name)))
	}
	pulled := c.ReadFile(t, "hello-1.1.0.tgz")
	if c.ReadFile(t, ".portside/hello-1.1.0.tgz") != pulled || c.ReadFile(t, "carried/hello-1.1.0.tgz") != pulled {
		t.Error("the ways to get a chart return different charts")
	}
	for _, image := range []string{"acme/hello:1.1.0", "charts/hello:1.1.0"} {
		digest := c.Shell(t, "crane digest --insecure $PORTSIDE_HOST/"+image).Output
		if c.Shell(t, "crane digest --insecure $MIRROR/"+image).Output != digest {
			t.Errorf("%s differs in the mirror", image)
		}
	}
	c.pullSecret(t)
}

// pullSecret checks that the manifest is a pull secret with a working login.
func (c machine) pullSecret(t *testing.T) {
	t.Helper()
	var secret struct {
		Kind, Type string
		StringData map[string]string `yaml:"stringData"`
	}
	if err := yaml.Unmarshal([]byte(c.ReadFile(t, "pull-secret.yaml")), &secret); err != nil {
		t.Fatal(err)
	}
	c.WriteFile(t, "kubernetes/config.json", secret.StringData[".dockerconfigjson"])
	script := "DOCKER_CONFIG=" + c.Path("kubernetes") + " crane digest $PORTSIDE_HOST/acme/hello:1.1.0"
	if c.Shell(t, script).WantExit(t, 0, "sha256:"); secret.Kind != "Secret" ||
		secret.Type != "kubernetes.io/dockerconfigjson" {
		t.Errorf("a %s of type %s", secret.Kind, secret.Type)
	}
}

// TestErrorsOfInstallDocument makes clients fail and looks up their messages in the table of docs/install.md.
func TestErrorsOfInstallDocument(t *testing.T) {
	m := newShop(t)
	m.Operator.Demo(t)
	text := e2etest.FromRepository(t, "docs", "install.md")
	unknown := login("token", "pst_000000000000_000000000000000000000000000000000000")
	for _, failure := range []struct {
		e2etest.Login
		command string
		words   []string
	}{
		{unknown, "helm repo add x $PORTSIDE_URL/charts --username token --password $TOKEN", []string{
			"failed to fetch ", "/charts/index.yaml : 401 Unauthorized",
		}},
		{unknown, "docker login -u token -p $TOKEN $PORTSIDE_HOST", []string{"login attempt to ", " failed with status: 401 Unauthorized"}},
		{unknown, "skopeo inspect --creds token:$TOKEN docker://$PORTSIDE_HOST/acme/hello:1.1.0", []string{
			"unauthorized: The request has no working credential",
		}},
		{e2etest.Login{}, "helm pull oci://$PORTSIDE_HOST/charts/hello --version 1.1.0", []string{"basic credential not found"}},
		{
			m.createToken(t, "read:docker-images"), "helm repo add x $PORTSIDE_URL/charts --username token --password $TOKEN",
			[]string{": 403 Forbidden"},
		},
		{m.createToken(t, "read:docker-images:x"), "podman pull --creds token:$TOKEN $PORTSIDE_HOST/acme/hello:1.1.0", []string{
			"denied: The credential's scopes do not cover this repository",
		}},
		{m.Operator.DemoLogin(t),
			"helm repo add vendor $PORTSIDE_URL/charts --username token --password $TOKEN; helm pull vendor/hello --version 9.9.9",
			[]string{`chart "hello" matching 9.9.9 not found in vendor index. (try 'helm repo update')`}},
		{m.Operator.DemoLogin(t), "skopeo inspect --creds token:$TOKEN docker://$PORTSIDE_HOST/acme/hello:9.9.9", []string{
			"manifest unknown: There is no such manifest",
		}},
		{m.Operator.DemoLogin(t), "helm repo add vendor https://$PORTSIDE_HOST/charts --username token --password $TOKEN", []string{
			"http: server gave HTTP response to HTTPS client",
		}},
		{m.Operator.DemoLogin(t), "crane auth login $PORTSIDE_HOST -u token -p $TOKEN; crane tag $PORTSIDE_HOST/acme/hello:1.1.0 mine", []string{
			"UNSUPPORTED", "This registry is read-only",
		}},
	} {
		t.Run(failure.command, func(t *testing.T) {
			c := demoMachine(t, m.Stack)
			ended := c.Shell(t, "TOKEN="+failure.Password+"; "+failure.command)
			if ended.Code == 0 {
				t.Errorf("%s succeeds", failure.command)
			}
			for _, words := range failure.words {
				if !strings.Contains(ended.Output, words) || !strings.Contains(text, strings.TrimSpace(words)) {
					t.Errorf("%q is missing in the output of %s or in docs/install.md:\n%s", words, failure.command, ended.Output)
				}
			}
		})
	}
}

// TestCommandsOfDemo runs the commands that the demo prints.
func TestCommandsOfDemo(t *testing.T) {
	p := e2etest.Shared(t)
	printed := p.Operator.Demo(t)
	c := demoMachine(t, p)
	ran := 0
	for line := range strings.Lines(printed) {
		command, indented := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "  ")
		if !indented {
			continue
		}
		command, _, _ = strings.Cut(command, " && docker pull")                    // needs a daemon
		c.Shell(t, strings.ReplaceAll(command, "--plain-http", "")).WantExit(t, 0) // shell adds it
		ran++
	}
	if ran < 12 {
		t.Errorf("%d commands were printed", ran)
	}
	for _, file := range []string{"hello-1.0.0.tgz", "hello-1.1.0.tgz", "hello-1.1.0.tgz.prov"} {
		if c.ReadFile(t, file) == "" {
			t.Errorf("%s is empty", file)
		}
	}
}

// addressVariables matches the lines of docs/operations.md that set the addresses for publishing to a local stack.
var addressVariables = regexp.MustCompile(`(?m)^of_stack\(\) .*\n(?:export .*\n)+`)

// TestDocumentedAddresses checks that these lines find each address once.
func TestDocumentedAddresses(t *testing.T) {
	p := e2etest.Shared(t)
	lines := strings.ReplaceAll(addressVariables.FindString(e2etest.FromRepository(t, "docs", "operations.md")),
		".local/data", p.Data)
	got := p.Machine(t, e2etest.Login{}).
		Shell(t, lines+`printf '%s %s %s' "$AWS_ENDPOINT_URL" "$CHARTS_BUCKET" "$REGISTRY"`)
	if want := p.Info.S3 + " " + p.Info.Buckets["ChartsBucket"] + " " + p.Upstream(); got.Code != 0 || got.Output != want {
		t.Errorf("exit code %d, output %q, want %q", got.Code, got.Output, want)
	}
}
