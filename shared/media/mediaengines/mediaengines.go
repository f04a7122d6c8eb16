// Package mediaengines creates the engine, the transcriber and the viewer that the environment
// selects. Functions import this package instead of an engine, so that the same variables configure
// all of them.
//
// Wrong settings are reported when the function starts, in one line that names all of them. The line
// never contains values, because one of them is a key.
package mediaengines

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/transcribe"

	"portside/documents/answers"
	"portside/documents/ocr"
	"portside/documents/offline"
	"portside/documents/text"
	"portside/shared/lambda/secretvalue"
	"portside/shared/media"
	"portside/shared/media/mediabedrock"
	"portside/shared/media/mediacommand"
	"portside/shared/media/mediaopenai"
	"portside/shared/media/mediatextract"
	"portside/shared/media/mediatranscribe"
)

// Values of Settings.Engine.
const (
	Offline = "offline"
	Bedrock = "bedrock"
	OpenAI  = "openai"
)

// Values of Settings.Reader.
const (
	Tesseract = "tesseract" // package ocr
	Textract  = "textract"
)

// Settings select an engine and say how to call its model. An engine ignores settings that it does
// not use.
type Settings struct {
	Engine             string                // one of the constants above; empty: Offline
	Model              string                // ID of a model, or on Bedrock of an inference profile
	ModelURL           string                // OpenAI: base URL of the server
	ModelKey           mediaopenai.KeySource // OpenAI; nil: the server needs no key
	Reader             string                // reader of pictures, one of the constants above; empty: Tesseract
	VisionModel        string                // Bedrock and OpenAI: model that views pictures instead of Tesseract; empty: none
	TranscriptionModel string                // OpenAI; empty: whisper-1
	TranscriberCommand string                // Offline; see mediacommand. Empty: recordings are not transcribed
	AWS                aws.Config            // Bedrock and Textract
	S3                 *s3.Client            // Bedrock: client for the recordings of Amazon Transcribe
	Bucket             string                // Bedrock: bucket for the recordings of Amazon Transcribe

	// Prices in USD, as decimals, from which the log gets the cost of calls; empty: unknown.
	InputPrice         string // per million input tokens of Model
	OutputPrice        string // per million output tokens of Model
	TranscriptionPrice string // per minute of a recording, of TranscriptionModel
}

// Read reads the settings from the environment. Lookup returns an empty string for a variable that is
// not set.
func Read(lookup func(name string) string, cfg aws.Config) Settings {
	return Settings{
		Engine: lookup("MEDIA_ENGINE"), Model: lookup("MEDIA_MODEL"), ModelURL: lookup("MEDIA_MODEL_URL"),
		ModelKey:    secretvalue.New(cfg, lookup("MEDIA_MODEL_KEY_ID"), time.Now),
		VisionModel: lookup("MEDIA_VISION_MODEL"), Reader: lookup("MEDIA_READER"),
		TranscriptionModel: lookup("MEDIA_TRANSCRIPTION_MODEL"), TranscriberCommand: lookup("TRANSCRIBER_COMMAND"), AWS: cfg,
		InputPrice: lookup("MEDIA_INPUT_PRICE"), OutputPrice: lookup("MEDIA_OUTPUT_PRICE"),
		TranscriptionPrice: lookup("MEDIA_TRANSCRIPTION_PRICE"),
	}
}

// In returns the settings with a bucket for the recordings of Amazon Transcribe.
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
		return mediabedrock.New(s.AWS, s.bedrock(s.Model)), nil
	case OpenAI:
		engine, err := mediaopenai.New(s.openAI(s.Model))
		if err != nil {
			return nil, settingsError(err.Error())
		}
		return engine, nil
	default:
		engine := offline.New()
		go engine.Prepare() // so that the first question does not wait for the word lists
		return engine, nil
	}
}

// NewViewer returns the viewer.
func NewViewer(s Settings) (media.Viewer, error) {
	switch {
	case s.Reader == Textract:
		return mediatextract.NewViewer(s.AWS, mediatextract.Options{}), nil
	case s.VisionModel != "" && s.Engine == Bedrock:
		return mediabedrock.NewViewer(s.AWS, s.bedrock(s.VisionModel)), nil
	case s.VisionModel != "" && s.Engine == OpenAI:
		viewer, err := mediaopenai.NewViewer(s.openAI(s.VisionModel))
		if err != nil {
			return nil, settingsError(err.Error())
		}
		return viewer, nil
	default:
		return ocr.New()
	}
}

// NewTranscriber returns the transcriber. It always prefers the subtitles of a recording.
func NewTranscriber(s Settings) (media.Transcriber, error) {
	transcriber, err := newTranscriber(s)
	if err != nil {
		return nil, err
	}
	return SubtitlesFirst(transcriber), nil
}

func newTranscriber(s Settings) (media.Transcriber, error) {
	switch {
	case s.Engine == Bedrock:
		options := mediatranscribe.Options{Bucket: s.Bucket, CallLog: s.transcriptionCallLog()}
		return mediatranscribe.New(transcribe.NewFromConfig(s.AWS), s.S3, options), nil
	case s.Engine == OpenAI:
		options := s.openAI(orDefault(s.TranscriptionModel, "whisper-1"))
		options.CallLog = s.transcriptionCallLog()
		transcriber, err := mediaopenai.NewTranscriber(options)
		if err != nil {
			return nil, settingsError(err.Error())
		}
		return transcriber, nil
	case s.TranscriberCommand != "":
		transcriber, err := mediacommand.New(s.TranscriberCommand, text.ReadText) // it reads subtitles too
		if err != nil {
			return nil, settingsError("the TranscriberCommand " + err.Error())
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
		return parts, err // the viewer and the transcriber would report the same settings
	}
	if parts.Viewer, err = NewViewer(s); err != nil {
		return parts, err
	}
	parts.Transcriber, err = NewTranscriber(s)
	return parts, err
}

func (s Settings) openAI(model string) mediaopenai.Options {
	return mediaopenai.Options{BaseURL: s.ModelURL, Key: s.ModelKey, Model: model, CallLog: s.modelCallLog(model)}
}

func (s Settings) bedrock(model string) mediabedrock.Options {
	return mediabedrock.Options{Model: model, CallLog: s.modelCallLog(model)}
}

// check reports all missing and wrong settings.
func (s Settings) check() error {
	var problems []string
	switch s.Engine {
	case "", Offline, Bedrock, OpenAI:
	default:
		problems = append(problems, "MEDIA_ENGINE must be offline, bedrock or openai")
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
	switch {
	case s.Reader != "" && s.Reader != Tesseract && s.Reader != Textract:
		problems = append(problems, "MEDIA_READER must be tesseract or textract")
	case s.Reader == Textract && s.VisionModel != "":
		problems = append(problems, "MEDIA_READER textract needs no MEDIA_VISION_MODEL")
	}
	if len(problems) == 0 {
		return nil
	}
	return settingsError(strings.Join(problems, ", "))
}

// settingsError returns an error in the form that package start uses for settings.
func settingsError(problem string) error {
	return fmt.Errorf("settings: %w; template.yaml lists the variables of each function", errors.New(problem))
}

func orDefault(value, defaultValue string) string {
	if value == "" {
		return defaultValue
	}
	return value
}
