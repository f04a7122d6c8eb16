package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// The environment variables that take precedence over the stored profile.
const (
	AddressVariable = "PORTSIDE_URL"
	KeyVariable     = "PORTSIDE_KEY"
)

const defaultProfile = "default"

// profile is a deployment and the key for it. Each profile has its own file, so that logins to two deployments at the
// same time lose nothing.
type profile struct {
	Address string `json:"address"`
	Key     string `json:"key"`
}

var profileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// profilePath returns the file of the profile that --profile names.
func (a *App) profilePath() (string, error) {
	name := a.profile
	if name == "" {
		name = defaultProfile
	}
	if !profileName.MatchString(name) {
		return "", UsageError("the name of a profile has up to 64 letters, digits, dots, hyphens and underscores")
	}
	dir, err := a.ConfigDir()
	return filepath.Join(dir, "portside", name+".json"), err
}

// profileNames returns the names of the stored profiles, for completion.
func (a *App) profileNames() []string {
	dir, err := a.ConfigDir()
	if err != nil {
		return nil
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "portside", "[A-Za-z0-9]*.json"))
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = strings.TrimSuffix(filepath.Base(path), ".json")
	}
	return names
}

// target returns the deployment and the key to use. A flag takes precedence over the environment, and the environment
// over the profile.
func (a *App) target() (profile, error) {
	var given profile
	if a.profile == "" {
		var err error
		if given, err = a.fromEnvironment(); err != nil {
			return profile{}, err
		}
	}
	if given.Address != "" {
		address, err := normalAddress(given.Address)
		if err != nil {
			return profile{}, fmt.Errorf("%s: %w", AddressVariable, err)
		}
		given.Address = address
	}
	if given.Address != "" && given.Key != "" {
		return given, nil
	}
	stored, err := a.readProfile()
	if err != nil {
		return profile{}, err
	}
	return given.or(stored)
}

// fromEnvironment returns what the environment sets. An empty key is an error: a script that fails to read a key must
// not act with the stored one.
func (a *App) fromEnvironment() (profile, error) {
	address, _ := a.Lookup(AddressVariable)
	key, isSet := a.Lookup(KeyVariable)
	if isSet && strings.TrimSpace(key) == "" {
		return profile{}, UsageErrorf("%s is set and empty: set it to a key, or unset it to use the stored one", KeyVariable)
	}
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return profile{}, UsageErrorf("%s is not a key: it has spaces, line breaks or letters that are not ASCII", KeyVariable)
	}
	return profile{address, key}, nil
}

// or fills what the environment does not set from the profile. The stored key is only for the stored address: another
// server must not get it.
func (p profile) or(stored profile) (profile, error) {
	switch {
	case p.Address == "":
		p.Address = stored.Address
	case p.Address != stored.Address:
		return profile{}, UsageErrorf("%s is not the address of the profile: also set %s to a key for it", AddressVariable, KeyVariable)
	}
	if p.Key == "" {
		p.Key = stored.Key
	}
	return p, nil
}

func (a *App) readProfile() (profile, error) {
	var p profile
	path, err := a.profilePath()
	if err != nil {
		return p, err
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, a.notLoggedIn()
	}
	if err != nil {
		return p, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return p, fmt.Errorf("other users of this computer can read the key in %s: run `chmod 600` on it, and replace the key", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(text, &p); err != nil || p.Address == "" || p.Key == "" {
		return p, fmt.Errorf("%s is damaged: run `portside login` again", path)
	}
	return p, nil
}

func (a *App) notLoggedIn() error {
	if a.profile != "" {
		return UsageErrorf("there is no profile %q: run `portside login ADDRESS --profile %s`", a.profile, a.profile)
	}
	return UsageErrorf("not logged in: run `portside login ADDRESS`, or set %s and %s", AddressVariable, KeyVariable)
}

// writeProfile replaces the whole file, so that a crash leaves the old one or the new one.
func (a *App) writeProfile(p profile) (path string, err error) {
	path, err = a.profilePath()
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return "", err
	}
	_, err = file.Write(append(text, '\n'))
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return path, nil
}

// normalAddress completes the address of a deployment or its portal. A key is sent without encryption only within this
// computer.
func normalAddress(text string) (string, error) {
	if !strings.Contains(text, "://") {
		text = schemeFor(text) + text
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
		return "", UsageError("the address of a deployment looks like https://portal.example.com")
	}
	parsed.Path, _, _ = strings.Cut(parsed.Path, "/portal")
	switch {
	case parsed.Scheme == "https", parsed.Scheme == "http" && isLoopback(parsed.Hostname()):
		return strings.TrimRight(parsed.String(), "/"), nil
	case parsed.Scheme == "http":
		return "", UsageError("an address with http:// must be on this computer: others could read the key on its way; use https://")
	}
	return "", UsageError("the address of a deployment begins with https://")
}

// schemeFor returns the scheme of an address without one. Only a local stack has no encryption.
func schemeFor(address string) string {
	host, _, _ := strings.Cut(address, "/")
	if name, _, err := net.SplitHostPort(host); err == nil && isLoopback(name) {
		return "http://"
	}
	return "https://"
}

func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}
