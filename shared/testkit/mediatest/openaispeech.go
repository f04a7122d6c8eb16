package mediatest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// recordingExtensions are the file name extensions that the service accepts.
var recordingExtensions = []string{".flac", ".mp3", ".mp4", ".mpeg", ".mpga", ".m4a", ".ogg", ".wav", ".webm"}

// transcribe checks a form and returns Speech.
func (s *OpenAI) transcribe(r *http.Request, b Behavior) (any, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return nil, fmt.Errorf("the content type is %q", kind)
	}
	form, err := readForm(multipart.NewReader(r.Body, params["boundary"]))
	if err != nil {
		return nil, err
	}
	if err := checkSpeech(form, s.Model); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.Forms = append(s.Forms, form)
	speech := s.Speech
	s.mu.Unlock()
	if format := form["response_format"]; slices.Contains(b.Unsupported, format) {
		return nil, &unsupported{"response_format", "response_format '" + format + "' is not compatible with this model"}
	}
	return speechResponse(speech, form["response_format"])
}

// readForm reads the fields of a form. Each field may occur only once.
func readForm(reader *multipart.Reader) (map[string]string, error) {
	form := map[string]string{}
	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		name := part.FormName()
		if _, isSet := form[name]; isSet {
			return nil, fmt.Errorf("the field %s occurs twice", name)
		}
		form[name] = string(content)
		if name == "file" {
			form["file name"] = part.FileName()
		}
	}
}

var language = regexp.MustCompile(`^[a-z]{2}$`)

func checkSpeech(form map[string]string, model string) error {
	for name := range form {
		if !slices.Contains([]string{"file", "file name", "model", "language", "prompt", "response_format", "temperature"},
			name) {
			return fmt.Errorf("the field %q is not known", name)
		}
	}
	temperature, err := strconv.ParseFloat(form["temperature"], 64)
	lang, hasLang := form["language"]
	switch {
	case form["file"] == "":
		return errors.New("there is no file")
	case !slices.Contains(recordingExtensions, path.Ext(form["file name"])):
		return fmt.Errorf("the name of the file is %q", form["file name"])
	case form["model"] != model:
		return fmt.Errorf("the model is %q", form["model"])
	case hasLang && !language.MatchString(lang):
		return fmt.Errorf("the language is %q", lang)
	case err != nil || temperature < 0 || temperature > 1:
		return errors.New("the temperature is not a number from 0 to 1")
	case !slices.Contains([]string{"json", "verbose_json"}, form["response_format"]):
		return fmt.Errorf("the response format is %q", form["response_format"])
	case !utf8.ValidString(form["prompt"]):
		return errors.New("the prompt is not UTF-8")
	}
	return nil
}

// speechResponse returns the speech in the requested format.
func speechResponse(speech, format string) (any, error) {
	var all map[string]any
	if err := json.Unmarshal([]byte(speech), &all); err != nil {
		return nil, fmt.Errorf("the test's speech: %w", err)
	}
	if format == "json" {
		return map[string]any{"text": all["text"],
			"usage": map[string]any{"type": "tokens", "input_tokens": 14, "output_tokens": 3}}, nil
	}
	return all, nil
}
