package e2e

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// manual is the installation guide for customers.
var manual = filepath.Join(repository, "docs", "install.md")

// customerMachine returns a machine whose tools use HTTP and store everything in its folder.
func (m *customerStack) customerMachine(t *testing.T) machine {
	t.Helper()
	c := m.machine(t, login{})
	insecure := ""
	for _, host := range []string{m.host(), m.upstream} {
		insecure += "[[registry]]\nlocation = \"" + host + "\"\ninsecure = true\n"
	}
	c.write(t, "registries.conf", insecure)
	c.write(t, ".config/containers/registries.conf", insecure) // read by skopeo
	c.write(t, ".config/containers/policy.json", c.read(t, "policy.json"))
	c.write(t, "storage.conf", "[storage]\ndriver = \"vfs\"\ngraphroot = \""+c.path("root")+"\"\nrunroot = \""+c.path("runroot")+"\"\n")
	c.write(t, ".portside/api-key", string(m.dataFile(t, "admin-key")))
	c.write(t, ".portside/keyring.gpg", string(m.dataFile(t, "demo-keyring.gpg")))
	return c
}

// plainHelm is a shell function that makes helm use HTTP. Other clients have a setting for it.
const plainHelm = `helm() {
	case "$*" in
	*oci://* | "registry login "*) command helm "$@" --plain-http ;;
	*) command helm "$@" ;;
	esac
}
`

// shell runs commands with the variables of docs/install.md. It stops at the first failure.
func (c machine) shell(t *testing.T, script string) exit {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programTimeout)
	defer cancel()
	var output bytes.Buffer
	command := exec.CommandContext(ctx, "sh", "-e", "-c", plainHelm+script)
	bin, err := filepath.Abs(filepath.Join(repository, ".local", "bin"))
	if err != nil {
		t.Fatal(err)
	}
	command.Dir, command.Stdout, command.Stderr = c.dir, &output, &output
	command.Env = append(c.environment(), "PATH="+bin+":"+os.Getenv("PATH"), "CONTAINERS_STORAGE_CONF="+c.path("storage.conf"),
		"PORTSIDE_URL="+c.info.API, "PORTSIDE_HOST="+c.host(), "MIRROR="+c.upstream+"/mirror")
	err = command.Run()
	if command.ProcessState == nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s", script, &output)
	c.checkNoSecretIn(t, "the output", output.Bytes())
	return exit{command.ProcessState.ExitCode(), output.String()}
}

func (c machine) files(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}

var runnable = regexp.MustCompile("(?s)\n```sh run\n(.*?)\n```\n")

// testInstallDocument runs the marked blocks in order, each in a new shell.
func testInstallDocument(t *testing.T, m *customerStack) {
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	c := m.customerMachine(t)
	password := string(m.dataFile(t, "registry-password"))
	c.input = password // the upstream registry serves as the mirror
	c.run(t, "skopeo", "login", "--authfile", c.path(".docker/config.json"), "-u", "AWS", "--password-stdin", "--tls-verify=false", m.upstream)
	blocks := runnable.FindAllSubmatch(text, -1)
	if len(blocks) < 10 {
		t.Fatalf("only %d blocks are marked", len(blocks))
	}
	for _, block := range blocks {
		c.shell(t, string(block[1])).wantExit(t, 0)
		m.secrets.addFrom([]byte(c.read(t, ".portside/token")))
	}
	for _, name := range []string{".portside/customer-key", ".portside/password"} {
		if content := c.read(t, name); !credential.MatchString(content) {
			t.Errorf("%s is %q", name, content)
		}
		m.secrets.addFrom([]byte(c.read(t, name)))
	}
	pulled := c.read(t, "hello-1.1.0.tgz")
	if c.read(t, ".portside/hello-1.1.0.tgz") != pulled || c.read(t, "carried/hello-1.1.0.tgz") != pulled {
		t.Error("the ways to get a chart return different charts")
	}
	for _, image := range []string{"acme/hello:1.1.0", "charts/hello:1.1.0"} {
		digest := c.shell(t, "crane digest --insecure $PORTSIDE_HOST/"+image).output
		if c.shell(t, "crane digest --insecure $MIRROR/"+image).output != digest {
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
	if err := yaml.Unmarshal([]byte(c.read(t, "pull-secret.yaml")), &secret); err != nil {
		t.Fatal(err)
	}
	c.write(t, "kubernetes/config.json", secret.StringData[".dockerconfigjson"])
	script := "DOCKER_CONFIG=" + c.path("kubernetes") + " crane digest $PORTSIDE_HOST/acme/hello:1.1.0"
	if c.shell(t, script).wantExit(t, 0, "sha256:"); secret.Kind != "Secret" || secret.Type != "kubernetes.io/dockerconfigjson" {
		t.Errorf("a %s of type %s", secret.Kind, secret.Type)
	}
}

// testDocumentedErrors makes clients fail and looks up their messages in the table of
// docs/install.md.
func testDocumentedErrors(t *testing.T, m *customerStack) {
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	m.customer = m.admin(t)
	unknown := login{"token", "pst_000000000000_000000000000000000000000000000000000"}
	for _, failure := range []struct {
		login
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
		{login{}, "helm pull oci://$PORTSIDE_HOST/charts/hello --version 1.1.0", []string{"basic credential not found"}},
		{
			m.createToken(t, "read:docker-images"), "helm repo add x $PORTSIDE_URL/charts --username token --password $TOKEN",
			[]string{": 403 Forbidden"},
		},
		{m.createToken(t, "read:docker-images:x"), "podman pull --creds token:$TOKEN $PORTSIDE_HOST/acme/hello:1.1.0", []string{
			"denied: The credential's scopes do not cover this repository",
		}},
		{m.demoLogin(t), "helm repo add vendor $PORTSIDE_URL/charts --username token --password $TOKEN; helm pull vendor/hello --version 9.9.9",
			[]string{`chart "hello" matching 9.9.9 not found in vendor index. (try 'helm repo update')`}},
		{m.demoLogin(t), "skopeo inspect --creds token:$TOKEN docker://$PORTSIDE_HOST/acme/hello:9.9.9", []string{
			"manifest unknown: There is no such manifest",
		}},
		{m.demoLogin(t), "helm repo add vendor https://$PORTSIDE_HOST/charts --username token --password $TOKEN", []string{
			"http: server gave HTTP response to HTTPS client",
		}},
		{m.demoLogin(t), "crane auth login $PORTSIDE_HOST -u token -p $TOKEN; crane tag $PORTSIDE_HOST/acme/hello:1.1.0 mine", []string{
			"UNSUPPORTED", "This registry is read-only",
		}},
	} {
		c := m.customerMachine(t)
		ended := c.shell(t, "TOKEN="+failure.password+"; "+failure.command)
		if ended.code == 0 {
			t.Errorf("%s succeeds", failure.command)
		}
		for _, words := range failure.words {
			if !strings.Contains(ended.output, words) || !strings.Contains(string(text), strings.TrimSpace(words)) {
				t.Errorf("%q is missing in the output of %s or in docs/install.md:\n%s", words, failure.command, ended.output)
			}
		}
	}
}
