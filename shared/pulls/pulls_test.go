package pulls_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"portside/shared/pulls"
)

var minute = time.Date(2026, 11, 21, 8, 30, 0, 0, time.UTC)

func pull() pulls.Pull {
	return pulls.Pull{
		At: minute.Add(2*time.Second + 345*time.Millisecond), Kind: pulls.Image, Repository: "acme/api", Reference: "1.2.0",
		Digest: "sha256:" + strings.Repeat("a0", 32), CredentialID: "3vQB7B6MrGQZ",
		OwnerID: "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11",
		Address: "203.0.113.9", Client: "containerd/2.1.0",
	}
}

// logged returns the line that Log writes to a logger as in production.
func logged(tb testing.TB, p pulls.Pull) []byte {
	tb.Helper()
	var out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&out, nil)))
	defer slog.SetDefault(before)
	pulls.Log(tb.Context(), p)
	return out.Bytes()
}

func TestLogWritesWhatTheSubscriptionFilters(t *testing.T) {
	line := string(logged(t, pull()))
	for _, part := range []string{
		`"msg":"pull"`, `"pull":{"at":"2026-11-21T08:30:02.345Z","kind":"image","repository":"acme/api","reference":"1.2.0",`,
		`"credential":"3vQB7B6MrGQZ","owner":"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11","address":"203.0.113.9","client":"containerd/2.1.0"}`,
	} {
		if !strings.Contains(line, part) {
			t.Errorf("the line %s does not contain %s", line, part)
		}
	}
}

func asChart(p *pulls.Pull) { p.Kind, p.Repository = pulls.Chart, "product" }

func TestReadReturnsWhatWasLogged(t *testing.T) {
	for name, c := range map[string]struct{ change, want func(*pulls.Pull) }{
		"unchanged":   {func(*pulls.Pull) {}, func(*pulls.Pull) {}},
		"a chart":     {asChart, asChart},
		"of customer": {func(p *pulls.Pull) { p.CustomerID = "c" }, func(p *pulls.Pull) { p.CustomerID = "c" }},
		"a check":     {func(p *pulls.Pull) { p.IsCheck = true }, func(p *pulls.Pull) { p.IsCheck = true }},
		"no digest":   {func(p *pulls.Pull) { p.Digest = "" }, func(p *pulls.Pull) { p.Digest = "" }},
		"no client":   {func(p *pulls.Pull) { p.Client, p.Address = "", "" }, func(p *pulls.Pull) { p.Client, p.Address = "", "" }},
		"microsecond": {func(p *pulls.Pull) { p.At = p.At.Add(999 * time.Microsecond) }, func(*pulls.Pull) {}},
		"other zone":  {func(p *pulls.Pull) { p.At = p.At.In(time.FixedZone("", 3600)) }, func(*pulls.Pull) {}},
		"control characters": {
			func(p *pulls.Pull) { p.Client = "a\x00b\n{\"msg\":\"pull\"}\x1b[31m\u202e\xff<>" },
			func(p *pulls.Pull) { p.Client = `ab{"msg":"pull"}[31m<>` },
		},
		"long client": {
			func(p *pulls.Pull) { p.Client = strings.Repeat("é", 201) },
			func(p *pulls.Pull) { p.Client = strings.Repeat("é", 200) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			given, want := pull(), pull()
			c.change(&given)
			c.want(&want)
			line := logged(t, given)
			if bytes.Count(line, []byte("\n")) != 1 {
				t.Errorf("%s: more than one line: %q", name, line)
			}
			got, ok, err := pulls.Read(line)
			if got != want || !ok || err != nil {
				t.Errorf("%s: read %+v, %v, %v", name, got, ok, err)
			}
		})
	}
}

func TestReadIgnoresOtherLines(t *testing.T) {
	for _, line := range []string{
		"", "{}", "null", "[]", "pull", `"pull"`, "START RequestId: 8f5 Version: $LATEST", `{"msg":"request","pull":{}}`,
		`{"msg":12,"pull":{}}`, `{"msg":["pull"]}`, `{"msg":"pull"`, `{"msg":"pull"}{"msg":"pull"}`,
		`{"msg":"pull","x":"` + strings.Repeat("x", 1<<15) + `"}`,
	} {
		if p, ok, err := pulls.Read([]byte(line)); p != (pulls.Pull{}) || ok || err != nil {
			t.Errorf("%.60q: %+v, %v, %v", line, p, ok, err)
		}
	}
}

func TestReadRejectsBrokenPulls(t *testing.T) {
	line := string(logged(t, pull()))
	for _, change := range [][2]string{
		{`"pull":{`, `"push":{`},
		{`"kind":"image"`, `"kind":"layer"`},
		{`"kind":"image"`, `"kind":7`},
		{`"kind":"image",`, ``},
		{`"repository":"acme/api"`, `"repository":""`},
		{`"repository":"acme/api"`, `"repository":"acme api"`},
		{`"repository":"acme/api"`, `"repository":"acme#api"`},
		{`"repository":"acme/api"`, `"repository":"` + strings.Repeat("a", 256) + `"`},
		{`"reference":"1.2.0"`, `"reference":"1.2.0\n"`},
		{`"digest":"sha256:`, `"digest":"sha1:`},
		{`"digest":"sha256:a`, `"digest":"sha256:A`},
		{`"credential":"3vQB7B6MrGQZ"`, `"credential":""`},
		{`"owner":"01939f6e`, `"owner":"\u0000`},
		{`"address":"203.0.113.9"`, `"address":"\u0007"`},
		{`"client":"containerd`, `"client":"\ud800`},
		{`"at":"2026-11-21T08:30:02.345Z"`, `"at":"1999-11-21T08:30:02.345Z"`},
		{`"at":"2026-11-21T08:30:02.345Z"`, `"at":"0001-01-01T00:00:00Z"`},
		{`"at":"2026-11-21T08:30:02.345Z",`, ``},
		{`"client":"containerd/2.1.0"`, `"client":"containerd/2.1.0","check":"yes"`},
		{`"reference":"1.2.0"`, `"check":true,"reference":"sha256:` + strings.Repeat("a0", 32) + `"`},
	} {
		changed := strings.Replace(line, change[0], change[1], 1)
		if changed == line {
			t.Fatalf("the line has no %s: %s", change[0], line)
		}
		if p, ok, err := pulls.Read([]byte(changed)); p != (pulls.Pull{}) || ok || !errors.Is(err, pulls.ErrBroken) {
			t.Errorf("with %s instead of %s: Read = %+v, %v, %v", change[1], change[0], p, ok, err)
		}
	}
}

func TestIDIdentifiesAPull(t *testing.T) {
	id := pull().ID()
	for name, c := range map[string]struct {
		change func(*pulls.Pull)
		same   bool
	}{
		"start of the minute": {func(p *pulls.Pull) { p.At = minute }, true},
		"end of the minute":   {func(p *pulls.Pull) { p.At = minute.Add(time.Minute - 1) }, true},
		"other zone":          {func(p *pulls.Pull) { p.At = p.At.In(time.FixedZone("", 5400)) }, true},
		"other owner":         {func(p *pulls.Pull) { p.OwnerID = "x" }, true},
		"other customer":      {func(p *pulls.Pull) { p.CustomerID = "x" }, true},
		"next minute":         {func(p *pulls.Pull) { p.At = minute.Add(time.Minute) }, false},
		"minute before":       {func(p *pulls.Pull) { p.At = minute.Add(-1) }, false},
		"other kind":          {func(p *pulls.Pull) { p.Kind = pulls.Chart }, false},
		"other repository":    {func(p *pulls.Pull) { p.Repository = "acme/web" }, false},
		"other reference":     {func(p *pulls.Pull) { p.Reference = "1.2.1" }, false},
		"other digest":        {func(p *pulls.Pull) { p.Digest = "" }, false},
		"other credential":    {func(p *pulls.Pull) { p.CredentialID = "3vQB7B6MrGQY" }, false},
		"other address":       {func(p *pulls.Pull) { p.Address = "203.0.113.10" }, false},
		"other client":        {func(p *pulls.Pull) { p.Client = "skopeo" }, false},
		"shifted fields":      {func(p *pulls.Pull) { p.Repository, p.Reference = "acme/api1", ".2.0" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			changed := pull()
			c.change(&changed)
			if (changed.ID() == id) != c.same {
				t.Errorf("same = %v, want %v", !c.same, c.same)
			}
		})
	}
}

// TestIDIdentifiesTheChecksOfAnHour changes the fields of a check.
func TestIDIdentifiesTheChecksOfAnHour(t *testing.T) {
	check := pull()
	check.IsCheck = true
	for name, c := range map[string]struct {
		change func(*pulls.Pull)
		same   bool
	}{
		"start of the hour": {func(p *pulls.Pull) { p.At = p.Hour() }, true},
		"end of the hour":   {func(p *pulls.Pull) { p.At = p.Hour().Add(time.Hour - 1) }, true},
		"other address":     {func(p *pulls.Pull) { p.Address = "203.0.113.10" }, true},
		"other client":      {func(p *pulls.Pull) { p.Client = "Renovate" }, true},
		"other digest":      {func(p *pulls.Pull) { p.Digest = "" }, true},
		"next hour":         {func(p *pulls.Pull) { p.At = p.Hour().Add(time.Hour) }, false},
		"other kind":        {func(p *pulls.Pull) { p.Kind = pulls.Chart }, false},
		"other repository":  {func(p *pulls.Pull) { p.Repository = "acme/web" }, false},
		"other reference":   {func(p *pulls.Pull) { p.Reference = "1.2.1" }, false},
		"other credential":  {func(p *pulls.Pull) { p.CredentialID = "3vQB7B6MrGQY" }, false},
		"a pull":            {func(p *pulls.Pull) { p.IsCheck = false }, false},
	} {
		t.Run(name, func(t *testing.T) {
			changed := check
			c.change(&changed)
			if (changed.ID() == check.ID()) != c.same {
				t.Errorf("same = %v, want %v", !c.same, c.same)
			}
		})
	}
}

func TestPositionsSortLikeTimes(t *testing.T) {
	earlier, later := pull(), pull()
	later.At = later.At.Add(time.Millisecond)
	if earlier.Position() >= later.Position() {
		t.Errorf("%s does not come before %s", earlier.Position(), later.Position())
	}
	if at, ok := later.Position().At(); !ok || !at.Equal(later.At) {
		t.Errorf("Position %s has the time %v, %v", later.Position(), at, ok)
	}
	for _, text := range []pulls.Position{"", "x", earlier.Position() + "0",
		"2026-13-01T00:00:00.000Z#" + pulls.Position(earlier.ID())} {
		if _, ok := text.At(); ok {
			t.Errorf("At accepted the position %q", text)
		}
	}
}

// FuzzRead checks that Read accepts only what Log writes.
func FuzzRead(f *testing.F) {
	f.Add(logged(f, pull()))
	check := pull()
	check.IsCheck = true
	f.Add(logged(f, check))
	f.Add([]byte(`{"msg":"pull","pull":{"at":"2026-11-21T08:30:02Z","kind":"chart","repository":"p","reference":"1"}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		p, ok, err := pulls.Read(line)
		if !ok {
			if p != (pulls.Pull{}) || err != nil && !errors.Is(err, pulls.ErrBroken) {
				t.Fatalf("%+v, %v", p, err)
			}
			return
		}
		if again, ok, err := pulls.Read(logged(t, p)); again != p || !ok || err != nil {
			t.Fatalf("read %+v, and after another Log %+v, %v, %v", p, again, ok, err)
		}
		if at, ok := p.Position().At(); !ok || !at.Equal(p.At) {
			t.Fatalf("Position of %+v has the time %v, %v", p, at, ok)
		}
	})
}
