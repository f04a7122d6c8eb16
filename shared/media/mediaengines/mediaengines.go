// Package mediaengines makes the engine and the transcriber that the environment asks for. What answers questions about files
// imports this and no engine by itself, so that every function is set up by the same variables.
//
// A wrong setting is told when the function starts, in one line that names all that has to be mended, and never by a value:
// one of them is a key.
package mediaengines

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"portside/shared/media"
	"portside/shared/media/mediabedrock"
	"portside/shared/media/mediacommand"
	"portside/shared/media/mediaoffline"
	"portside/shared/media/mediaopenai"
	"portside/shared/media/mediatext"
)

// The engines.
const (
	Offline = "offline"
	Bedrock = "bedrock"
	OpenAI  = "openai"
)

// Settings say which engine, and how to reach its model. What an engine has no use for is ignored.
type Settings struct {
	Engine             string          // one of those above; empty: Offline
	Model              string          // id of a model; Bedrock takes an inference profile too
	ModelURL           string          // OpenAI: base URL of the server
	ModelKey           mediaopenai.Key // OpenAI: empty: the server wants none
	TranscriptionModel string          // OpenAI: empty: whisper-1
	TranscriberCommand string          // Offline: see mediacommand; empty: recordings are not transcribed
	AWS                aws.Config      // Bedrock
}

// Read reads the settings from the environment, where lookup returns "" for what is not set.
func Read(lookup func(name string) string, cfg aws.Config) Settings {
	return Settings{
		Engine: lookup("MEDIA_ENGINE"), Model: lookup("MEDIA_MODEL"), ModelURL: lookup("MEDIA_MODEL_URL"),
		ModelKey: mediaopenai.Key(lookup("MEDIA_MODEL_KEY")), TranscriptionModel: lookup("MEDIA_TRANSCRIPTION_MODEL"),
		TranscriberCommand: lookup("TRANSCRIBER_COMMAND"), AWS: cfg,
	}
}

// New returns the engine.
func New(s Settings) (media.Engine, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	switch s.Engine {
	case Bedrock:
		return mediabedrock.New(bedrockruntime.NewFromConfig(s.AWS), mediabedrock.Options{Model: s.Model}), nil
	case OpenAI:
		engine, err := mediaopenai.New(s.openAI(s.Model))
		if err != nil {
			return nil, wrong(err.Error())
		}
		return engine, nil
	default:
		return mediaoffline.New(), nil
	}
}

// NewTranscriber returns the transcriber, which is media.NoTranscriber where the engine has none.
func NewTranscriber(s Settings) (media.Transcriber, error) {
	switch {
	case s.Engine == OpenAI:
		transcriber, err := mediaopenai.NewTranscriber(s.openAI(or(s.TranscriptionModel, "whisper-1")))
		if err != nil {
			return nil, wrong(err.Error())
		}
		return transcriber, nil
	case or(s.Engine, Offline) == Offline && s.TranscriberCommand != "":
		transcriber, err := mediacommand.New(s.TranscriberCommand, mediatext.ReadText) // which knows subtitles
		if err != nil {
			return nil, wrong("TRANSCRIBER_COMMAND " + err.Error())
		}
		return transcriber, nil
	default:
		return media.NoTranscriber{}, nil
	}
}

// Equip sets the engine and the transcriber of the parts.
func Equip(parts media.Parts, s Settings) (media.Parts, error) {
	var engineErr, transcriberErr error
	parts.Engine, engineErr = New(s)
	if engineErr != nil {
		return parts, engineErr // the transcriber would only say the same
	}
	parts.Transcriber, transcriberErr = NewTranscriber(s)
	return parts, transcriberErr
}

func (s Settings) openAI(model string) mediaopenai.Options {
	return mediaopenai.Options{BaseURL: s.ModelURL, Key: s.ModelKey, Model: model}
}

// check names all that is missing.
func (s Settings) check() error {
	var problems []string
	switch s.Engine {
	case "", Offline, Bedrock, OpenAI:
	default:
		problems = append(problems, "MEDIA_ENGINE is none of offline, bedrock, openai")
	}
	if (s.Engine == Bedrock || s.Engine == OpenAI) && s.Model == "" {
		problems = append(problems, "MEDIA_MODEL is not set")
	}
	if s.Engine == OpenAI && s.ModelURL == "" {
		problems = append(problems, "MEDIA_MODEL_URL is not set")
	}
	if len(problems) == 0 {
		return nil
	}
	return wrong(strings.Join(problems, ", "))
}

// wrong is an error of the form that package env gives.
func wrong(problem string) error {
	return fmt.Errorf("settings: %w; template.yaml says which variables a function gets", errors.New(problem))
}

func or(value, usual string) string {
	if value == "" {
		return usual
	}
	return value
}
