package stack

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Banner lists the stack's addresses, with commands to paste into a shell in the repository's
// folder.
func (s *Stack) Banner() string {
	i := s.info
	registry := strings.TrimPrefix(i.Registry, "http://")
	lines := []string{
		"",
		"Portside is ready in " + formatDuration(time.Since(s.startedAt)),
		"  Portal     " + cmp.Or(s.signInLink, i.Portal+"/portal/"),
		"  API        " + i.API,
		"  Docs       " + i.API + "/docs",
		"  Mail       " + i.API + "/_local/outbox",
		"  All        " + i.API + "/_local/",
		"  Data       " + s.relative(s.options.DataDir),
		"  DynamoDB   " + i.DynamoDB,
		"  S3         " + i.S3 + s.buildNote(),
		"  Registry   " + registry + s.buildNote() + ", push after: " + s.loginCommand(registry),
		"",
	}
	if s.options.KeepLog {
		log := "  Log        " + s.relative(s.options.LogFile()) + ", with the lines of the functions; LOGS=json shows all here"
		lines = slices.Insert(lines, len(lines)-1, log)
	}
	if _, err := os.Stat(s.KeyFile()); err == nil {
		lines = append(lines,
			"Try:  curl -s -H \"X-API-Key: $(cat "+s.relative(s.KeyFile())+")\" "+i.API+"/v1/users", "")
	}
	return strings.Join(append(lines, "Press Ctrl-C to stop. The data is kept."), "\n")
}

// buildNote marks an engine that answers only when it is built.
func (s *Stack) buildNote() string {
	if s.engines == nil {
		return ""
	}
	return " (being built)"
}

// formatDuration formats a duration in milliseconds or, from 10 seconds on, in tenths of seconds.
func formatDuration(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// relative returns a path relative to the repository, where make runs, quoted for a shell if
// necessary.
func (s *Stack) relative(path string) string {
	if short, err := filepath.Rel(s.options.RepoDir, path); err == nil && filepath.IsLocal(short) {
		path = short
	}
	if strings.ContainsFunc(path, needsQuoting) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

func needsQuoting(r rune) bool {
	return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:=@%,", r)
}
