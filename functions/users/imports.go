package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/users"
	"portside/shared/users/usersfile"
	"portside/shared/web"
)

// Limits of an import. A request must end before the function's timeout.
const (
	maxImportTextBytes = 1_500_000
	maxImportBodyBytes = 2 * maxImportTextBytes // JSON escapes line ends and quotes
	maxImportRows      = 250
	maxDryRunRows      = 10_000
	// maxReportBytes limits the report of a dry run, because Lambda takes 6 MiB of JSON. The body of a response is a
	// string there, so quotes and backslashes are escaped twice. The report of maxImportRows rows is always shorter.
	maxReportBytes = 6_000_000
)

const importHint = "Import a longer file in pieces, or with the command `portside import-users`."

type importUsersInput struct {
	Body struct {
		Format              usersfile.Format `json:"format" enum:"csv,jsonl" doc:"csv: with a header, separated by commas or semicolons. jsonl: one JSON object per line." example:"csv"`
		Text                string           `json:"text" doc:"The file, at most 1.5 MB." example:"email,name,role\nada@example.com,Ada Lovelace,user\n"`
		DryRun              bool             `json:"dryRun,omitempty" doc:"Only reports what an import would do."`
		SendActivationEmail bool             `json:"sendActivationEmail,omitempty" doc:"Whether to send activation mails to users whose row does not set sendActivationEmail."`
	}
	host string
}

// Resolve implements huma.Resolver. It records the host, which the links in mails need, and checks the size of the text
// in bytes.
func (in *importUsersInput) Resolve(ctx huma.Context) []error {
	in.host = ctx.Host()
	if len(in.Body.Text) > maxImportTextBytes {
		return web.Failures([]fault.Field{{Pointer: "/text", Detail: "must have at most 1.5 MB. " + importHint}})
	}
	return nil
}

// ImportedRow is the result of one row.
type ImportedRow struct {
	Line    int      `json:"line" doc:"First line of the row in the file, from 1." example:"2"`
	Status  string   `json:"status" enum:"ready,created,existing,failed" doc:"ready: the row can be imported (dry run only). existing: a user already has the address and is not changed." example:"created"`
	Email   string   `json:"email" doc:"As in the file, without invisible characters; empty if the row cannot be read." example:"ada@example.com"`
	Name    string   `json:"name" doc:"As in the file, without invisible characters." example:"Ada Lovelace"`
	Role    string   `json:"role" doc:"As in the file, without invisible characters." example:"user"`
	UserID  string   `json:"userId,omitempty" format:"uuid" doc:"ID of the new user; only if status is created." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Reasons []string `json:"reasons" doc:"Why the row failed; empty for other statuses." example:"[]"`
	Source  string   `json:"source,omitempty" doc:"The row as a line of JSON Lines, for a later import; only if status is ready." example:"{\"email\":\"ada@example.com\",\"name\":\"Ada Lovelace\",\"role\":\"user\",\"sendActivationEmail\":false}"`
}

// The statuses of a row.
const (
	rowReady    = "ready"
	rowCreated  = "created"
	rowExisting = "existing"
	rowFailed   = "failed"
)

// importReport is the result of an import.
type importReport struct {
	Ready    int           `json:"ready" doc:"Number of rows with this status." example:"0"`
	Created  int           `json:"created" doc:"Number of rows with this status." example:"118"`
	Existing int           `json:"existing" doc:"Number of rows with this status." example:"2"`
	Failed   int           `json:"failed" doc:"Number of rows with this status." example:"1"`
	Rows     []ImportedRow `json:"rows" doc:"All rows, in the order of the file."`
}

type importUsersOutput struct {
	Body struct {
		Data importReport `json:"data"`
	}
}

var importUsers = huma.Operation{
	OperationID: "importUsers", Tags: []string{"Users"},
	Summary: "Import users from a file", MaxBodyBytes: maxImportBodyBytes,
	Metadata: map[string]any{web.TooLargeHint: importHint},
	Description: "Creates the users of a CSV file with a header, or of a file with one JSON object per line. The columns or keys are " +
		"`email`, `name` and `role`, and optionally `customerId` (the ID of the customer; empty for the vendor's staff, or for your " +
		"own customer if you have one), `department`, `metadata` (a JSON object) and `sendActivationEmail`.\n\n" +
		"With `dryRun`, the response says what an import would do, without creating users; such a file can have 10,000 rows. " +
		"All dry runs of a customer, or of one of the vendor's staff, check at most 20,000 rows per day (UTC), and all imports as many; " +
		"above that, the response is a 429 with the code `QUOTA_EXCEEDED`. If the report would have more than 6 MB, the response is a 400; " +
		"split the file then. " +
		"Without it, a request takes 250 rows. Import a longer file in pieces: each row of a dry run that can be imported has its " +
		"JSON line in `source`.\n\n" +
		"A row that fails does not stop the import. Existing users are not changed, so you can safely repeat a request. " +
		"Mails are sent within minutes, in batches. A row above the daily number of invitations fails, and its reason names the limit: " +
		"import it again on the next day, or without an invitation. You cannot " +
		"create a user whose role has more permissions than yours.",
	Errors: web.BodyErrors(),
}

func (s *service) importFile(ctx context.Context, in *importUsersInput) (*importUsersOutput, error) {
	limit := maxImportRows
	if in.Body.DryRun {
		limit = maxDryRunRows
	}
	rows, err := readRows(in, limit)
	if err != nil {
		return nil, fault.Invalid(fault.Field{Pointer: "/text", Detail: err.Error()})
	}
	outcomes, err := s.runImport(ctx, in, parsedUsers(rows))
	if err != nil {
		return nil, err
	}
	out := &importUsersOutput{}
	out.Body.Data.Rows = make([]ImportedRow, 0, len(rows))
	for _, row := range rows {
		outcome := users.Outcome{Err: row.Err}
		if row.Err == nil {
			outcome, outcomes = outcomes[0], outcomes[1:]
		}
		if err := out.Body.Data.add(row, outcome); err != nil {
			return nil, err
		}
	}
	return out, out.Body.Data.checkSize()
}

// readRows reads the file. Rows that cannot be parsed have an error.
func readRows(in *importUsersInput, limit int) ([]usersfile.Row, error) {
	defaults := usersfile.Defaults{ActivationEmail: in.Body.SendActivationEmail}
	reader, err := usersfile.New(in.Body.Format, strings.NewReader(in.Body.Text), defaults)
	if err != nil {
		return nil, err
	}
	var rows []usersfile.Row
	for {
		row, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		if len(rows) == limit {
			return nil, fmt.Errorf("must have at most %d rows. %s", limit, importHint)
		}
		rows = append(rows, row)
	}
}

// parsedUsers returns the users of the rows that could be parsed.
func parsedUsers(rows []usersfile.Row) []users.NewUser {
	all := make([]users.NewUser, 0, len(rows))
	for _, row := range rows {
		if row.Err == nil {
			all = append(all, row.User)
		}
	}
	return all
}

// runImport imports the users. For a dry run, it returns the outcomes that an import would have.
func (s *service) runImport(ctx context.Context, in *importUsersInput, all []users.NewUser) ([]users.Outcome, error) {
	caller, _ := principal.From(ctx)
	if !in.Body.DryRun {
		return s.importer.Import(ctx, users.ImportOptions{Caller: caller, BaseURL: web.BaseURL(s.baseURL, in.host)}, all)
	}
	failures, err := s.importer.Preview(ctx, caller, all)
	outcomes := make([]users.Outcome, len(failures))
	for i, failure := range failures {
		outcomes[i].Err = failure
	}
	return outcomes, err
}

// add appends a row to the report and counts it.
func (r *importReport) add(row usersfile.Row, outcome users.Outcome) (err error) {
	imported := ImportedRow{
		Line: row.Line, UserID: outcome.UserID, Reasons: []string{},
		Email: printable(row.User.Email), Name: printable(row.User.Name), Role: printable(string(row.User.Role)),
	}
	switch {
	case errors.Is(outcome.Err, users.ErrEmailTaken):
		imported.Status = rowExisting
		r.Existing++
	case outcome.Err != nil:
		imported.Status, imported.Reasons = rowFailed, usersfile.Reasons(outcome.Err)
		r.Failed++
	case outcome.UserID != "":
		imported.Status = rowCreated
		r.Created++
	default:
		imported.Status = rowReady
		imported.Source, err = usersfile.Line(row.User)
		r.Ready++
	}
	r.Rows = append(r.Rows, imported)
	return err
}

// checkSize returns an error if the report does not fit into a response.
func (r *importReport) checkSize() error {
	body, err := encodeJSON(r)
	if err != nil {
		return err
	}
	payload, err := encodeJSON(body)
	if err == nil && len(payload) > maxReportBytes {
		err = fault.Invalid(fault.Field{Pointer: "/text",
			Detail: "must be split, because its report would have more than 6 MB. " + importHint})
	}
	return err
}

// encodeJSON encodes a value as API responses and the Lambda runtime do.
func encodeJSON(value any) (string, error) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return text.String(), err
}

const maxPrintable = 254 // characters of a value in the report

// printable removes characters that are invisible or change the direction of text, and returns at most maxPrintable
// characters. The report contains values of failed rows, which are not validated.
func printable(text string) string {
	shown := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	if characters := []rune(shown); len(characters) > maxPrintable {
		return string(characters[:maxPrintable])
	}
	return shown
}
