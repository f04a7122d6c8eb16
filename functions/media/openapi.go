package main

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/media"
	"portside/shared/web"
)

var (
	summarizeMedia = fileOperation(huma.Operation{
		OperationID: "summarizeMedia", Summary: "Summarize a file",
		RequestBody: web.FormBody("A file, and the settings of the summary.", formSchema(media.Summarize)),
	}, "SummaryAnswer")
	extractMedia = fileOperation(huma.Operation{
		OperationID: "extractMedia", Summary: "Extract values from a file",
		RequestBody: web.FormBody("A file, and the variables to extract.", formSchema(media.Extract)),
	}, "ExtractionAnswer")
	compareMedia = fileOperation(huma.Operation{
		OperationID: "compareMedia", Summary: "Compare two files",
		RequestBody: web.FormBody("Two files, and the variables to compare.", formSchema(media.Compare)),
	}, "ComparisonAnswer")
	compareMediaAlias = fileOperation(huma.Operation{
		OperationID: "compareMediaAlias", Summary: "Compare two files (older path)",
		Deprecated: true, Middlewares: huma.Middlewares{sayDeprecated},
		RequestBody: web.FormBody("Two files, and the variables to compare.", formSchema(media.Compare)),
	}, "ComparisonAnswer")
)

// deprecatedSince is when the older path became deprecated: 27 November 2026.
const deprecatedSince = "@1795737600"

// sayDeprecated adds the headers of a deprecated operation (RFC 9745, RFC 5829) to its responses.
func sayDeprecated(ctx huma.Context, next func(huma.Context)) {
	ctx.SetHeader("Deprecation", deprecatedSince)
	ctx.SetHeader("Link", `</v1/capabilities/compare/media>; rel="successor-version"`)
	next(ctx)
}

// fileOperation completes an operation on files. Its response with 200 has the schema answer.
func fileOperation(op huma.Operation, answer string) huma.Operation {
	op.Tags = []string{tag}
	op.MaxBodyBytes, op.Metadata = maxFormBytes, asUpload
	op.Description = "The format of a file is detected from its content. Supported formats are text, Markdown, HTML, CSV, JSON, XML, RTF, " +
		"PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, mail, PNG, JPEG, GIF and WebP pictures, and recordings with subtitles. Other " +
		"recordings are supported if the service has a model for them. A request has at most 4.4 MB; for larger files, up to 200 MB, use " +
		"`POST /v1/uploads`. " +
		"Send the settings as form fields, or all of them in the field `model`, as a JSON object; other fields are then ignored. " +
		"For 24 hours, the same files with the same settings get the same answer from a cache of your customer. If the work takes longer than " +
		"25 seconds, the response is 202 and the work continues as a job."
	op.Errors = []int{http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity}
	op.Responses = map[string]*huma.Response{
		"200": {Description: "The answer.", Content: jsonOf(answer)},
		"202": {Description: "A job that will have the answer. Location is the URL of the job.", Content: jsonOf("Job")},
	}
	return op
}

func jsonOf(schema string) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/" + schema}}}
}

// formSchema returns the schema of a task's form.
func formSchema(task media.Task) *huma.Schema {
	fields := map[string]*huma.Schema{
		"model": text("All settings as a JSON object. If present, other fields are ignored. It also takes metadata, a list of keywords for the " +
			"transcription of recordings."),
		"lang": choice("Language of the answer. The default is the language of the file.",
			"en", "es", "pt", "fr", "de", "it", "nl", "sv", "pl", "ro"),
	}
	for _, name := range fileFields(task) {
		fields[name] = &huma.Schema{Type: huma.TypeString, Format: "binary", Description: "The file."}
		fields[name+uploadIDSuffix] = text("ID of an upload, in place of the file.")
	}
	if task != media.Compare {
		const limit = " It can be sent up to 20 times; the files are then read in their order, as one document."
		fields[fileField].Description += limit
		fields[fileField+uploadIDSuffix].Description += limit
	}
	switch task {
	case media.Summarize:
		fields["format"] = choice("The default is paragraph.", "paragraph", "bullet")
		fields["length"] = choice("The default is medium.", "short", "medium", "long")
		fields["summary_hint"] = text("What the summary should focus on; at most 1,000 characters.")
	case media.Compare:
		fields["minConfidence"] = leastConfidence()
		fields["prompt"] = text("What the comparison should focus on.")
		fields["schema"] = text("A JSON Schema of the data to extract from each file, in place of variables: as Pydantic and Zod " +
			"write it, with an object at the root, at most 64 KB. Its arrays are rows of tables, which are compared row by row. " +
			"In the field model, it is an object.")
		describeVariables(fields)
	case media.Extract:
		fields["minConfidence"] = leastConfidence()
		fields["schema"] = text("A JSON Schema of extracted_data, in place of variables: as Pydantic and Zod write it, with an object at the " +
			"root, at most 64 KB. Its arrays are rows of tables, or lists. In the field model, it is an object.")
		describeVariables(fields)
	}
	return &huma.Schema{Type: huma.TypeObject, Properties: fields}
}

func describeVariables(fields map[string]*huma.Schema) {
	fields["variable1_name"] = variableName()
	fields["variable1_type"] = choice("Type of the value.", "string", "number", "date", "boolean")
	fields["variable1_description"] = text("What the value is.")
}

// variableName describes a name with a visible character and without control characters.
func variableName() *huma.Schema {
	longest := media.MaxNameChars
	schema := text("Name of the first variable. There are up to 100 variables; their numbers need not be consecutive.")
	schema.MaxLength, schema.Pattern = &longest, `^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$`
	return schema
}

func leastConfidence() *huma.Schema {
	none, all := 0.0, 1.0
	return &huma.Schema{
		Type: huma.TypeNumber, ExclusiveMinimum: &none, Maximum: &all,
		Description: "The least confidence of a value; a value with less is null. By default, the engine decides; the offline engine returns " +
			"values with a probability of at least 0.65.",
	}
}

func text(description string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: description}
}

func choice(description string, values ...any) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: description, Enum: values}
}
