package e2e

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// credential is the published form: kind, public id, and the secret part with its checksum.
var credential = regexp.MustCompile(`ps[ktpl]_([0-9A-Za-z]{12})_([0-9A-Za-z]{36})`)

// secrets collects every secret that is said in a test, so that the test can look for them where they must not be.
type secrets struct {
	mu    sync.Mutex
	parts []string // never written down
	ids   []string // public ids of credentials that were handed out
}

// find keeps the credentials in a text that the service has sent.
func (s *secrets) find(text []byte) {
	for _, match := range credential.FindAllSubmatch(text, -1) {
		s.keep(string(match[2]))
		s.mu.Lock()
		s.ids = append(s.ids, string(match[1]))
		s.mu.Unlock()
	}
}

// keep keeps a header's value as a whole, or the secret part of a credential. What is shorter than any secret is left
// out, for it may well stand somewhere by chance.
func (s *secrets) keep(value string) {
	const shortest = 8
	if match := credential.FindStringSubmatch(value); match != nil {
		value = match[2]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(value) >= shortest && !slices.Contains(s.parts, value) {
		s.parts = append(s.parts, value)
	}
}

// in returns those that occur in the text.
func (s *secrets) in(text []byte) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []string
	for _, part := range s.parts {
		if slices.ContainsFunc(disguises(part), func(form []byte) bool { return bytes.Contains(text, form) }) {
			found = append(found, part)
		}
	}
	return found
}

// disguises returns the forms in which a secret may stand somewhere: as it is, and inside base64, which looks different
// for each of three places where a text can begin. The base64 lacks what depends on the text around.
func disguises(part string) [][]byte {
	forms := [][]byte{[]byte(part)}
	for before := range 3 {
		whole := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + part))
		strange := (before*8 + 5) / 6 // characters that hold bits of what stands before
		forms = append(forms, []byte(whole[strange:len(whole)-1]))
	}
	return forms
}

// knownTo says whether the text holds a public id of those that were handed out.
func (s *secrets) knownTo(text []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.ids, func(id string) bool { return bytes.Contains(text, []byte(id)) })
}

// secretsAreNowhere looks through all that the stack has printed and all that it has written, but for the three places that
// are for secrets: the files of the admin's key and of the registry's password, and the outbox with its links.
func (p *portal) secretsAreNowhere(t *testing.T) {
	t.Helper()
	if len(p.secrets.parts) < 2 {
		t.Errorf("only %d secrets were said: the search would prove nothing", len(p.secrets.parts))
	}
	p.lookInto(t, "what it printed", []byte(p.log.String()))
	var database []byte
	for name, text := range p.dataFiles(t) {
		if name == "stack.json" { // the control word is there for `make invoke` to find
			text = bytes.ReplaceAll(text, []byte(p.info.Control), nil)
		}
		if strings.HasPrefix(name, "dynamodb.db") {
			database = append(database, text...)
		}
		p.lookInto(t, name, text)
	}
	for name, text := range map[string][]byte{"database": database, "log": []byte(p.log.String())} {
		if !p.secrets.knownTo(text) {
			t.Errorf("the %s holds no public id either: what was searched is not it", name)
		}
	}
}

func (p *portal) lookInto(t *testing.T, name string, text []byte) {
	t.Helper()
	for _, part := range p.secrets.in(text) {
		t.Errorf("%s has the secret %q", name, part)
	}
}

// dataFiles returns every file of the data folder that is not for secrets.
func (p *portal) dataFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(p.data), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == "outbox" {
			return cmp.Or(err, fs.SkipDir)
		}
		if !entry.Type().IsRegular() || name == "admin-key" || name == "registry-password" {
			return nil
		}
		files[name], err = os.ReadFile(filepath.Join(p.data, name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, needed := range []string{"dynamodb.db", "logs/dynamodb.log", "logs/s3.log"} {
		if _, there := files[needed]; !there {
			t.Errorf("the data folder has no %s", needed)
		}
	}
	return files
}
