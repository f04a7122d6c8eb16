package resources

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"portside/client"
	"portside/cmd/portside/cli"
)

// maxFormBytes is the largest file that is sent with the request: the limit of 4.4 MB minus the rest of the form.
const maxFormBytes = 4_300_000

// pollInterval is the time between two questions about a job.
const pollInterval = time.Second

// variable is a value to extract, from NAME:TYPE or NAME:TYPE:DESCRIPTION.
type variable struct{ name, kind, description string }

func (a *app) extractCommand() *cobra.Command {
	var texts []string
	c := &cobra.Command{
		Use: "extract FILE --var NAME:TYPE[:DESCRIPTION] …", Short: "extract values from a file", Args: cli.Exactly("the file"),
		Long: `Extracts values from a file of up to 200 MB. Types are string, number, date and boolean. A
value that was not found is empty, and null in JSON.`,
		Example: `  portside extract invoice.pdf --var "total:number:amount to be paid" --var due:date`,
		RunE: func(c *cobra.Command, args []string) error {
			variables, err := parseVariables(texts)
			if err != nil {
				return err
			}
			return a.extract(c.Context(), args[0], variables)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault // files
		},
	}
	c.Flags().StringArrayVar(&texts, "var", nil, "`NAME:TYPE[:DESCRIPTION]` of a value, which can be repeated (required)")
	return a.Printing(c)
}

func parseVariables(texts []string) ([]variable, error) {
	if len(texts) == 0 {
		return nil, cli.UsageError("pass at least one --var NAME:TYPE[:DESCRIPTION]")
	}
	kinds := []string{"string", "number", "date", "boolean"}
	variables := make([]variable, len(texts))
	for i, text := range texts {
		parts := strings.SplitN(text, ":", 3)
		if len(parts) < 2 || parts[0] == "" || !slices.Contains(kinds, parts[1]) {
			return nil, cli.UsageErrorf("--var %q: write NAME:TYPE or NAME:TYPE:DESCRIPTION; the type is string, number, date or boolean", text)
		}
		variables[i] = variable{name: parts[0], kind: parts[1]}
		if len(parts) == 3 {
			variables[i].description = parts[2]
		}
	}
	return variables, nil
}

func (a *app) extract(ctx context.Context, path string, variables []variable) error {
	api, err := a.Connect()
	if err != nil {
		return err
	}
	shown := a.NewProgress()
	defer shown.Finish()
	form, err := formWith(ctx, api, path, shown)
	if err != nil {
		return err
	}
	for i, v := range variables {
		prefix := fmt.Sprintf("variable%d_", i+1)
		form.Set(prefix+"name", v.name)
		form.Set(prefix+"type", v.kind)
		if v.description != "" {
			form.Set(prefix+"description", v.description)
		}
	}
	shown.Show("reading the file")
	answer, err := api.ExtractMedia(ctx, nil, form)
	if started, ok := errors.AsType[*client.JobStartedError](err); ok {
		answer, err = awaitJob(ctx, api, started.JobID, shown)
	}
	if err != nil {
		return err
	}
	shown.Finish()
	return a.printExtraction(answer, variables)
}

// formWith returns a form with the file, or with the ID of its upload if it is large.
func formWith(ctx context.Context, api *client.Client, path string, shown *cli.Progress) (*client.Form, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, cli.UsageErrorf("%s is a folder; give a file", path)
	}
	form := &client.Form{}
	if info.Size() > maxFormBytes {
		id, err := upload(ctx, api, path, shown)
		form.Set("file_upload_id", id)
		return form, err
	}
	content, err := os.ReadFile(path)
	form.SetFile("file", filepath.Base(path), content)
	return form, err
}

// awaitJob asks for a job until it has ended.
func awaitJob(ctx context.Context, api *client.Client, id string, shown *cli.Progress) (answer client.ExtractionAnswer, err error) {
	for {
		job, err := api.GetJob(ctx, id)
		if err != nil {
			return answer, err
		}
		switch {
		case job.Error != nil:
			return answer, fmt.Errorf("%s (%s)", job.Error.Detail, job.Error.Code)
		case job.Status == client.JobStatusSucceeded:
			encoded, err := json.Marshal(job.Result)
			if err == nil {
				err = json.Unmarshal(encoded, &answer)
			}
			return answer, err
		}
		shown.Show("reading the file: %.0f %%", 100*job.Progress)
		timer := time.NewTimer(pollInterval)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return answer, ctx.Err()
		}
	}
}

// extracted is a value in the table.
type extracted struct {
	name  string
	value any
}

func (a *app) printExtraction(answer client.ExtractionAnswer, variables []variable) error {
	if a.Format.JSON {
		return cli.PrintOne[client.ExtractionAnswer](a.App, nil, answer)
	}
	for _, warning := range answer.Warnings {
		a.Report("warning: %s", cli.Printable(warning))
	}
	values := make([]extracted, len(variables))
	for i, v := range variables {
		values[i] = extracted{v.name, answer.ExtractedData[v.name]}
	}
	return cli.PrintList(a.App, []cli.Column[extracted]{
		cli.Field("name", "NAME", func(e extracted) any { return e.name }),
		cli.Field("value", "VALUE", func(e extracted) any { return e.value }),
	}, cli.Each(values))
}
