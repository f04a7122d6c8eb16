package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Banner tells where everything is, with a command that works when it is pasted into a shell whose
// working directory is this one.
func (s *Stack) Banner() string {
	i := s.info
	registry := strings.TrimPrefix(i.Registry, "http://")
	lines := []string{
		"",
		"Portside is ready in " + took(time.Since(s.began)),
		"  API        " + i.API,
		"  Docs       " + i.API + "/docs",
		"  Mail       " + i.API + "/_local/outbox",
		"  All        " + i.API + "/_local/",
		"  Data       " + s.relative(s.options.DataDir),
		"  DynamoDB   " + i.DynamoDB,
		"  S3         " + i.S3,
		"  Registry   " + registry + ", push after: " + s.loginCommand(registry),
		"",
	}
	if _, err := os.Stat(s.KeyFile()); err == nil {
		lines = append(lines,
			"Try:  curl -s -H \"X-API-Key: $(cat "+s.relative(s.KeyFile())+")\" "+i.API+"/v1/users", "")
	}
	return strings.Join(append(lines, "Ctrl-C ends everything; the data stay."), "\n")
}

// took has what a user can feel: milliseconds, or tenths of seconds where there was much to build.
func took(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// relative is the path from the repository, which is where make runs, quoted where a shell needs it.
func (s *Stack) relative(path string) string {
	if short, err := filepath.Rel(s.options.RepoDir, path); err == nil && filepath.IsLocal(short) {
		path = short
	}
	if strings.ContainsFunc(path, special) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

func special(r rune) bool {
	return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:=@%,", r)
}
