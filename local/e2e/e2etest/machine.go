package e2etest

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Login is a user name and password.
type Login struct{ User, Password string }

// ID returns the public part of the password.
func (l Login) ID() string { return PublicID(l.Password) }

// WithLogin returns a client that sends the login in the way of container tools.
func (p *Stack) WithLogin(t *testing.T, l Login) Client {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(l.User, l.Password)
	return p.Anonymous(t).With("Authorization", r.Header.Get("Authorization"))
}

// Machine is a customer's computer. Its programs do not see the settings of the machine that runs the test.
type Machine struct {
	*Stack
	Login
	Dir   string // short, because podman needs short paths
	Input string // standard input of its programs
}

// machines are the computers of this test binary.
var machines atomic.Int64

// Machine returns a new computer whose user has the login.
func (p *Stack) Machine(t *testing.T, l Login) Machine {
	t.Helper()
	dir, err := os.MkdirTemp("", "m"+strconv.FormatInt(machines.Add(1), 10)+"-") //nolint:usetesting // t.TempDir returns long paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeAll(t, dir) })
	c := Machine{Stack: p, Login: l, Dir: dir}
	for name, text := range map[string]string{
		"policy.json": `{"default":[{"type":"insecureAcceptAnything"}]}`, "registries.conf": "", "run/none": "", "tmp/none": "",
	} {
		c.WriteFile(t, name, text)
	}
	return c
}

// removeAll removes a folder. Layers of images can have folders that may not be written to.
func removeAll(t *testing.T, dir string) {
	t.Helper()
	_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return nil
	})
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
}

// Path returns the path of a file.
func (c Machine) Path(name string) string { return filepath.Join(c.Dir, name) }

// WriteFile writes a file.
func (c Machine) WriteFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(c.Path(name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.Path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// ReadFile returns the content of a file.
func (c Machine) ReadFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(c.Path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// WithPasswordInput passes the password as standard input, so that it is not an argument.
func (c Machine) WithPasswordInput() Machine {
	c.Input = c.Password
	return c
}

// Environment has no proxy and no daemon, so docker itself performs the login.
func (c Machine) Environment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.Dir, "TMPDIR=" + c.Path("tmp"), "XDG_CONFIG_HOME=" + c.Path("config"),
		"XDG_CACHE_HOME=" + c.Path("cache"), "XDG_DATA_HOME=" + c.Path("data"), "XDG_RUNTIME_DIR=" + c.Path("run"),
		"DOCKER_HOST=unix://" + c.Path("no-daemon"), "CONTAINERS_REGISTRIES_CONF=" + c.Path("registries.conf"),
	}
}

// Exit is the exit of a program.
type Exit struct {
	Code           int // -1 means that it was killed
	Output, Stdout string
}

// WantExit checks the exit code and that the output contains all words.
func (o Exit) WantExit(t *testing.T, code int, words ...string) {
	t.Helper()
	if o.Code != code {
		t.Fatalf("exit code %d, want %d: %s", o.Code, code, o.Output)
	}
	for _, word := range words {
		if !strings.Contains(o.Output, word) {
			t.Errorf("the output lacks %q: %s", word, o.Output)
		}
	}
}

// RunClient runs a client and checks that its output does not leak internal information.
func (c Machine) RunClient(t *testing.T, name string, args ...string) Exit {
	t.Helper()
	r := c.Execute(t, name, args...)
	c.CheckNoLeak(t, name, []byte(r.Output))
	return r
}

// programTimeout bounds the run of a program. It is long, because several run at the same time, also on a busy machine.
const programTimeout = 5 * time.Minute

// Execute runs a client.
func (c Machine) Execute(t *testing.T, name string, args ...string) Exit {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programTimeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, installed(name), args...)
	command.Dir, command.Env, command.Stdin = c.Dir, c.Environment(), strings.NewReader(c.Input)
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	printed := stdout.String() + stderr.String()
	t.Logf("%s %s: %v\n%s", name, strings.Join(args, " "), err, printed)
	if command.ProcessState == nil {
		t.Fatalf("%v: run `make clients` first", err)
	}
	return Exit{command.ProcessState.ExitCode(), printed, stdout.String()}
}

// installed returns the path of the client that `make clients` has installed, or the name of the machine's.
func installed(name string) string {
	fetched, err := filepath.Abs(filepath.Join(Repository, ".local", "bin", name))
	if err == nil {
		if _, err = os.Stat(fetched); err == nil {
			return fetched
		}
	}
	return name
}

// plainHelm is a shell function that makes helm use HTTP. Other clients have a setting for it.
const plainHelm = `helm() {
	case "$*" in
	*oci://* | "registry login "*) command helm "$@" --plain-http ;;
	*) command helm "$@" ;;
	esac
}
`

// Shell runs commands with the variables of docs/install.md. It stops at the first failure.
func (c Machine) Shell(t *testing.T, script string) Exit {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programTimeout)
	defer cancel()
	var output bytes.Buffer
	command := exec.CommandContext(ctx, "sh", "-e", "-c", plainHelm+script)
	bin, err := filepath.Abs(filepath.Join(Repository, ".local", "bin"))
	if err != nil {
		t.Fatal(err)
	}
	command.Dir, command.Stdout, command.Stderr = c.Dir, &output, &output
	command.Env = append(c.Environment(), "PATH="+bin+":"+os.Getenv("PATH"),
		"CONTAINERS_STORAGE_CONF="+c.Path("storage.conf"),
		"PORTSIDE_URL="+c.Info.API, "PORTSIDE_HOST="+c.Host(), "MIRROR="+c.Upstream()+"/mirror")
	err = command.Run()
	if command.ProcessState == nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s", script, &output)
	c.Secrets.CheckNotIn(t, "the output", output.Bytes())
	return Exit{command.ProcessState.ExitCode(), output.String(), ""}
}

// CustomerMachine returns a machine whose tools use HTTP and store everything in its folder.
func (p *Stack) CustomerMachine(t *testing.T, l Login) Machine {
	t.Helper()
	c := p.Machine(t, l)
	const registry = "[[registry]]\nlocation = %q\ninsecure = true\n"
	insecure := fmt.Sprintf(registry+registry, p.Host(), p.Upstream())
	c.WriteFile(t, "registries.conf", insecure)
	c.WriteFile(t, ".config/containers/registries.conf", insecure) // read by skopeo
	c.useOwnStorage(t)
	return c
}

// useOwnStorage lets podman and skopeo find their storage and policy without options.
func (c Machine) useOwnStorage(t *testing.T) {
	t.Helper()
	for _, folder := range []string{".config", "config"} {
		c.WriteFile(t, folder+"/containers/policy.json", c.ReadFile(t, "policy.json"))
	}
	c.WriteFile(t, "storage.conf", "[storage]\ndriver = \"vfs\"\ngraphroot = \""+c.Path("root")+"\"\nrunroot = \""+c.Path("runroot")+"\"\n")
}
