package stack

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"portside/local/stack/services"
)

// Banner lists the stack's addresses, with commands to paste into a shell in the repository's
// folder.
func (s *Stack) Banner() string {
	i := s.info
	registry, password := strings.TrimPrefix(i.Registry, "http://"), services.RegistryPasswordFile(s.folder.Path)
	login := "docker login -u AWS --password-stdin " + registry + " < " + s.folder.Relative(password)
	note := ""
	if s.options.BuildEngines {
		note = " (being built)" // then an engine answers only when it is built
	}
	lines := []string{
		"",
		"Portside is ready in " + formatDuration(time.Since(s.startedAt)),
		"  Portal     " + cmp.Or(s.signInLink, i.Portal+"/portal/"),
		"  API        " + i.API,
		"  Docs       " + i.API + "/docs",
		"  Mail       " + i.API + "/_local/outbox",
		"  All        " + i.API + "/_local/",
		"  Data       " + s.folder.Relative(s.folder.Path),
		"  DynamoDB   " + i.DynamoDB,
		"  S3         " + i.S3 + note,
		"  Registry   " + registry + note + ", push after: " + login,
		"",
	}
	if s.options.KeepLog {
		log := "  Log        " + s.folder.Relative(s.options.LogFile()) + ", with the lines of the functions; LOGS=json shows all here"
		lines = slices.Insert(lines, len(lines)-1, log)
	}
	if _, err := os.Stat(s.options.KeyFile()); err == nil {
		lines = append(lines,
			"Try:  curl -s -H \"X-API-Key: $(cat "+s.folder.Relative(s.options.KeyFile())+")\" "+i.API+"/v1/users", "")
	}
	return strings.Join(append(lines, "Press Ctrl-C to stop. The data is kept."), "\n")
}

// formatDuration formats a duration in milliseconds or, from 10 seconds on, in tenths of seconds.
func formatDuration(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
