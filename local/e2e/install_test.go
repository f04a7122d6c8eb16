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
	"time"

	"go.yaml.in/yaml/v3"
)

// manual is what customers are told.
var manual = filepath.Join(repository, "docs", "install.md")

// customerMachine is one whose tools know that there is no TLS here, and keep everything in its folder.
func (m *market) customerMachine(t *testing.T) machine {
	t.Helper()
	c := m.machine(t, login{})
	insecure := ""
	for _, host := range []string{m.host(), m.upstream} {
		insecure += "[[registry]]\nlocation = \"" + host + "\"\ninsecure = true\n"
	}
	c.write(t, "registries.conf", insecure)
	c.write(t, ".config/containers/registries.conf", insecure) // where skopeo looks
	c.write(t, ".config/containers/policy.json", c.read(t, "policy.json"))
	c.write(t, "storage.conf", "[storage]\ndriver = \"vfs\"\ngraphroot = \""+c.path("root")+"\"\nrunroot = \""+c.path("runroot")+"\"\n")
	c.write(t, ".portside/api-key", string(m.file(t, "admin-key")))
	c.write(t, ".portside/keyring.gpg", string(m.file(t, "demo-keyring.gpg")))
	return c
}

// plainHelm is a helm that asks registries without TLS; other clients know by their settings.
const plainHelm = `helm() {
	case "$*" in
	*oci://* | "registry login "*) command helm "$@" --plain-http ;;
	*) command helm "$@" ;;
	esac
}
`

// shell runs commands with what docs/install.md has the reader set, up to the first that fails.
func (c machine) shell(t *testing.T, script string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
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
	c.lookInto(t, "the output", output.Bytes())
	return outcome{command.ProcessState.ExitCode(), output.String()}
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

// installation runs the blocks that are marked for it, in their order, each in a shell of its own.
func installation(t *testing.T, m *market) {
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	c := m.customerMachine(t)
	password := string(m.file(t, "registry-password"))
	c.input = password // the mirror is the registry behind the gateway, which takes images
	c.run(t, "skopeo", "login", "--authfile", c.path(".docker/config.json"), "-u", "AWS", "--password-stdin", "--tls-verify=false", m.upstream)
	blocks := runnable.FindAllSubmatch(text, -1)
	if len(blocks) < 10 {
		t.Fatalf("only %d blocks are marked", len(blocks))
	}
	for _, block := range blocks {
		c.shell(t, string(block[1])).is(t, 0)
		m.secrets.find([]byte(c.read(t, ".portside/token")))
	}
	pulled := c.read(t, "hello-1.1.0.tgz")
	if c.read(t, ".portside/hello-1.1.0.tgz") != pulled || c.read(t, "carried/hello-1.1.0.tgz") != pulled {
		t.Error("the ways to get a chart give different charts")
	}
	for _, image := range []string{"acme/hello:1.1.0", "charts/hello:1.1.0"} {
		digest := c.shell(t, "crane digest --insecure $PORTSIDE_HOST/"+image).printed
		if c.shell(t, "crane digest --insecure $MIRROR/"+image).printed != digest {
			t.Errorf("the mirror has another %s", image)
		}
	}
	c.pullSecret(t)
}

// pullSecret checks that the manifest is one, with the login of this host.
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
	if c.shell(t, script).is(t, 0, "sha256:"); secret.Kind != "Secret" || secret.Type != "kubernetes.io/dockerconfigjson" {
		t.Errorf("a %s of type %s", secret.Kind, secret.Type)
	}
}

// messages has clients fail, and looks for what they say in the table of docs/install.md.
func messages(t *testing.T, m *market) {
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	m.customer = m.root(t)
	unknown := login{"token", "pst_000000000000_000000000000000000000000000000000000"}
	for _, failure := range []struct {
		login
		command string
		said    []string
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
			m.token(t, "read:docker-images"), "helm repo add x $PORTSIDE_URL/charts --username token --password $TOKEN",
			[]string{": 403 Forbidden"},
		},
		{m.token(t, "read:docker-images:x"), "podman pull --creds token:$TOKEN $PORTSIDE_HOST/acme/hello:1.1.0", []string{
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
		for _, words := range failure.said {
			if !strings.Contains(ended.printed, words) || !strings.Contains(string(text), strings.TrimSpace(words)) {
				t.Errorf("%q is not what %s says, or docs/install.md does not have it:\n%s", words, failure.command, ended.printed)
			}
		}
	}
}
