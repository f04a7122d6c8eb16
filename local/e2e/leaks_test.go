package e2e

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// credential matches a credential: kind, public ID, and secret part with checksum.
var credential = regexp.MustCompile(`ps[bklpst]_([0-9A-Za-z]{12})_([0-9A-Za-z]{36})`)

// secrets collects the secrets of a test, so that the test can search for leaks.
type secrets struct {
	mu    sync.Mutex
	parts []string // secret parts, which must not be stored anywhere
	ids   []string // public IDs of the credentials
}

// addFrom adds the credentials in a text.
func (s *secrets) addFrom(text []byte) {
	for _, match := range credential.FindAllSubmatch(text, -1) {
		s.add(string(match[2]))
		s.mu.Lock()
		s.ids = append(s.ids, string(match[1]))
		s.mu.Unlock()
	}
}

// add adds the secret part of a credential, or another value as a whole. It ignores short values,
// because they may occur anywhere by chance.
func (s *secrets) add(value string) {
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

// foundIn returns the secrets that occur in the text.
func (s *secrets) foundIn(text []byte) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []string
	for _, part := range s.parts {
		if slices.ContainsFunc(encodings(part), func(form []byte) bool { return bytes.Contains(text, form) }) {
			found = append(found, part)
		}
	}
	return found
}

// encodings returns the forms in which a secret may occur: plain, and within base64 at each of the
// three possible offsets, without the characters that depend on the surrounding text.
func encodings(part string) [][]byte {
	forms := [][]byte{[]byte(part)}
	for before := range 3 {
		whole := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + part))
		skip := (before*8 + 5) / 6 // characters with bits of the preceding text
		forms = append(forms, []byte(whole[skip:len(whole)-1]))
	}
	return forms
}

// hasPublicID reports whether the text contains a public ID of the credentials.
func (s *secrets) hasPublicID(text []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.ids, func(id string) bool { return bytes.Contains(text, []byte(id)) })
}

// checkNoSecretsLeaked searches the stack's output and files for secrets, except for the files of
// the admin's key and the registry's password and the outbox with its links.
func (p *testStack) checkNoSecretsLeaked(t *testing.T) {
	t.Helper()
	if len(p.secrets.parts) < 2 {
		t.Errorf("only %d secrets are known, so the search would prove nothing", len(p.secrets.parts))
	}
	p.checkNoSecretIn(t, "the output", []byte(p.log.String()))
	var database []byte
	for name, text := range p.dataFiles(t) {
		if name == "stack.json" { // `make invoke` reads the control token there
			text = bytes.ReplaceAll(text, []byte(p.info.Control), nil)
		}
		if strings.HasPrefix(name, "dynamodb.db") {
			database = append(database, text...)
		}
		p.checkNoSecretIn(t, name, text)
	}
	for name, text := range map[string][]byte{"database": database, "log": []byte(p.log.String())} {
		if !p.secrets.hasPublicID(text) {
			t.Errorf("the %s contains no public ID, so the search did not cover it", name)
		}
	}
}

func (p *testStack) checkNoSecretIn(t *testing.T, name string, text []byte) {
	t.Helper()
	for _, part := range p.secrets.foundIn(text) {
		t.Errorf("%s contains the secret %q", name, part)
	}
}

// dataFiles returns the files of the data folder that must not contain secrets.
func (p *testStack) dataFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(p.data), ".", func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // a running engine has removed the folder
			return nil
		}
		if err != nil || name == "outbox" {
			return cmp.Or(err, fs.SkipDir)
		}
		if !entry.Type().IsRegular() || name == "admin-key" || name == "registry-password" {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(p.data, name))
		if errors.Is(err, fs.ErrNotExist) { // a running engine has removed the file
			return nil
		}
		files[name] = text
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
