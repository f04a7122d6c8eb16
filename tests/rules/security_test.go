package rules_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSecurityDocumentNamesStoredMedia compares docs/security.md with the prefixes of the media bucket in the template,
// and with the quota of posted files.
//
//proves:docs/security.md
func TestSecurityDocumentNamesStoredMedia(t *testing.T) {
	document := readText(t, "docs", "security.md")
	prefixes := regexp.MustCompile(`\$\{MediaBucket\.Arn\}/(\w+/)\*`).
		FindAllStringSubmatch(readText(t, "template.yaml"), -1)
	if len(prefixes) == 0 {
		t.Fatal("template.yaml has no prefix of the media bucket")
	}
	for _, match := range prefixes {
		if !strings.Contains(document, "\n| `"+match[1]+"` | ") {
			t.Errorf("docs/security.md does not say what the media bucket has in %s", match[1])
		}
	}
	quota := regexp.MustCompile(`maxStored = (\d)_(\d{3})\n`).
		FindStringSubmatch(readText(t, "shared", "media", "medias3", "forms.go"))
	if quota == nil {
		t.Fatal("forms.go has no maxStored")
	}
	for _, name := range []string{"security.md", "media.md"} {
		if !regexp.MustCompile(`\s` + quota[1] + "," + quota[2] + `\s+(posted )?files`).
			MatchString(readText(t, "docs", name)) {
			t.Errorf("docs/%s does not name the quota of %s,%s files", name, quota[1], quota[2])
		}
	}
}

// TestSecurityDocumentNamesWhatFunctionsChange compares the table of docs/security.md with the list of all permissions,
// apart from what many functions may do: add audit events, count requests and keep events that failed.
//
//proves:docs/security.md
func TestSecurityDocumentNamesWhatFunctionsChange(t *testing.T) {
	document, list := readText(t, "docs", "security.md"), readText(t, ".ci", "permissions.txt")
	changes, deletions := readChanges(list)
	rows := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (\\w+) \\| ((?:`[\\w/.]+`(?:, )?)+) \\| [^|]*\\|$").
		FindAllStringSubmatch(document, -1) {
		rows[row[1]] = row[2]
	}
	for function, all := range changes {
		if want := "`" + strings.Join(slices.Sorted(maps.Keys(all)), "`, `") + "`"; rows[function] != want {
			t.Errorf("%s may change %s; docs/security.md says %s", function, want, rows[function])
		}
		delete(rows, function)
	}
	if len(rows) > 0 || len(changes) < 15 {
		t.Errorf("%d functions change something, and these do not: %v", len(changes), rows)
	}
	want := []string{"ChartsBucket/charts/", "MediaBucket/jobs/", "MediaBucket/open/", "MediaBucket/transcriptions/"}
	if got := slices.Sorted(maps.Keys(deletions)); !slices.Equal(got, want) {
		t.Errorf("functions may delete objects in %q, want %q", got, want)
	}
	sending, limited := strings.Count(list, "ses:SendEmail\n"),
		strings.Count(list, "if StringEquals ses:FromAddress ${MailFrom}\n")
	if sending < 5 || sending != limited {
		t.Errorf("%d statements permit mails, %d of them only from MailFrom", sending, limited)
	}
}

// readChanges returns what each function may change: tables, prefixes of buckets, and services whose actions are
// neither. deletions are the prefixes where any function may delete objects.
func readChanges(permissions string) (changes map[string]map[string]bool, deletions map[string]bool) {
	reads := regexp.MustCompile(`^(?:logs:.*|\w+:(?:Get|BatchGet|BatchCheck|Query|ConditionCheck|List|Describe)\w*)(?: \(if \w+\))?$`)
	changes, deletions = map[string]map[string]bool{}, map[string]bool{}
	function, actions := "", []string(nil)
	for line := range strings.Lines(permissions) {
		line = strings.TrimSuffix(line, "\n")
		name, isRole := strings.CutSuffix(line, "FunctionRole")
		switch {
		case isRole:
			function = name
		case line != "" && line[0] != ' ':
			function = "" // a policy of a bucket, or a role of AWS
		case strings.HasPrefix(line, "  Allow "):
			actions = slices.DeleteFunc(strings.Split(line[len("  Allow "):], ", "), reads.MatchString)
		case function != "" && len(actions) > 0 && strings.HasPrefix(line, "    on "):
			what := resourceOf(actions[0], line)
			if strings.Contains(strings.Join(actions, " "), "s3:Delete") {
				deletions[what] = true
			}
			if what == "AuditTable" || what == "RequestCountsTable" || what == "FailedEventsBucket/" {
				continue
			}
			if changes[function] == nil {
				changes[function] = map[string]bool{}
			}
			changes[function][what] = true
		}
	}
	return changes, deletions
}

// resourceOf returns the table or the prefix of a bucket in a line of a statement, or else the service of an action.
func resourceOf(action, line string) string {
	for _, resource := range []string{`-(\w+Table)\b()`, `\$\{(\w+Table)\.Arn\}()`, `\$\{(\w+Bucket)\.Arn\}(/[\w/.]*)`} {
		if match := regexp.MustCompile(resource).FindStringSubmatch(line); match != nil {
			return match[1] + match[2]
		}
	}
	service, _, _ := strings.Cut(action, ":")
	return service
}

func readText(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.Join(path...)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
