package mediaengines_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/media"
	"portside/shared/media/mediaengines"
	"portside/shared/media/mediaopenai"
	"portside/shared/testkit"
	"portside/shared/testkit/mediatest"
)

// equip returns the parts for an environment of name=value.
func equip(variables ...string) (media.Parts, error) { return equipWith(nil, variables...) }

// equipWith is equip with the key of the model server.
func equipWith(key mediaopenai.KeySource, variables ...string) (media.Parts, error) {
	set := map[string]string{}
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		set[name] = value
	}
	lookup := func(name string) string { return set[name] }
	settings := mediaengines.Read(lookup, aws.Config{Region: "eu-west-1"})
	if key != nil {
		settings.ModelKey = key
	}
	return mediaengines.Equip(media.Parts{}, settings)
}

//proves:docs/security.md
func TestEnvironmentSelectsEngines(t *testing.T) {
	const server, model, vision = "MEDIA_MODEL_URL=https://models.example/v1", "MEDIA_MODEL=m", "MEDIA_VISION_MODEL=v"
	for _, test := range []struct {
		variables                   []string
		engine, transcriber, viewer string // beginnings of the versions
	}{
		{nil, "offline", "none", "tesseract"},
		{[]string{"MEDIA_ENGINE=offline", model, server, vision, "MEDIA_INPUT_PRICE=nothing"}, "offline", "none", "tesseract"},
		{[]string{"MEDIA_ENGINE=offline", "TRANSCRIBER_COMMAND=sh -x"}, "offline", "command sh -x", "tesseract"},
		{[]string{"MEDIA_ENGINE=bedrock", "MEDIA_MODEL=eu.maker.m-v1:0"}, "bedrock eu.maker.m-v1:0", "transcribe 1", "tesseract"},
		{[]string{"MEDIA_ENGINE=bedrock", model, vision}, "bedrock m", "transcribe 1", "bedrock v view"},
		{[]string{"MEDIA_READER=textract"}, "offline", "none", "textract 1"},
		{[]string{"MEDIA_READER=tesseract", vision}, "offline", "none", "tesseract"},
		{[]string{"MEDIA_ENGINE=bedrock", model, "MEDIA_READER=textract"}, "bedrock m", "transcribe 1", "textract 1"},
		{[]string{"MEDIA_ENGINE=bedrock", model, "MEDIA_READER=tesseract", vision}, "bedrock m", "transcribe 1", "bedrock v view"},
		{[]string{"MEDIA_ENGINE=openai", model, server, "MEDIA_READER=textract"}, "openai m@models.example", "openai whisper-1@models.example", "textract 1"},
		{[]string{"MEDIA_ENGINE=openai", model, server}, "openai m@models.example", "openai whisper-1@models.example", "tesseract"},
		{
			[]string{"MEDIA_ENGINE=openai", model, server, vision, "MEDIA_INPUT_PRICE=0.15", "MEDIA_OUTPUT_PRICE=0"},
			"openai m@models.example", "openai whisper-1@models.example", "openai v@models.example view",
		},
		{
			[]string{"MEDIA_ENGINE=openai", model, server, "MEDIA_TRANSCRIPTION_MODEL=large", "TRANSCRIBER_COMMAND=nothing"},
			"openai m@models.example", "openai large@models.example", "tesseract",
		},
	} {
		t.Run(strings.Join(test.variables, " "), func(t *testing.T) {
			parts, err := equip(test.variables...)
			if err != nil {
				t.Error(err)
				return
			}
			if got := parts.Engine.Version(); !strings.HasPrefix(got, test.engine) {
				t.Errorf("engine %s, want %s", got, test.engine)
			}
			if got := parts.Transcriber.Version(); got != "tracks 1, "+test.transcriber {
				t.Errorf("transcriber %s, want %s", got, test.transcriber)
			}
			if got := parts.Viewer.Version(); !strings.HasPrefix(got, test.viewer) {
				t.Errorf("viewer %s, want %s", got, test.viewer)
			}
		})
	}
}

// All wrong settings are reported in one line, without their values.
func TestWrongSettingsAreReported(t *testing.T) {
	const value = "hush-hush"
	for _, test := range []struct {
		variables []string
		want      string
	}{
		{[]string{"MEDIA_ENGINE=" + value}, "MEDIA_ENGINE must be offline, bedrock or openai"},
		{[]string{"MEDIA_ENGINE=bedrock"}, "MEDIA_MODEL is not set"},
		{[]string{"MEDIA_READER=" + value}, "MEDIA_READER must be tesseract or textract"},
		{[]string{"MEDIA_READER=textract", "MEDIA_VISION_MODEL=" + value}, "MEDIA_READER textract needs no MEDIA_VISION_MODEL"},
		{[]string{"MEDIA_ENGINE=openai"}, "MEDIA_MODEL is not set, MEDIA_MODEL_URL is not set"},
		{[]string{"MEDIA_ENGINE=openai", "MEDIA_MODEL=m", "MEDIA_MODEL_URL=ftp://" + value}, "base URL"},
		{[]string{"MEDIA_ENGINE=openai", "MEDIA_MODEL=m", "MEDIA_MODEL_URL=https://x:" + value + "@y"}, "base URL"},
		{[]string{"MEDIA_ENGINE=bedrock", "MEDIA_MODEL=m", "MEDIA_INPUT_PRICE=" + value, "MEDIA_OUTPUT_PRICE=1"}, "MEDIA_INPUT_PRICE must be"},
		{[]string{"MEDIA_ENGINE=bedrock", "MEDIA_MODEL=m", "MEDIA_OUTPUT_PRICE=0"}, "must be set together"},
		{[]string{"MEDIA_ENGINE=bedrock", "MEDIA_MODEL=m", "MEDIA_TRANSCRIPTION_PRICE=-1"}, "MEDIA_TRANSCRIPTION_PRICE must be"},
		{[]string{"TRANSCRIBER_COMMAND=no-such-program"}, "the TranscriberCommand names a program that cannot be run"},
	} {
		t.Run(strings.Join(test.variables, " "), func(t *testing.T) {
			_, err := equip(test.variables...)
			if err == nil {
				t.Errorf("%q is accepted", test.variables)
				return
			}
			line := err.Error()
			if !strings.HasPrefix(line, "settings: ") || !strings.Contains(line, test.want) || strings.ContainsAny(line, "\n") ||
				strings.Contains(line, value) {
				t.Errorf("error %q, want %q without values", line, test.want)
			}
		})
	}
}

// The log has the cost of calls of the model whose prices are set, and of no other model.
func TestLogHasCostOfCalls(t *testing.T) {
	server := mediatest.StartOpenAI(t)
	for visionModel, want := range map[string]int{server.Model: 2, "": 1} {
		logged := testkit.CaptureLogs(t)
		parts, err := equipWith(testkit.Secret(server.Key), "MEDIA_ENGINE=openai", "MEDIA_MODEL="+server.Model, "MEDIA_MODEL_URL="+server.URL,
			"MEDIA_VISION_MODEL="+visionModel, "MEDIA_TRANSCRIPTION_MODEL="+server.Model,
			"MEDIA_INPUT_PRICE=1.50", "MEDIA_OUTPUT_PRICE=10.01", "MEDIA_TRANSCRIPTION_PRICE=0.006")
		if err != nil {
			t.Fatal(err)
		}
		d := mediatest.Document(t, "Total: 5\n")
		_, err = parts.Engine.Extract(t.Context(), d, answers.ExtractSettings{Variables: mediatest.InvoiceVariables()})
		if err != nil {
			t.Fatal(err)
		}
		_, err = parts.Viewer.View(t.Context(), documents.Picture{MediaType: "image/png", Data: smallPicture(t)})
		if err != nil {
			t.Fatal(err)
		}
		const cost = `"microUSD":932` // 321 × 1.5 + 45 × 10.01 = 931.95
		if text := logged.String(); strings.Count(text, cost) != want || strings.Count(text, "model call") != want {
			t.Errorf("logged %s", text)
		}
		server.Speech = `{"text": "a", "duration": 90.5, "segments": []}`
		sound := documents.FromBytes([]byte("ID3"))
		if _, _, err := parts.Transcriber.Transcribe(t.Context(), media.Recording{File: sound, Kind: documents.Audio}); err != nil {
			t.Fatal(err)
		}
		if text := logged.String(); !strings.Contains(text, `"audioSeconds":90.5,"microUSD":9050}`) {
			t.Errorf("logged %s", text)
		}
	}
}

// smallPicture returns a PNG of 2 by 2 pixels.
func smallPicture(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
