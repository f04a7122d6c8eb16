package e2etest

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Credential matches a credential: kind, public ID, and secret part with checksum.
var Credential = regexp.MustCompile(`ps[bklpst]_([0-9A-Za-z]{12})_([0-9A-Za-z]{36})`)

// Secrets collects the secrets that tests see, to search for leaks.
type Secrets struct {
	mu    sync.Mutex
	forms map[uint64][]form // by their first bytes
	parts map[string]bool   // secret parts, which must not be stored anywhere
	ids   []string          // public IDs of the credentials
}

// form is a form in which a secret may occur.
type form struct{ text, secret string }

// keyBytes is the number of the first bytes of a form by which the search looks it up. No form is shorter.
const keyBytes = 8

// AddFrom adds the credentials in a text.
func (s *Secrets) AddFrom(text []byte) {
	for _, match := range Credential.FindAllSubmatch(text, -1) {
		s.Add(string(match[2]))
		s.mu.Lock()
		s.ids = append(s.ids, string(match[1]))
		s.mu.Unlock()
	}
}

// Add adds the secret part of a credential, or another value as a whole. It ignores short values, because they may
// occur anywhere by chance.
func (s *Secrets) Add(value string) {
	if match := Credential.FindStringSubmatch(value); match != nil {
		value = match[2]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(value) < keyBytes || s.parts[value] {
		return
	}
	if s.parts == nil {
		s.parts, s.forms = map[string]bool{}, map[uint64][]form{}
	}
	s.parts[value] = true
	for _, encoded := range encodings(value) {
		key := binary.LittleEndian.Uint64([]byte(encoded))
		s.forms[key] = append(s.forms[key], form{encoded, value})
	}
}

// encodings returns the forms in which a secret may occur: plain, and within base64 at each of the three possible
// offsets, without the characters that depend on the surrounding text.
func encodings(part string) []string {
	forms := []string{part}
	for before := range 3 {
		whole := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + part))
		skip := (before*8 + 5) / 6 // characters with bits of the preceding text
		forms = append(forms, whole[skip:len(whole)-1])
	}
	return forms
}

// FoundIn returns the secrets that occur in a text. It looks at each place of the text once, because there are hundreds
// of secrets.
func (s *Secrets) FoundIn(text []byte) (found []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var begins [1 << 16]bool // by two bytes
	for key := range s.forms {
		begins[uint16(key)] = true
	}
	for at := 0; at+keyBytes <= len(text); at++ {
		if !begins[binary.LittleEndian.Uint16(text[at:])] {
			continue
		}
		for _, form := range s.forms[binary.LittleEndian.Uint64(text[at:])] {
			if bytes.HasPrefix(text[at:], []byte(form.text)) && !slices.Contains(found, form.secret) {
				found = append(found, form.secret)
			}
		}
	}
	return found
}

// hasPublicID reports whether the text contains a public ID of the credentials, or no public ID exists.
func (s *Secrets) hasPublicID(text []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ids) == 0 || slices.ContainsFunc(s.ids, func(id string) bool { return bytes.Contains(text, []byte(id)) })
}

// CheckLeaks searches the stack's output and files for secrets. Run does so when a stack ends, and Main for the shared
// stack.
func (p *Stack) CheckLeaks(t *testing.T) {
	t.Helper()
	if err := p.findLeaks(); err != nil {
		t.Error(err)
	}
}

// findLeaks searches the stack's output and files for secrets, except for the files of the admin's key, the registry's
// password and the demo's token, the secrets of the stack in Secrets Manager, and the outbox with its links.
func (p *Stack) findLeaks() error {
	files, err := p.dataFiles()
	if err != nil {
		return err
	}
	files["the output"] = []byte(p.Log.String())
	if info := files["stack.json"]; info != nil { // `make invoke` reads the control token there
		files["stack.json"] = bytes.ReplaceAll(info, []byte(p.Info.Control), nil)
	}
	var leaks []error
	for name, text := range files {
		leaks = append(leaks, p.Secrets.leaksIn(name, text))
	}
	return errors.Join(leaks...)
}

func (s *Secrets) leaksIn(name string, text []byte) error {
	var leaks []error
	for _, secret := range s.FoundIn(text) {
		leaks = append(leaks, fmt.Errorf("%s contains the secret %q", name, secret))
	}
	return errors.Join(leaks...)
}

// checkCoverage checks that the search would find credentials in the database and in the log: if tests have used any,
// both have public IDs.
func (p *Stack) checkCoverage() error {
	files, err := p.dataFiles()
	places := map[string][]byte{"database": slices.Concat(files["dynamodb.db"], files["dynamodb.db-wal"]),
		"log": []byte(p.Log.String())}
	for name, text := range places {
		if !p.Secrets.hasPublicID(text) {
			err = errors.Join(err, fmt.Errorf("the %s contains no public ID, so the search did not cover it", name))
		}
	}
	return err
}

// CheckNotIn checks that a text contains no secret.
func (s *Secrets) CheckNotIn(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := s.leaksIn(name, text); err != nil {
		t.Error(err)
	}
}

// CheckNoLeak checks that what a customer sees contains neither the upstream's address nor a secret, not even the
// customer's own.
func (p *Stack) CheckNoLeak(t *testing.T, what string, text []byte) {
	t.Helper()
	p.Secrets.CheckNotIn(t, what, text)
	text = bytes.ReplaceAll(text, []byte("sha256:"), []byte("sha256 ")) // a digest may begin like a port
	for _, address := range []string{p.Info.Registry, p.Info.ECR} {
		port := address[strings.LastIndex(address, ":"):]
		if regexp.MustCompile(`[\w.\]]` + port + `\b`).Match(text) { // a number in JSON follows a quote and a colon
			t.Errorf("%s contains the upstream's address %s: %s", what, address, text)
		}
	}
}

// SendOCI sends a request and checks the properties of every response of the registry.
func (p *Stack) SendOCI(c Client, method, target string) Response {
	c.t.Helper()
	a, err := c.Send(method, target, "")
	if err != nil {
		c.t.Fatal(err)
	}
	p.CheckNoLeak(c.t, a.Request(), HeaderAndBody(a))
	checkRequestID(c.t, a)
	a.WantHeader("Docker-Distribution-Api-Version", "registry/2.0")
	if a.Status == http.StatusUnauthorized {
		realm := strconv.Quote(p.Info.API + "/v2/token")
		a.Header.Set("WWW-Authenticate", strings.Replace(a.Header.Get("WWW-Authenticate"), `,error="invalid_token"`, "", 1)) // after Bearer
		a.WantHeader("WWW-Authenticate", "Bearer realm="+realm+",service="+strconv.Quote(p.Host())+", Basic realm="+realm)
	}
	if a.Status >= http.StatusBadRequest && method != http.MethodHead {
		a.WantRegistryError()
	}
	return a
}

// HeaderAndBody returns the header and body of a response as sent.
func HeaderAndBody(a Response) []byte {
	var all bytes.Buffer
	_ = a.Header.Write(&all)
	all.Write(a.Body)
	return all.Bytes()
}

// dataFiles returns the files of the data folder that must not contain secrets.
func (p *Stack) dataFiles() (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(p.Data), ".", func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // a running engine has removed the folder
			return nil
		}
		if err != nil || name == "outbox" {
			return cmp.Or(err, fs.SkipDir)
		}
		isKept := strings.HasPrefix(name, "secrets/portside-") // Secrets Manager has the secrets of the stack
		if !entry.Type().IsRegular() || isKept ||
			slices.Contains([]string{"admin-key", "registry-password", "demo-token"}, name) {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(p.Data, name))
		if errors.Is(err, fs.ErrNotExist) { // a running engine has removed the file
			return nil
		}
		files[name] = text
		return err
	})
	for _, needed := range []string{"dynamodb.db", "logs/dynamodb.log", "logs/s3.log"} {
		if _, there := files[needed]; !there && err == nil {
			err = fmt.Errorf("the data folder has no %s", needed)
		}
	}
	return files, err
}
