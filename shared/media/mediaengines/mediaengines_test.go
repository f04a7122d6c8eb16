package mediaengines_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portside/shared/media"
	"portside/shared/media/mediaengines"
)

// equipped sets up what an environment of name=value asks for.
func equipped(variables ...string) (media.Parts, error) {
	set := map[string]string{}
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		set[name] = value
	}
	lookup := func(name string) string { return set[name] }
	return mediaengines.Equip(media.Parts{}, mediaengines.Read(lookup, aws.Config{Region: "eu-west-1"}))
}

func TestTheEnvironmentChooses(t *testing.T) {
	const server, model = "MEDIA_MODEL_URL=https://models.example/v1", "MEDIA_MODEL=m"
	for _, test := range []struct {
		variables           []string
		engine, transcriber string // what the versions begin with
	}{
		{nil, "offline", "none"},
		{[]string{"MEDIA_ENGINE=offline", model, server}, "offline", "none"},
		{[]string{"MEDIA_ENGINE=offline", "TRANSCRIBER_COMMAND=sh -x"}, "offline", "command sh -x"},
		{[]string{"MEDIA_ENGINE=bedrock", "MEDIA_MODEL=eu.maker.m-v1:0"}, "bedrock eu.maker.m-v1:0", "none"},
		{[]string{"MEDIA_ENGINE=openai", model, server}, "openai m@models.example", "openai whisper-1@models.example"},
		{
			[]string{"MEDIA_ENGINE=openai", model, server, "MEDIA_TRANSCRIPTION_MODEL=large", "TRANSCRIBER_COMMAND=nothing"},
			"openai m@models.example", "openai large@models.example",
		},
	} {
		parts, err := equipped(test.variables...)
		if err != nil {
			t.Errorf("%q: %v", test.variables, err)
			continue
		}
		if got := parts.Engine.Version(); !strings.HasPrefix(got, test.engine) {
			t.Errorf("%q: engine %s", test.variables, got)
		}
		if got := parts.Transcriber.Version(); got != test.transcriber {
			t.Errorf("%q: transcriber %s", test.variables, got)
		}
	}
}

// One line says all that is wrong, and nothing that was set.
func TestWrongSettingsAreTold(t *testing.T) {
	const value = "hush-hush"
	for _, test := range []struct {
		variables []string
		want      string
	}{
		{[]string{"MEDIA_ENGINE=" + value}, "MEDIA_ENGINE is none of offline, bedrock, openai"},
		{[]string{"MEDIA_ENGINE=bedrock"}, "MEDIA_MODEL is not set"},
		{[]string{"MEDIA_ENGINE=openai"}, "MEDIA_MODEL is not set, MEDIA_MODEL_URL is not set"},
		{[]string{"MEDIA_ENGINE=openai", "MEDIA_MODEL=m", "MEDIA_MODEL_URL=ftp://" + value}, "base URL"},
		{[]string{"MEDIA_ENGINE=openai", "MEDIA_MODEL=m", "MEDIA_MODEL_URL=https://x:" + value + "@y"}, "base URL"},
		{[]string{"MEDIA_ENGINE=openai", "MEDIA_MODEL=m", "MEDIA_MODEL_URL=https://y", "MEDIA_MODEL_KEY=" + value + "\n"}, "key"},
		{[]string{"TRANSCRIBER_COMMAND=no-such-program"}, "TRANSCRIBER_COMMAND names a program that cannot be run"},
	} {
		_, err := equipped(test.variables...)
		if err == nil {
			t.Errorf("%q is taken", test.variables)
			continue
		}
		line := err.Error()
		if !strings.HasPrefix(line, "settings: ") || !strings.Contains(line, test.want) || strings.ContainsAny(line, "\n") ||
			strings.Contains(line, value) {
			t.Errorf("%q: %s", test.variables, line)
		}
	}
}

func TestTheKeyIsNeverPrinted(t *testing.T) {
	settings := mediaengines.Read(func(string) string { return "hush" }, aws.Config{})
	settings.Engine, settings.Model, settings.ModelURL = "", "", ""
	settings.TranscriptionModel, settings.TranscriberCommand = "", ""
	for _, form := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(form, settings); strings.Contains(text, "hush") {
			t.Errorf("%s: %s", form, text)
		}
	}
}
