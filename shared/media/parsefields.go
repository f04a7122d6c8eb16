package media

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/lazyregexp"
	"portside/documents/schema"
	"portside/shared/core/fault"
)

// ModelField is the form field that contains all settings as JSON.
const ModelField = "model"

// ParseFields returns the question that the fields of a form ask, without its file fields. If there
// is a field model, all other fields are ignored. The error reports all failures at once, with
// pointers such as "/length" and "/model/variables/total/type".
func ParseFields(task Task, fields map[string]string) (Question, error) {
	p := newQuestionParser(task)
	if model, ok := fields[ModelField]; ok {
		p.parseModel([]byte(model))
		return p.result()
	}
	setters := p.setters()
	variables := map[int]answers.Variable{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch set, isKnown := setters[name]; {
		case isKnown:
			set("/"+name, fields[name])
		case !p.collectVariable(variables, name, fields[name]):
			p.fail(Pointer(name), "is not a known field; %s", knownFormFields(setters, p.question.Task))
		}
	}
	for _, n := range slices.Sorted(maps.Keys(variables)) {
		prefix := fmt.Sprintf("/variable%d_", n)
		p.addVariable(variablePointers{prefix + "name", prefix}, variables[n])
	}
	return p.result()
}

// knownFormFields returns a sentence with the fields of a form except its files.
func knownFormFields(setters map[string]func(pointer, text string), task Task) string {
	names := strings.Join(slices.Sorted(maps.Keys(setters)), ", ")
	if task == Summarize {
		return "known are " + names
	}
	return fmt.Sprintf("known are %s, variable1_name to variable%d_name, and _type and _description of each", names, MaxVariables)
}

// Pointer returns the RFC 6901 pointer to a form field.
func Pointer(field string) string { return "/" + escapePointer(field) }

func escapePointer(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }

// questionParser collects a question and the failures of its settings.
type questionParser struct {
	question Question
	schemaAt string // the pointer to the schema
	failures []fault.Field
}

func newQuestionParser(task Task) *questionParser {
	return &questionParser{question: Question{Task: task, Shape: answers.AsParagraph, Length: answers.Medium}}
}

func (p *questionParser) fail(pointer, format string, args ...any) {
	p.failures = append(p.failures, fault.Field{Pointer: pointer, Detail: fmt.Sprintf(format, args...)})
}

// result returns the question, or all failures ordered by pointer.
func (p *questionParser) result() (Question, error) {
	if p.question.Schema != nil && len(p.question.Variables) > 0 {
		p.fail(p.schemaAt, "must not be sent together with variables")
	}
	if len(p.failures) > 0 {
		slices.SortStableFunc(p.failures, func(a, b fault.Field) int { return strings.Compare(a.Pointer, b.Pointer) })
		return Question{}, fault.Invalid(p.failures...)
	}
	return p.question, nil
}

// setters returns the settings of the task that are one string each, by name.
func (p *questionParser) setters() map[string]func(pointer, text string) {
	setters := map[string]func(pointer, text string){"lang": p.setLang, minConfidenceField: p.setMinConfidence}
	switch p.question.Task {
	case Summarize:
		setters["format"], setters["length"], setters["summary_hint"] = p.setShape, p.setLength, p.setHint
		delete(setters, minConfidenceField)
	case Compare:
		setters["prompt"], setters[schemaField] = p.setPrompt, p.setSchema
	case Extract:
		setters[schemaField] = p.setSchema
	}
	return setters
}

func (p *questionParser) setShape(pointer, text string) {
	p.question.Shape = answers.Shape(text)
	if p.question.Shape != answers.AsParagraph && p.question.Shape != answers.AsBullets {
		p.fail(pointer, "must be paragraph or bullet")
	}
}

func (p *questionParser) setLength(pointer, text string) {
	p.question.Length = answers.Length(text)
	if !slices.Contains([]answers.Length{answers.Short, answers.Medium, answers.Long}, p.question.Length) {
		p.fail(pointer, "must be short, medium or long")
	}
}

func (p *questionParser) setLang(pointer, text string) {
	p.question.Lang = answers.Lang(text)
	if !slices.Contains(answers.Langs(), p.question.Lang) {
		p.fail(pointer, "must be one of en, es, pt, fr, de, it, nl, sv, pl, ro")
	}
}

// minConfidenceField is the setting with the least confidence of a value: a number in a model, digits in a form field.
const minConfidenceField = "minConfidence"

func (p *questionParser) setMinConfidence(pointer, text string) {
	var n float64
	if json.Unmarshal([]byte(text), &n) != nil || n <= 0 || n > 1 {
		p.fail(pointer, "must be a number more than 0 and at most 1, such as 0.9")
		return
	}
	p.question.MinConfidence = n
}

// schemaField is the setting with the JSON Schema of an answer: an object in a model, its text in a form field.
const schemaField = "schema"

func (p *questionParser) setSchema(pointer, text string) {
	p.schemaAt = pointer
	_, err := schema.NewPlan([]byte(text))
	for _, problem := range schema.Problems(err) {
		at := pointer + problem.Place
		if problem.Keyword != "" {
			at += Pointer(problem.Keyword)
		}
		p.fail(at, "%s", problem.Reason)
	}
	if err == nil {
		p.question.Schema = json.RawMessage(text)
	}
}

func (p *questionParser) setHint(pointer, text string) {
	p.question.Hint = p.cleanText(pointer, text, MaxHintChars)
}

func (p *questionParser) setPrompt(pointer, text string) {
	p.question.Prompt = p.cleanText(pointer, text, MaxPromptChars)
}

// cleanText checks free text and returns it without control characters other than line breaks.
func (p *questionParser) cleanText(pointer, text string, maxChars int) string {
	switch {
	case !utf8.ValidString(text):
		p.fail(pointer, "must be UTF-8")
	case utf8.RuneCountInString(text) > maxChars:
		p.fail(pointer, "must have at most %d characters", maxChars)
	}
	return documents.Clean(text)
}

var variableField = lazyregexp.New(`^variable([1-9][0-9]{0,2})_(name|type|description)$`)

// collectVariable sets one part of a variable from a field such as variable7_name. It returns false
// if the task has no such field. The numbers need not be consecutive.
func (p *questionParser) collectVariable(variables map[int]answers.Variable, name, text string) bool {
	match := variableField().FindStringSubmatch(name)
	if match == nil || p.question.Task == Summarize {
		return false
	}
	n, err := strconv.Atoi(match[1])
	if err != nil || n > MaxVariables {
		return false
	}
	v := variables[n]
	switch match[2] {
	case "name":
		v.Name = text
	case "type":
		v.Type = answers.Type(text)
	case "description":
		v.Description = text
	}
	variables[n] = v
	return true
}

// variablePointers locate a variable in the request: its name, and the prefix of the pointers to
// its other parts. In a model, the name is the key of the whole variable.
type variablePointers struct{ name, prefix string }

// addVariable validates a variable and adds it. The last variable of a name wins.
func (p *questionParser) addVariable(at variablePointers, v answers.Variable) {
	if !isVariableName(v.Name) {
		p.fail(at.name, "must be a name of 1 to %d characters that has more than spaces and no control characters", MaxNameChars)
	}
	if !slices.Contains([]answers.Type{answers.String, answers.Number, answers.Date, answers.Boolean}, v.Type) {
		p.fail(at.prefix+"type", "must be string, number, date or boolean")
	}
	v.Description = p.cleanText(at.prefix+"description", v.Description, MaxDescriptionChars)
	hasName := func(other answers.Variable) bool { return other.Name == v.Name }
	if known := slices.IndexFunc(p.question.Variables, hasName); known >= 0 {
		p.question.Variables[known] = v
		return
	}
	p.question.Variables = append(p.question.Variables, v)
}

func isVariableName(text string) bool {
	return strings.TrimSpace(text) != "" && utf8.RuneCountInString(text) <= MaxNameChars &&
		!strings.ContainsFunc(text, unicode.IsControl) && utf8.ValidString(text)
}

func (p *questionParser) setKeywords(pointer string, words []string) {
	if len(words) > MaxKeywords {
		p.fail(pointer, "must have at most %d keywords", MaxKeywords)
		return
	}
	for i, word := range words {
		if word = documents.Clean(word); word == "" || utf8.RuneCountInString(word) > MaxKeywordChars {
			p.fail(fmt.Sprintf("%s/%d", pointer, i), "must have 1 to %d characters", MaxKeywordChars)
			continue
		}
		p.question.Keywords = append(p.question.Keywords, word)
	}
}
