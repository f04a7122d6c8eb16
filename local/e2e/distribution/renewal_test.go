package distribution

import (
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"portside/local/e2e/e2etest"
)

// notDueMessage is part of the output if the token needs no renewal.
const notDueMessage = " more; it is renewed when less than "

func TestRenewal(t *testing.T) {
	l := newPipeline(t)
	old := l.checkTokenWorks(t)
	l.run(t).WantExit(t, 0, "renewed: the token ", old.Text("data.id")+" works until ")
	renewed := l.checkTokenWorks(t).WantValue("data.rotatedFrom", old.JSON("data.id")).
		WantValue("data.name", old.JSON("data.name")).WantValue("data.scopes", old.JSON("data.scopes"))
	if renewed.Text("data.id") == old.Text("data.id") {
		t.Fatal("the current token is the old one")
	}
	l.manager.Get("/api/v1/tokens/"+old.Text("data.id")).WantValue("data.status", "active") // both work during the overlap
	l.checkConsistent(t)
	for _, name := range []string{"token", "config.json"} {
		if info, err := os.Stat(l.path(name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}

	l.run(t).WantExit(t, 0, notDueMessage) // not due
	l.checkTokenWorks(t).WantValue("data.id", renewed.JSON("data.id"))
	l.writeFile(t, "config.json", "")
	l.runIn(t, []string{"bash"}).WantExit(t, 0, notDueMessage) // only writes the lost file again
	l.checkConsistent(t)
	l.run(t, "RENEW_DAYS=91", "EXPIRATION_DAYS=92").WantExit(t, 0, "less than 45 days") // half of the lifetime
	if n := l.countTokens("active"); n != 2 {
		t.Errorf("%d tokens are active, want 2", n)
	}
}

// TestRenewalOfShortLifetimes uses tokens that last less long than RENEW_DAYS. A new one must not be renewed by each
// run.
func TestRenewalOfShortLifetimes(t *testing.T) {
	l := newPipeline(t)
	for days, due := range map[int]string{1: "12 hours", 3: "36 hours", 7: "3 days"} {
		l.writeFile(t, "token", l.createNewToken("short", days)+"\n")
		l.run(t).WantExit(t, 0, notDueMessage+due)
		l.checkTokenWorks(t)
		l.checkConsistent(t)
	}
}

// checkConsistent checks that container tools use the current token and that there are no other
// files.
func (l *pipeline) checkConsistent(t *testing.T) {
	t.Helper()
	login := base64.StdEncoding.EncodeToString([]byte("token:" + l.token(t)))
	if want := `{"auths":{"registry.example.com":{"auth":"` + login + `"}}}`; l.config(t) != want {
		t.Errorf("container tools read %s", l.config(t))
	}
	files, err := filepath.Glob(l.path("*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		switch filepath.Base(file) {
		case "bin", "tmp", "secret", "token", "token.lock", "config.json":
		default:
			t.Errorf("unexpected file %s", filepath.Base(file))
		}
	}
}

// TestRenewalHidesTheToken checks the arguments of all processes during each exchange, and the output
// of a traced run. The end of the test checks the output of all runs.
func TestRenewalHidesTheToken(t *testing.T) {
	l := newPipeline(t)
	var checked atomic.Int32
	l.proxy.setIntercept(func(*exchange) bool {
		files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, file := range files {
			line, _ := os.ReadFile(file) // it may have exited
			if strings.HasPrefix(string(line), "curl\x00") {
				checked.Add(1)
			}
			for range l.tokens.FoundIn(line) {
				t.Errorf("a process has a secret among its arguments")
			}
		}
		return false
	})
	l.runIn(t, []string{"sh", "-x"}).WantExit(t, 0, "renewed: ")
	if checked.Load() < 3 {
		t.Errorf("only %d curl processes were checked", checked.Load())
	}
}

func TestConcurrentRenewals(t *testing.T) {
	l := newPipeline(t)
	codes := e2etest.AtOnce(4, func() int { return l.run(t).Code })
	if codes[0] != 4 {
		t.Errorf("exit codes %v", codes)
	}
	l.checkTokenWorks(t)
	l.checkConsistent(t)
	if n := l.countTokens("active"); n != 2 {
		t.Errorf("%d tokens are active, want the old one and the new one", n)
	}
}

// TestRenewalKilledAtEachExchange kills runs before and after the forwarding of each of their requests.
func TestRenewalKilledAtEachExchange(t *testing.T) {
	l := newPipeline(t)
	for n, killed := 1, true; killed; n++ {
		for _, answered := range []bool{false, true} {
			l.writeFile(t, "token", l.createToken("pipeline")+"\n")
			l.proxy.setIntercept(func(e *exchange) bool { return e.number == n && e.answered == answered && e.kill() })
			killed = l.run(t).Code == -1
			l.checkTokenWorks(t)
			l.proxy.setIntercept(nil)
			l.run(t).WantExit(t, 0)
			l.checkTokenWorks(t)
			l.checkConsistent(t)
			l.run(t, "RENEW_DAYS=89").WantExit(t, 0, notDueMessage)
		}
		if !killed && n != 4 {
			t.Errorf("a run has %d exchanges", n-1)
		}
	}
	if n := l.countTokens("active"); n != 1+8*2+1 { // the first one, old and new ones of each run, and one whose response was lost
		t.Errorf("%d tokens are active, want 18", n)
	}
}

// TestRenewalKilledWhileWriting kills runs before and after the replacement of a file. The next run must
// not create another token.
func TestRenewalKilledWhileWriting(t *testing.T) {
	l := newPipeline(t)
	for _, moment := range []string{"before", "after"} {
		l.writeFile(t, "token", l.createToken("pipeline")+"\n")
		l.run(t, "KILL="+moment).WantExit(t, -1)
		l.checkTokenWorks(t)
		l.run(t).WantExit(t, 0, notDueMessage)
		l.checkTokenWorks(t)
		l.checkConsistent(t)
	}
	if n := l.countTokens("active"); n != 1+2*2 {
		t.Errorf("%d tokens are active, want 5", n)
	}
}

// TestRenewalWithLeftover replaces the token after a killed run. The new token that the killed run
// left does not belong to the replacement.
func TestRenewalWithLeftover(t *testing.T) {
	l := newPipeline(t)
	l.run(t, "KILL=before").WantExit(t, -1)
	other := l.createToken("put there by hand")
	l.writeFile(t, "token", other+"\n")
	l.run(t).WantExit(t, 0, "which is not needed", "renewed: ")
	l.checkTokenWorks(t).WantValue("data.rotatedFrom", strings.Split(other, "_")[1])
	l.checkConsistent(t)
	if n := l.countTokens("revoked"); n != 1 {
		t.Errorf("%d tokens are revoked, want 1", n)
	}
}

func TestRenewalOfRevokedToken(t *testing.T) {
	l := newPipeline(t)
	before := l.token(t)
	l.manager.Delete("/api/v1/tokens/" + strings.Split(before, "_")[1]).WantStatus(http.StatusNoContent)
	l.run(t).WantExit(t, 3, "does not work", "put a working one there")
	if l.token(t) != before {
		t.Error("the file has changed")
	}
	l.writeFile(t, "token", "nonsense\n")
	l.run(t).WantExit(t, 3, "must contain exactly one access token")
	l.writeFile(t, "token", l.createToken("a")+"\n"+l.createToken("b")+"\n")
	l.run(t).WantExit(t, 3, "must contain exactly one access token")
	l.writeFile(t, "token", l.createToken("pipeline")) // without a newline
	l.run(t).WantExit(t, 0, "renewed: ")
}

func TestRenewalWithoutResponse(t *testing.T) {
	l := newPipeline(t)
	before := l.token(t)
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusOK} {
		l.proxy.setIntercept(func(e *exchange) bool { return e.refuse(status) })
		l.run(t).WantExit(t, 1, "run again later")
	}
	l.proxy.setIntercept(func(e *exchange) bool { return e.refuse(http.StatusNotFound) })
	l.run(t).WantExit(t, 2, "set PORTSIDE_URL")
	l.proxy.server.Close()
	l.run(t).WantExit(t, 1, "did not send a valid response (curl exit code 7)")
	if l.token(t) != before {
		t.Error("the file has changed")
	}
	l.checkTokenWorks(t)
}

// TestRenewalObeysRetryAfter answers each request first with Retry-After: 0. If the script ignored it, the run
// would time out.
func TestRenewalObeysRetryAfter(t *testing.T) {
	l := newPipeline(t)
	l.proxy.setIntercept(func(e *exchange) bool { return e.number%2 == 1 && e.refuse(http.StatusTooManyRequests) })
	l.run(t, "RETRY_SECONDS=60").WantExit(t, 0, "renewed: ")
	l.checkTokenWorks(t)
}

func TestRefusedRenewal(t *testing.T) {
	l := newPipeline(t)
	l.proxy.setIntercept(func(e *exchange) bool { return e.r.Method == http.MethodPost && e.refuse(http.StatusConflict) })
	l.run(t).WantExit(t, 3, "refused to create a token (status 409)")
	l.checkTokenWorks(t)
	if _, err := os.Stat(l.path("token.next")); err == nil {
		t.Error("token.next exists")
	}
}

func TestRenewalTriesTheNewToken(t *testing.T) {
	l := newPipeline(t)
	before := l.token(t)
	l.proxy.setIntercept(func(e *exchange) bool { return e.number == 3 && e.refuse(http.StatusUnauthorized) })
	l.run(t).WantExit(t, 1, "the test of the new token ", " failed (status 401)")
	if l.token(t) != before {
		t.Error("the file has changed")
	}
	l.proxy.setIntercept(nil)
	l.run(t).WantExit(t, 0, " of an interrupted run is in ")
	l.checkTokenWorks(t)
	l.checkConsistent(t)
}

func TestSettingsOfRenewal(t *testing.T) {
	l := newPipeline(t)
	for setting, word := range map[string]string{
		"PORTSIDE_URL=":                         "set PORTSIDE_URL",
		"PORTSIDE_URL=http://portside.example/": "https://",
		"TOKEN_FILE=":                           "set either TOKEN_FILE or KUBE_SECRET",
		"KUBE_SECRET=x":                         "set either TOKEN_FILE or KUBE_SECRET",
		"TOKEN_FILE=" + l.path("nowhere"):       "does not exist",
		"RENEW_DAYS=0":                          "RENEW_DAYS must be",
		"RENEW_DAYS=08":                         "RENEW_DAYS must be",
		"RENEW_DAYS=1.5":                        "RENEW_DAYS must be",
		"EXPIRATION_DAYS=366":                   "EXPIRATION_DAYS must be",
		"EXPIRATION_DAYS=21":                    "more than RENEW_DAYS",
		"ATTEMPTS=many":                         "ATTEMPTS must be",
		`REGISTRY=a"b`:                          "REGISTRY must be",
		"PATH=" + l.path("bin"):                 "install ",
	} {
		l.run(t, setting).WantExit(t, 2, word)
	}
	l.writeFile(t, "config.json", `{"auths":{"a":{"auth":"eDp5"},"b":{"auth":"eDp5"}}}`)
	l.run(t).WantExit(t, 2, "a separate file")
	l.checkTokenWorks(t)
	l.run(t, "DOCKER_CONFIG_FILE=").WantExit(t, 0, "renewed: ")
	l.checkTokenWorks(t)
}

func TestRenewalInSecret(t *testing.T) {
	l := newPipeline(t)
	l.toSecret(t)
	old := l.checkTokenWorks(t)
	l.run(t).WantExit(t, 0, "is in the Secret portside-pull")
	l.checkTokenWorks(t).WantValue("data.rotatedFrom", old.JSON("data.id"))
	l.checkConsistent(t)
	l.run(t).WantExit(t, 0, notDueMessage)
	for line := range strings.Lines(l.readFile(t, "secret/arguments")) {
		if !strings.Contains(line, " secret portside-pull --namespace=builds ") || len(l.Secrets.FoundIn([]byte(line))) > 0 {
			t.Errorf("kubectl %s", line)
		}
	}

	l.writeFile(t, "secret/token", base64.StdEncoding.EncodeToString([]byte(l.createToken("by hand")))) // an admin changes only the token
	l.run(t, "RENEW_DAYS=1").WantExit(t, 0)
	l.checkTokenWorks(t).WantValue("data.name", "by hand")
	l.checkConsistent(t)
}

func TestConcurrentRenewalsInSecret(t *testing.T) {
	l := newPipeline(t)
	l.toSecret(t)
	codes := e2etest.AtOnce(4, func() int { return l.run(t).Code })
	if codes[0] != 4 {
		t.Errorf("exit codes %v", codes)
	}
	l.checkTokenWorks(t)
	l.checkConsistent(t)
	if n := l.countTokens("active"); n != 2 { // late runs have revoked their tokens
		t.Errorf("%d tokens are active, want the old one and the new one", n)
	}
}

func TestRenewalInUnwritableSecret(t *testing.T) {
	l := newPipeline(t)
	l.toSecret(t)
	before := l.token(t)
	l.writeFile(t, "secret/no-get", "")
	l.run(t).WantExit(t, 1, "could not read")
	if err := os.Remove(l.path("secret/no-get")); err != nil {
		t.Fatal(err)
	}
	l.writeFile(t, "secret/no-patch", "")
	l.run(t).WantExit(t, 1, "could not write")
	if l.token(t) != before || l.countTokens("revoked") != 0 { // the update may still succeed
		t.Errorf("the Secret has changed, or one of %d tokens was revoked", l.countTokens("revoked"))
	}
	l.checkTokenWorks(t)
	if err := os.Remove(l.path("secret/no-patch")); err != nil {
		t.Fatal(err)
	}
	l.writeFile(t, "secret/no-answer", "") // the update succeeds but reports a failure
	l.run(t).WantExit(t, 0, "renewed: ")
	l.checkTokenWorks(t).WantValue("data.rotatedFrom", strings.Split(before, "_")[1])
	l.checkConsistent(t)
}

// TestRenewalInChangedSecret changes the Secret while a run verifies its new token. The run's update must be
// refused, and the next run must start over.
func TestRenewalInChangedSecret(t *testing.T) {
	l := newPipeline(t)
	l.toSecret(t)
	before := l.token(t)
	l.proxy.setIntercept(func(e *exchange) bool {
		if e.number == 3 && !e.answered {
			l.writeFile(t, "secret/version", "41")
		}
		return false
	})
	l.run(t).WantExit(t, 1, "run again later", "revoked the token")
	if l.token(t) != before || l.countTokens("active") != 1 {
		t.Errorf("the Secret has changed, or %d tokens are active", l.countTokens("active"))
	}
	l.proxy.setIntercept(nil)
	l.run(t).WantExit(t, 0, "renewed: ")
	l.checkTokenWorks(t)
}

// TestStoppedRenewalInSecret stops a run between creating and storing the token, as Kubernetes stops a Pod. The
// run must revoke its token.
func TestStoppedRenewalInSecret(t *testing.T) {
	l := newPipeline(t)
	l.toSecret(t)
	before := l.token(t)
	l.proxy.setIntercept(func(e *exchange) bool {
		if e.number == 3 && !e.answered {
			_ = syscall.Kill(e.pid, syscall.SIGTERM)
		}
		return false
	})
	l.run(t).WantExit(t, 1, "revoked the token")
	if l.token(t) != before || l.countTokens("active") != 1 || l.countTokens("revoked") != 1 {
		t.Errorf("%d tokens are active, %d revoked", l.countTokens("active"), l.countTokens("revoked"))
	}
	l.proxy.setIntercept(nil)
	l.run(t).WantExit(t, 0, "renewed: ")
	l.checkTokenWorks(t)
}

// TestKilledRenewalInSecret kills runs. Each may leave at most one unused token.
func TestKilledRenewalInSecret(t *testing.T) {
	l := newPipeline(t)
	l.toSecret(t)
	for n := 1; n <= 3; n++ {
		l.proxy.setIntercept(func(e *exchange) bool { return e.number == n && e.answered && e.kill() })
		l.run(t).WantExit(t, -1)
		l.checkTokenWorks(t)
	}
	l.proxy.setIntercept(nil)
	l.run(t).WantExit(t, 0, "renewed: ")
	l.checkTokenWorks(t)
	l.checkConsistent(t)
	if n := l.countTokens("active"); n != 2+2 {
		t.Errorf("%d tokens are active, want 4", n)
	}
}

// documentedCommands matches the blocks of commands of a document.
var documentedCommands = regexp.MustCompile("(?s)\n```sh\n(.*?)\n```\n")

// TestRotationDocument runs the commands of the last section of docs/rotation.md, with the folder, the address and the
// key of this stack. The first run of the script sees a new token, and the second one its successor.
func TestRotationDocument(t *testing.T) {
	p := e2etest.Shared(t)
	c := p.DocumentReader(t, "user")
	clone, err := filepath.Abs(e2etest.Repository)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(e2etest.FromRepository(t, "docs", "rotation.md"), "\n## Trying it on the local stack\n")
	script := "cd '" + clone + "'\n"
	for _, block := range documentedCommands.FindAllStringSubmatch(section, -1) {
		script += block[1] + "\n"
	}
	script = strings.NewReplacer("/tmp/portside", c.Path("rotation"), "http://127.0.0.1:3000", p.Info.API,
		".local/data", p.Data).Replace(script)
	got := c.Shell(t, script)
	got.WantExit(t, 0, notDueMessage+"3 days", `"rotatedFrom":"`)
	if runs := strings.Count(got.Output, notDueMessage); runs != 2 {
		t.Errorf("the script ran %d times, want 2", runs)
	}
}
