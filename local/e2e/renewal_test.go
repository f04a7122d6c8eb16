package e2e

import (
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"portside/testclient"
)

// notDueMessage is part of the output if the token needs no renewal.
const notDueMessage = " more; it is renewed when less than "

// TestPipelines runs the script of docs/rotation.md like customers' pipelines.
func TestPipelines(t *testing.T) {
	p := newTestStack(t)
	p.start(t, noRateLimit())
	for _, part := range []struct {
		name string
		run  func(*testing.T, *pipeline)
	}{
		{"renewal", testRenewal},
		{"a short lifetime", testShortLifetime},
		{"docs/rotation.md", testRotationDocument},
		{"the token is not visible", testTokenIsNotVisible},
		{"four concurrent runs", testConcurrentRuns},
		{"killed at each exchange", testKilledAtEachExchange},
		{"killed while writing", testKilledWhileWriting},
		{"a leftover of another token", testLeftoverOfOtherToken},
		{"a revoked token", testRevokedToken},
		{"no response", testNoResponse},
		{"Retry-After", testRetryAfter},
		{"refused renewal", testRefusedRenewal},
		{"a new token that does not work", testNewTokenDoesNotWork},
		{"invalid settings", testInvalidSettings},
		{"a Secret", testSecretRenewal},
		{"a Secret, four concurrent runs", testConcurrentSecretRuns},
		{"an unwritable Secret", testUnwritableSecret},
		{"a changed Secret", testChangedSecret},
		{"a Secret and a stopped run", testStoppedRun},
		{"a Secret and a killed run", testKilledSecretRun},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, p.newPipeline(t)) })
	}
	p.checkNoSecretsLeaked(t)
}

func testRenewal(t *testing.T, l *pipeline) {
	old := l.checkTokenWorks(t)
	l.run(t).wantExit(t, 0, "renewed: the token ", old.Text("data.id")+" works until ")
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

	l.run(t).wantExit(t, 0, notDueMessage) // not due
	l.checkTokenWorks(t).WantValue("data.id", renewed.JSON("data.id"))
	l.write(t, "config.json", "")
	l.runIn(t, []string{"bash"}).wantExit(t, 0, notDueMessage) // only writes the lost file again
	l.checkConsistent(t)
	l.run(t, "RENEW_DAYS=91", "EXPIRATION_DAYS=92").wantExit(t, 0, "less than 45 days") // half of the lifetime
	if n := l.countTokens("active"); n != 2 {
		t.Errorf("%d tokens are active, want 2", n)
	}
}

// testShortLifetime uses tokens that last less long than RENEW_DAYS. A new one must not be renewed by each run.
func testShortLifetime(t *testing.T, l *pipeline) {
	for days, due := range map[int]string{1: "12 hours", 3: "36 hours", 7: "3 days"} {
		l.write(t, "token", l.createNewToken("short", days)+"\n")
		l.run(t).wantExit(t, 0, notDueMessage+due)
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

// testTokenIsNotVisible checks the arguments of all processes during each exchange, and the output
// of a traced run. The end of the test checks the output of all runs.
func testTokenIsNotVisible(t *testing.T, l *pipeline) {
	var checked atomic.Int32
	l.proxy.setIntercept(func(*exchange) bool {
		files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, file := range files {
			line, _ := os.ReadFile(file) // it may have exited
			if strings.HasPrefix(string(line), "curl\x00") {
				checked.Add(1)
			}
			for range l.secrets.foundIn(line) {
				t.Errorf("a process has a secret among its arguments")
			}
		}
		return false
	})
	l.runIn(t, []string{"sh", "-x"}).wantExit(t, 0, "renewed: ")
	if checked.Load() < 3 {
		t.Errorf("only %d curl processes were checked", checked.Load())
	}
}

func testConcurrentRuns(t *testing.T, l *pipeline) {
	codes := testclient.Concurrently(4, func(int) int { return l.run(t).code })
	if codes[0] != 4 {
		t.Errorf("exit codes %v", codes)
	}
	l.checkTokenWorks(t)
	l.checkConsistent(t)
	if n := l.countTokens("active"); n != 2 {
		t.Errorf("%d tokens are active, want the old one and the new one", n)
	}
}

// testKilledAtEachExchange kills runs before and after the forwarding of each of their requests.
func testKilledAtEachExchange(t *testing.T, l *pipeline) {
	for n, killed := 1, true; killed; n++ {
		for _, answered := range []bool{false, true} {
			l.write(t, "token", l.createToken("pipeline")+"\n")
			l.proxy.setIntercept(func(e *exchange) bool { return e.number == n && e.answered == answered && e.kill() })
			killed = l.run(t).code == -1
			l.checkTokenWorks(t)
			l.proxy.setIntercept(nil)
			l.run(t).wantExit(t, 0)
			l.checkTokenWorks(t)
			l.checkConsistent(t)
			l.run(t, "RENEW_DAYS=89").wantExit(t, 0, notDueMessage)
		}
		if !killed && n != 4 {
			t.Errorf("a run has %d exchanges", n-1)
		}
	}
	if n := l.countTokens("active"); n != 1+8*2+1 { // the first one, old and new ones of each run, and one whose response was lost
		t.Errorf("%d tokens are active, want 18", n)
	}
}

// testKilledWhileWriting kills runs before and after the replacement of a file. The next run must
// not create another token.
func testKilledWhileWriting(t *testing.T, l *pipeline) {
	for _, moment := range []string{"before", "after"} {
		l.write(t, "token", l.createToken("pipeline")+"\n")
		l.run(t, "KILL="+moment).wantExit(t, -1)
		l.checkTokenWorks(t)
		l.run(t).wantExit(t, 0, notDueMessage)
		l.checkTokenWorks(t)
		l.checkConsistent(t)
	}
	if n := l.countTokens("active"); n != 1+2*2 {
		t.Errorf("%d tokens are active, want 5", n)
	}
}

// testLeftoverOfOtherToken replaces the token after a killed run. The new token that the killed run
// left does not belong to the replacement.
func testLeftoverOfOtherToken(t *testing.T, l *pipeline) {
	l.run(t, "KILL=before").wantExit(t, -1)
	other := l.createToken("put there by hand")
	l.write(t, "token", other+"\n")
	l.run(t).wantExit(t, 0, "which is not needed", "renewed: ")
	l.checkTokenWorks(t).WantValue("data.rotatedFrom", strings.Split(other, "_")[1])
	l.checkConsistent(t)
	if n := l.countTokens("revoked"); n != 1 {
		t.Errorf("%d tokens are revoked, want 1", n)
	}
}

func testRevokedToken(t *testing.T, l *pipeline) {
	before := l.token(t)
	l.manager.Delete("/api/v1/tokens/" + strings.Split(before, "_")[1]).WantStatus(http.StatusNoContent)
	l.run(t).wantExit(t, 3, "does not work", "put a working one there")
	if l.token(t) != before {
		t.Error("the file has changed")
	}
	l.write(t, "token", "nonsense\n")
	l.run(t).wantExit(t, 3, "must contain exactly one access token")
	l.write(t, "token", l.createToken("a")+"\n"+l.createToken("b")+"\n")
	l.run(t).wantExit(t, 3, "must contain exactly one access token")
	l.write(t, "token", l.createToken("pipeline")) // without a newline
	l.run(t).wantExit(t, 0, "renewed: ")
}

func testNoResponse(t *testing.T, l *pipeline) {
	before := l.token(t)
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusOK} {
		l.proxy.setIntercept(func(e *exchange) bool { return e.refuse(status) })
		l.run(t).wantExit(t, 1, "run again later")
	}
	l.proxy.setIntercept(func(e *exchange) bool { return e.refuse(http.StatusNotFound) })
	l.run(t).wantExit(t, 2, "set PORTSIDE_URL")
	l.proxy.server.Close()
	l.run(t).wantExit(t, 1, "did not send a valid response (curl exit code 7)")
	if l.token(t) != before {
		t.Error("the file has changed")
	}
	l.checkTokenWorks(t)
}

// testRetryAfter answers each request first with Retry-After: 0. If the script ignored it, the run
// would time out.
func testRetryAfter(t *testing.T, l *pipeline) {
	l.proxy.setIntercept(func(e *exchange) bool { return e.number%2 == 1 && e.refuse(http.StatusTooManyRequests) })
	l.run(t, "RETRY_SECONDS=60").wantExit(t, 0, "renewed: ")
	l.checkTokenWorks(t)
}

func testRefusedRenewal(t *testing.T, l *pipeline) {
	l.proxy.setIntercept(func(e *exchange) bool { return e.r.Method == http.MethodPost && e.refuse(http.StatusConflict) })
	l.run(t).wantExit(t, 3, "refused to create a token (status 409)")
	l.checkTokenWorks(t)
	if _, err := os.Stat(l.path("token.next")); err == nil {
		t.Error("token.next exists")
	}
}

func testNewTokenDoesNotWork(t *testing.T, l *pipeline) {
	before := l.token(t)
	l.proxy.setIntercept(func(e *exchange) bool { return e.number == 3 && e.refuse(http.StatusUnauthorized) })
	l.run(t).wantExit(t, 1, "the test of the new token ", " failed (status 401)")
	if l.token(t) != before {
		t.Error("the file has changed")
	}
	l.proxy.setIntercept(nil)
	l.run(t).wantExit(t, 0, " of an interrupted run is in ")
	l.checkTokenWorks(t)
	l.checkConsistent(t)
}

func testInvalidSettings(t *testing.T, l *pipeline) {
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
		l.run(t, setting).wantExit(t, 2, word)
	}
	l.write(t, "config.json", `{"auths":{"a":{"auth":"eDp5"},"b":{"auth":"eDp5"}}}`)
	l.run(t).wantExit(t, 2, "a separate file")
	l.checkTokenWorks(t)
	l.run(t, "DOCKER_CONFIG_FILE=").wantExit(t, 0, "renewed: ")
	l.checkTokenWorks(t)
}

func testSecretRenewal(t *testing.T, l *pipeline) {
	l.toSecret(t)
	old := l.checkTokenWorks(t)
	l.run(t).wantExit(t, 0, "is in the Secret portside-pull")
	l.checkTokenWorks(t).WantValue("data.rotatedFrom", old.JSON("data.id"))
	l.checkConsistent(t)
	l.run(t).wantExit(t, 0, notDueMessage)
	for line := range strings.Lines(l.read(t, "secret/arguments")) {
		if !strings.Contains(line, " secret portside-pull --namespace=builds ") || len(l.secrets.foundIn([]byte(line))) > 0 {
			t.Errorf("kubectl %s", line)
		}
	}

	l.write(t, "secret/token", base64.StdEncoding.EncodeToString([]byte(l.createToken("by hand")))) // somebody changes only the token
	l.run(t, "RENEW_DAYS=1").wantExit(t, 0)
	l.checkTokenWorks(t).WantValue("data.name", "by hand")
	l.checkConsistent(t)
}

func testConcurrentSecretRuns(t *testing.T, l *pipeline) {
	l.toSecret(t)
	codes := testclient.Concurrently(4, func(int) int { return l.run(t).code })
	if codes[0] != 4 {
		t.Errorf("exit codes %v", codes)
	}
	l.checkTokenWorks(t)
	l.checkConsistent(t)
	if n := l.countTokens("active"); n != 2 { // late runs have revoked their tokens
		t.Errorf("%d tokens are active, want the old one and the new one", n)
	}
}

func testUnwritableSecret(t *testing.T, l *pipeline) {
	l.toSecret(t)
	before := l.token(t)
	l.write(t, "secret/no-get", "")
	l.run(t).wantExit(t, 1, "could not read")
	if err := os.Remove(l.path("secret/no-get")); err != nil {
		t.Fatal(err)
	}
	l.write(t, "secret/no-patch", "")
	l.run(t).wantExit(t, 1, "could not write")
	if l.token(t) != before || l.countTokens("revoked") != 0 { // the update may still succeed
		t.Errorf("the Secret has changed, or one of %d tokens was revoked", l.countTokens("revoked"))
	}
	l.checkTokenWorks(t)
	if err := os.Remove(l.path("secret/no-patch")); err != nil {
		t.Fatal(err)
	}
	l.write(t, "secret/no-answer", "") // the update succeeds but reports a failure
	l.run(t).wantExit(t, 0, "renewed: ")
	l.checkTokenWorks(t).WantValue("data.rotatedFrom", strings.Split(before, "_")[1])
	l.checkConsistent(t)
}

// testChangedSecret changes the Secret while a run verifies its new token. The run's update must be
// refused, and the next run must start over.
func testChangedSecret(t *testing.T, l *pipeline) {
	l.toSecret(t)
	before := l.token(t)
	l.proxy.setIntercept(func(e *exchange) bool {
		if e.number == 3 && !e.answered {
			l.write(t, "secret/version", "41")
		}
		return false
	})
	l.run(t).wantExit(t, 1, "run again later", "revoked the token")
	if l.token(t) != before || l.countTokens("active") != 1 {
		t.Errorf("the Secret has changed, or %d tokens are active", l.countTokens("active"))
	}
	l.proxy.setIntercept(nil)
	l.run(t).wantExit(t, 0, "renewed: ")
	l.checkTokenWorks(t)
}

// testStoppedRun stops a run between creating and storing the token, as Kubernetes stops a Pod. The
// run must revoke its token.
func testStoppedRun(t *testing.T, l *pipeline) {
	l.toSecret(t)
	before := l.token(t)
	l.proxy.setIntercept(func(e *exchange) bool {
		if e.number == 3 && !e.answered {
			_ = syscall.Kill(e.pid, syscall.SIGTERM)
		}
		return false
	})
	l.run(t).wantExit(t, 1, "revoked the token")
	if l.token(t) != before || l.countTokens("active") != 1 || l.countTokens("revoked") != 1 {
		t.Errorf("%d tokens are active, %d revoked", l.countTokens("active"), l.countTokens("revoked"))
	}
	l.proxy.setIntercept(nil)
	l.run(t).wantExit(t, 0, "renewed: ")
	l.checkTokenWorks(t)
}

// testKilledSecretRun kills runs. Each may leave at most one unused token.
func testKilledSecretRun(t *testing.T, l *pipeline) {
	l.toSecret(t)
	for n := 1; n <= 3; n++ {
		l.proxy.setIntercept(func(e *exchange) bool { return e.number == n && e.answered && e.kill() })
		l.run(t).wantExit(t, -1)
		l.checkTokenWorks(t)
	}
	l.proxy.setIntercept(nil)
	l.run(t).wantExit(t, 0, "renewed: ")
	l.checkTokenWorks(t)
	l.checkConsistent(t)
	if n := l.countTokens("active"); n != 2+2 {
		t.Errorf("%d tokens are active, want 4", n)
	}
}
