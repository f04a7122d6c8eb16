package main

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/media"
)

// onFiles completes an operation on files: what it answers with 200, by the name of its schema, and with 202.
func onFiles(op huma.Operation, answer string) huma.Operation {
	op.Method, op.Tags = http.MethodPost, []string{tag}
	op.MaxBodyBytes, op.Metadata = maxForm, asUpload
	op.Description = "What a file is, is told by its content: text, Markdown, HTML, CSV, JSON, XML, RTF, PDF, Word, PowerPoint, Excel, " +
		"OpenDocument, EPUB, mail, and recordings with subtitles; other recordings, and pictures, where the service has a model for " +
		"them. At most 4.4 MB; send larger ones, up to 200 MB, with `POST /v1/uploads`. Settings are form fields, or all together the " +
		"field `model`, a JSON object; where that is present, other fields are ignored. The same files with the same settings are answered " +
		"from what is kept for 24 hours. Work that takes longer than 25 seconds is answered with 202 and goes on as a job."
	op.Errors = []int{http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity}
	op.Responses = map[string]*huma.Response{
		"200": {Description: "The answer.", Content: jsonOf(answer)},
		"202": {Description: "A job that will have the answer; its address is in Location.", Content: jsonOf("Job")},
	}
	return op
}

func jsonOf(schema string) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/" + schema}}}
}

// formSchema describes the form of a task.
func formSchema(task media.Task) *huma.Schema {
	fields := map[string]*huma.Schema{
		"model": text("All settings as a JSON object; other fields are ignored then. Besides the settings it takes metadata, a list of " +
			"keywords for the transcription of recordings."),
		"lang": choice("Language of the answer; by default that of the file.", "en", "es", "pt", "fr", "de", "it", "nl", "sv", "pl", "ro"),
	}
	for _, name := range fileFields(task) {
		fields[name] = &huma.Schema{Type: huma.TypeString, Format: "binary", Description: "The file."}
		fields[name+uploadID] = text("Id of an upload in place of the file.")
	}
	switch task {
	case media.Summarize:
		fields["format"] = choice("By default paragraph.", "paragraph", "bullet")
		fields["length"] = choice("By default medium.", "short", "medium", "long")
		fields["summary_hint"] = text("What to look at; at most 1,000 characters.")
	case media.Compare:
		fields["prompt"] = text("What to look at when comparing.")
		describeVariables(fields)
	case media.Extract:
		describeVariables(fields)
	}
	return &huma.Schema{Type: huma.TypeObject, Properties: fields}
}

func describeVariables(fields map[string]*huma.Schema) {
	fields["variable1_name"] = text("Name of the first variable; up to variable100_name, gaps are allowed.")
	fields["variable1_type"] = choice("Its type.", "string", "number", "date", "boolean")
	fields["variable1_description"] = text("What it is.")
}

func text(description string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: description}
}

func choice(description string, values ...any) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: description, Enum: values}
}
