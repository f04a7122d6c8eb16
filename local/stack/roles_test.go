package stack_test

import (
	"bytes"
	"strings"
	"testing"

	"portside/testclient"
)

// A function that lacks a permission fails as on AWS, and the log says which statement to add.
func TestRolesLimitFunctions(t *testing.T) {
	o := options(repo(t))
	s := start(t, o)
	api, log := s.Info().API, o.Log.(*testclient.Log)
	perform(t, api, step{"PUT", "/notes/1", "first", 204, ""})
	change(t, o.RepoDir, func(template []byte) []byte {
		return bytes.Replace(template, []byte("[dynamodb:GetItem, dynamodb:PutItem]"), []byte("dynamodb:GetItem"), 1)
	})
	await(t, "the new template", func() bool { return strings.Contains(log.String(), "the changes are applied") })
	perform(t, api, step{"PUT", "/notes/2", "second", 500, ""}, step{"GET", "/notes/1", "", 200, "first"})
	const line = "access denied: NotesFunctionRole in template.yaml does not allow dynamodb:PutItem on " +
		"arn:aws:dynamodb:us-east-1:000000000000:table/portside-NotesTable with dynamodb:LeadingKeys = 2\n"
	if n := strings.Count(log.String(), line); n != 1 {
		t.Errorf("logged %d times: %s\n%s", n, line, log)
	}
}
