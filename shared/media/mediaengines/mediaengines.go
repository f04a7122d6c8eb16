// Package mediaengines makes the engine, the transcriber and the viewer that the environment asks for. What answers questions
// about files imports this and no engine by itself, so that every function is set up by the same variables.
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
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/transcribe"

	"portside/documents/answers"
	"portside/documents/offline"
	"portside/documents/text"
	"portside/shared/media"
	"portside/shared/media/mediabedrock"
	"portside/shared/media/mediacommand"
	"portside/shared/media/mediaopenai"
	"portside/shared/media/mediatranscribe"
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
	VisionModel        string          // that reads pictures, of the same server or account; empty: they are not read
	TranscriptionModel string          // OpenAI: empty: whisper-1
	TranscriberCommand string          // Offline: see mediacommand; empty: recordings are not transcribed
	AWS                aws.Config      // Bedrock
	S3                 *s3.Client      // Bedrock: where Amazon Transcribe gets recordings from
	Bucket             string          // Bedrock: of theirs

	// Prices in USD, as decimals, for what calls cost in the log; empty: not known.
	InputPrice         string // of a million tokens that Model reads
	OutputPrice        string // of a million tokens that Model writes
	TranscriptionPrice string // of a minute that TranscriptionModel hears
}

// Read reads the settings from the environment, where lookup returns "" for what is not set.
func Read(lookup func(name string) string, cfg aws.Config) Settings {
	return Settings{
		Engine: lookup("MEDIA_ENGINE"), Model: lookup("MEDIA_MODEL"), ModelURL: lookup("MEDIA_MODEL_URL"),
		ModelKey: mediaopenai.Key(lookup("MEDIA_MODEL_KEY")), VisionModel: lookup("MEDIA_VISION_MODEL"),
		TranscriptionModel: lookup("MEDIA_TRANSCRIPTION_MODEL"), TranscriberCommand: lookup("TRANSCRIBER_COMMAND"), AWS: cfg,
		InputPrice: lookup("MEDIA_INPUT_PRICE"), OutputPrice: lookup("MEDIA_OUTPUT_PRICE"),
		TranscriptionPrice: lookup("MEDIA_TRANSCRIPTION_PRICE"),
	}
}

// In returns the settings with a place for recordings.
func (s Settings) In(client *s3.Client, bucket string) Settings {
	s.S3, s.Bucket = client, bucket
	return s
}

// New returns the engine.
func New(s Settings) (answers.Engine, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	switch s.Engine {
	case Bedrock:
		return mediabedrock.New(bedrockruntime.NewFromConfig(s.AWS), s.bedrock(s.Model)), nil
	case OpenAI:
		engine, err := mediaopenai.New(s.openAI(s.Model))
		if err != nil {
			return nil, wrong(err.Error())
		}
		return engine, nil
	default:
		return offline.New(), nil
	}
}

// NewViewer returns the viewer, which is media.NoViewer where no model sees.
func NewViewer(s Settings) (media.Viewer, error) {
	switch {
	case s.VisionModel == "":
		return media.NoViewer{}, nil
	case s.Engine == Bedrock:
		return mediabedrock.NewViewer(bedrockruntime.NewFromConfig(s.AWS), s.bedrock(s.VisionModel)), nil
	case s.Engine == OpenAI:
		viewer, err := mediaopenai.NewViewer(s.openAI(s.VisionModel))
		if err != nil {
			return nil, wrong(err.Error())
		}
		return viewer, nil
	default:
		return media.NoViewer{}, nil
	}
}

// NewTranscriber returns the transcriber. Whatever it is, recordings that have subtitles are read by these.
func NewTranscriber(s Settings) (media.Transcriber, error) {
	transcriber, err := newTranscriber(s)
	if err != nil {
		return nil, err
	}
	return First(transcriber), nil
}

func newTranscriber(s Settings) (media.Transcriber, error) {
	switch {
	case s.Engine == Bedrock:
		return mediatranscribe.New(transcribe.NewFromConfig(s.AWS), s.S3, mediatranscribe.Options{Bucket: s.Bucket, Ledger: s.minutes()}), nil
	case s.Engine == OpenAI:
		options := s.openAI(or(s.TranscriptionModel, "whisper-1"))
		options.Ledger = s.minutes()
		transcriber, err := mediaopenai.NewTranscriber(options)
		if err != nil {
			return nil, wrong(err.Error())
		}
		return transcriber, nil
	case s.TranscriberCommand != "":
		transcriber, err := mediacommand.New(s.TranscriberCommand, text.ReadText) // which knows subtitles
		if err != nil {
			return nil, wrong("the TranscriberCommand " + err.Error())
		}
		return transcriber, nil
	default:
		return media.NoTranscriber{}, nil
	}
}

// Equip sets the engine, the transcriber and the viewer of the parts.
func Equip(parts media.Parts, s Settings) (media.Parts, error) {
	var err error
	if parts.Engine, err = New(s); err != nil {
		return parts, err // the others would only say the same
	}
	if parts.Viewer, err = NewViewer(s); err != nil {
		return parts, err
	}
	parts.Transcriber, err = NewTranscriber(s)
	return parts, err
}

func (s Settings) openAI(model string) mediaopenai.Options {
	return mediaopenai.Options{BaseURL: s.ModelURL, Key: s.ModelKey, Model: model, Ledger: s.ledger(model)}
}

func (s Settings) bedrock(model string) mediabedrock.Options {
	return mediabedrock.Options{Model: model, Ledger: s.ledger(model)}
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
	if s.Engine == Bedrock || s.Engine == OpenAI {
		problems = append(problems, s.checkPrices()...)
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
