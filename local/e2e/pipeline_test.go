package e2e

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
)

// good is what a run says that has nothing to do.
const good = " more days; it is renewed when fewer than "

// TestPipelines runs the script of docs/rotation.md as customers' machines do.
func TestPipelines(t *testing.T) {
	p := newPortal(t)
	p.start(t, new(int))
	for _, part := range []struct {
		name string
		play func(*testing.T, *pipeline)
	}{
		{"renewal", renews},
		{"nothing shows the token", showsNothing},
		{"four at once", atTheSameTime},
		{"killed at every exchange", killedAtEveryExchange},
		{"killed while writing", killedWhileWriting},
		{"a leftover of another token", strangeLeftover},
		{"a token that does not work", revokedToken},
		{"no answer", noAnswer},
		{"asked to wait", askedToWait},
		{"refused", refusedRenewal},
		{"a new token that does not work", unworkingToken},
		{"wrong settings", wrongSettings},
		{"a Secret", renewsSecret},
		{"a Secret, four at once", secretAtTheSameTime},
		{"a Secret that cannot be written", unwritableSecret},
		{"a Secret that was changed", changedSecret},
		{"a Secret and a run that is stopped", stoppedRun},
		{"a Secret and a run that is killed", killedSecretRun},
	} {
		t.Run(part.name, func(t *testing.T) { part.play(t, p.newPipeline(t)) })
	}
	p.secretsAreNowhere(t)
}

func renews(t *testing.T, l *pipeline) {
	old := l.works(t)
	l.run(t).is(t, 0, "renewed: the token ", old.text("data.id")+" works until "+old.text("data.expiresAt"))
	renewed := l.works(t).has("data.rotatedFrom", old.json("data.id")).
		has("data.name", old.json("data.name")).has("data.scopes", old.json("data.scopes"))
	if renewed.text("data.id") == old.text("data.id") {
		t.Fatal("the token in place is the old one")
	}
	l.manager.get("/api/v1/tokens/"+old.text("data.id")).has("data.status", "active") // the overlap
	l.agree(t)
	for _, name := range []string{"token", "config.json"} {
		if info, err := os.Stat(l.path(name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}

	l.run(t).is(t, 0, good) // nothing to do
	l.works(t).has("data.id", renewed.json("data.id"))
	l.write(t, "config.json", "")
	l.runIn(t, []string{"bash"}).is(t, 0, good) // but for what was lost
	l.agree(t)
	l.run(t, "RENEW_DAYS=91", "EXPIRATION_DAYS=92").is(t, 0, "renewed: ")
	if n := l.count("active"); n != 3 {
		t.Errorf("%d tokens are active, want 3", n)
	}
}

// agree checks that container tools read the token in place, and that no other file is left behind.
func (l *pipeline) agree(t *testing.T) {
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
			t.Errorf("%s is left behind", filepath.Base(file))
		}
	}
}

// showsNothing looks at the arguments of all processes during each exchange, and at what a traced run prints; the end of
// the test looks at what all runs have printed.
func showsNothing(t *testing.T, l *pipeline) {
	var looked atomic.Int32
	l.relay.set(func(*exchange) bool {
		files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, file := range files {
			line, _ := os.ReadFile(file) // it may have ended
			if strings.HasPrefix(string(line), "curl\x00") {
				looked.Add(1)
			}
			for range l.secrets.in(line) {
				t.Errorf("a process has a secret among its arguments")
			}
		}
		return false
	})
	l.runIn(t, []string{"sh", "-x"}).is(t, 0, "renewed: ")
	if looked.Load() < 3 {
		t.Errorf("only %d processes of curl were looked at", looked.Load())
	}
}

func atTheSameTime(t *testing.T, l *pipeline) {
	codes := atOnce(4, func(int) int { return l.run(t).code })
	if codes[0] != 4 {
		t.Errorf("exit codes %v", codes)
	}
	l.works(t)
	l.agree(t)
	if n := l.count("active"); n != 2 {
		t.Errorf("%d tokens are active, want the old one and the new one", n)
	}
}

// killedAtEveryExchange kills a run before its nth request is sent on, and when it was answered, until there is no nth.
func killedAtEveryExchange(t *testing.T, l *pipeline) {
	for n, killed := 1, true; killed; n++ {
		for _, answered := range []bool{false, true} {
			l.write(t, "token", l.issue("pipeline")+"\n")
			l.relay.set(func(e *exchange) bool { return e.number == n && e.answered == answered && e.kill() })
			killed = l.run(t).code == -1
			l.works(t)
			l.relay.set(nil)
			l.run(t).is(t, 0)
			l.works(t)
			l.agree(t)
			l.run(t, "RENEW_DAYS=89").is(t, 0, good)
		}
		if !killed && n != 4 {
			t.Errorf("a run has %d exchanges", n-1)
		}
	}
	if n := l.count("active"); n != 1+8*2+1 { // the first, old and new of each time, and the one that nobody was told
		t.Errorf("%d tokens are active, want 18", n)
	}
}

// killedWhileWriting kills runs around the moment at which a file is replaced. The next run makes no other token.
func killedWhileWriting(t *testing.T, l *pipeline) {
	for _, moment := range []string{"before", "after"} {
		l.write(t, "token", l.issue("pipeline")+"\n")
		l.run(t, "KILL="+moment).is(t, -1)
		l.works(t)
		l.run(t).is(t, 0, good)
		l.works(t)
		l.agree(t)
	}
	if n := l.count("active"); n != 1+2*2 {
		t.Errorf("%d tokens are active, want 5", n)
	}
}

// strangeLeftover has somebody put another token in place after a run was killed: what that run left is not its successor.
func strangeLeftover(t *testing.T, l *pipeline) {
	l.run(t, "KILL=before").is(t, -1)
	other := l.issue("put there by hand")
	l.write(t, "token", other+"\n")
	l.run(t).is(t, 0, "which is not needed", "renewed: ")
	l.works(t).has("data.rotatedFrom", strings.Split(other, "_")[1])
	l.agree(t)
	if n := l.count("revoked"); n != 1 {
		t.Errorf("%d tokens are revoked, want 1", n)
	}
}

func revokedToken(t *testing.T, l *pipeline) {
	before := l.token(t)
	l.manager.delete("/api/v1/tokens/" + strings.Split(before, "_")[1]).is(http.StatusNoContent)
	l.run(t).is(t, 3, "does not work", "Put a working one there")
	if l.token(t) != before {
		t.Error("the file has changed")
	}
	l.write(t, "token", "nonsense\n")
	l.run(t).is(t, 3, "not exactly one access token")
	l.write(t, "token", l.issue("a")+"\n"+l.issue("b")+"\n")
	l.run(t).is(t, 3, "not exactly one access token")
	l.write(t, "token", l.issue("pipeline")) // as a person would, without a line's end
	l.run(t).is(t, 0, "renewed: ")
}

func noAnswer(t *testing.T, l *pipeline) {
	before := l.token(t)
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusOK} {
		l.relay.set(func(e *exchange) bool { return e.refuse(status) })
		l.run(t).is(t, 1, "run again later")
	}
	l.relay.set(func(e *exchange) bool { return e.refuse(http.StatusNotFound) })
	l.run(t).is(t, 2, "set PORTSIDE_URL")
	l.relay.server.Close()
	l.run(t).is(t, 1, "did not give an answer to use (curl: 7)")
	if l.token(t) != before {
		t.Error("the file has changed")
	}
	l.works(t)
}

// askedToWait has a first answer to each request that says when to come back; without it, the wait would outlast the run.
func askedToWait(t *testing.T, l *pipeline) {
	l.relay.set(func(e *exchange) bool { return e.number%2 == 1 && e.refuse(http.StatusTooManyRequests) })
	l.run(t, "RETRY_SECONDS=60").is(t, 0, "renewed: ")
	l.works(t)
}

func refusedRenewal(t *testing.T, l *pipeline) {
	l.relay.set(func(e *exchange) bool { return e.r.Method == http.MethodPost && e.refuse(http.StatusConflict) })
	l.run(t).is(t, 3, "refused a new token (409)")
	l.works(t)
	if _, err := os.Stat(l.path("token.next")); err == nil {
		t.Error("it has left something for the next run")
	}
}

func unworkingToken(t *testing.T, l *pipeline) {
	before := l.token(t)
	l.relay.set(func(e *exchange) bool { return e.number == 3 && e.refuse(http.StatusUnauthorized) })
	l.run(t).is(t, 1, "was not seen to work (status 401)")
	if l.token(t) != before {
		t.Error("the file has changed")
	}
	l.relay.set(nil)
	l.run(t).is(t, 0, "took up the token")
	l.works(t)
	l.agree(t)
}

func wrongSettings(t *testing.T, l *pipeline) {
	for setting, word := range map[string]string{
		"PORTSIDE_URL=":                         "set PORTSIDE_URL",
		"PORTSIDE_URL=http://portside.example/": "https://",
		"TOKEN_FILE=":                           "set either TOKEN_FILE or KUBE_SECRET",
		"KUBE_SECRET=x":                         "set either TOKEN_FILE or KUBE_SECRET",
		"TOKEN_FILE=" + l.path("nowhere"):       "there is no file",
		"RENEW_DAYS=0":                          "RENEW_DAYS must be",
		"RENEW_DAYS=08":                         "RENEW_DAYS must be",
		"RENEW_DAYS=1.5":                        "RENEW_DAYS must be",
		"EXPIRATION_DAYS=366":                   "EXPIRATION_DAYS must be",
		"EXPIRATION_DAYS=21":                    "more than RENEW_DAYS",
		"ATTEMPTS=many":                         "ATTEMPTS must be",
		`REGISTRY=a"b`:                          "REGISTRY must be",
		"PATH=" + l.path("bin"):                 "install ",
	} {
		l.run(t, setting).is(t, 2, word)
	}
	l.write(t, "config.json", `{"auths":{"a":{"auth":"eDp5"},"b":{"auth":"eDp5"}}}`)
	l.run(t).is(t, 2, "a file of its own")
	l.works(t)
	l.run(t, "DOCKER_CONFIG_FILE=").is(t, 0, "renewed: ")
	l.works(t)
}

func renewsSecret(t *testing.T, l *pipeline) {
	l.toSecret(t)
	old := l.works(t)
	l.run(t).is(t, 0, "is in the Secret portside-pull")
	l.works(t).has("data.rotatedFrom", old.json("data.id"))
	l.agree(t)
	l.run(t).is(t, 0, good)
	for line := range strings.Lines(l.read(t, "secret/arguments")) {
		if !strings.Contains(line, " secret portside-pull --namespace=builds ") || len(l.secrets.in([]byte(line))) > 0 {
			t.Errorf("kubectl %s", line)
		}
	}

	l.write(t, "secret/token", base64.StdEncoding.EncodeToString([]byte(l.issue("by hand")))) // a person changes the one key
	l.run(t, "RENEW_DAYS=1").is(t, 0)
	l.works(t).has("data.name", "by hand")
	l.agree(t)
}

func secretAtTheSameTime(t *testing.T, l *pipeline) {
	l.toSecret(t)
	codes := atOnce(4, func(int) int { return l.run(t).code })
	if codes[0] != 4 {
		t.Errorf("exit codes %v", codes)
	}
	l.works(t)
	l.agree(t)
	if n := l.count("active"); n != 2 { // who came too late has revoked what it made
		t.Errorf("%d tokens are active, want the old one and the new one", n)
	}
}

func unwritableSecret(t *testing.T, l *pipeline) {
	l.toSecret(t)
	before := l.token(t)
	l.write(t, "secret/no-get", "")
	l.run(t).is(t, 1, "could not read")
	if err := os.Remove(l.path("secret/no-get")); err != nil {
		t.Fatal(err)
	}
	l.write(t, "secret/no-patch", "")
	l.run(t).is(t, 1, "could not be written")
	if l.token(t) != before || l.count("revoked") != 0 { // for the update may yet arrive
		t.Errorf("the Secret has changed, or one of %d tokens was revoked", l.count("revoked"))
	}
	l.works(t)
	if err := os.Remove(l.path("secret/no-patch")); err != nil {
		t.Fatal(err)
	}
	l.write(t, "secret/no-answer", "") // it is done, and called a failure
	l.run(t).is(t, 0, "renewed: ")
	l.works(t).has("data.rotatedFrom", strings.Split(before, "_")[1])
	l.agree(t)
}

// changedSecret has somebody add a label while a run verifies its new token: that update is refused, and it starts over.
func changedSecret(t *testing.T, l *pipeline) {
	l.toSecret(t)
	before := l.token(t)
	l.relay.set(func(e *exchange) bool {
		if e.number == 3 && !e.answered {
			l.write(t, "secret/version", "41")
		}
		return false
	})
	l.run(t).is(t, 1, "run again later", "revoked the token")
	if l.token(t) != before || l.count("active") != 1 {
		t.Errorf("the Secret has changed, or %d tokens are active", l.count("active"))
	}
	l.relay.set(nil)
	l.run(t).is(t, 0, "renewed: ")
	l.works(t)
}

// stoppedRun stops a run between issuing and storing, as Kubernetes stops a Pod: it takes back what it has made.
func stoppedRun(t *testing.T, l *pipeline) {
	l.toSecret(t)
	before := l.token(t)
	l.relay.set(func(e *exchange) bool {
		if e.number == 3 && !e.answered {
			_ = syscall.Kill(e.pid, syscall.SIGTERM)
		}
		return false
	})
	l.run(t).is(t, 1, "revoked the token")
	if l.token(t) != before || l.count("active") != 1 || l.count("revoked") != 1 {
		t.Errorf("%d tokens are active, %d revoked", l.count("active"), l.count("revoked"))
	}
	l.relay.set(nil)
	l.run(t).is(t, 0, "renewed: ")
	l.works(t)
}

// killedSecretRun leaves an unused token at worst, one for each run that was killed between issuing and storing.
func killedSecretRun(t *testing.T, l *pipeline) {
	l.toSecret(t)
	for n := 1; n <= 3; n++ {
		l.relay.set(func(e *exchange) bool { return e.number == n && e.answered && e.kill() })
		l.run(t).is(t, -1)
		l.works(t)
	}
	l.relay.set(nil)
	l.run(t).is(t, 0, "renewed: ")
	l.works(t)
	l.agree(t)
	if n := l.count("active"); n != 2+2 {
		t.Errorf("%d tokens are active, want 4", n)
	}
}

// TestTheCronJob compares the manifest with the script that it runs: every setting in it is one of the script's, and the
// Role is for the Secret that the script is told of.
func TestTheCronJob(t *testing.T) {
	manifest, err := os.ReadFile(filepath.Join(filepath.Dir(renewal), "cronjob.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(renewal)
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for _, match := range regexp.MustCompile(`- \{ name: ([A-Z_]+), value: "?([^" ]+)"? \}`).FindAllStringSubmatch(string(manifest), -1) {
		settings[match[1]] = match[2]
		if match[1] != "HOME" && !strings.Contains(string(script), "\n#   "+match[1]+" ") {
			t.Errorf("the script has no setting %s", match[1])
		}
	}
	if want := "resourceNames: [" + settings["KUBE_SECRET"] + "]"; len(settings) != 5 || !strings.Contains(string(manifest), want) {
		t.Errorf("settings %v, and no %q", settings, want)
	}
}
