package mediatest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/testkit/awstest"
)

// job is a transcription job.
type job struct {
	startJob
	status  string
	reason  string
	polls   int
	created time.Time
}

// startJob has the documented fields of a request that this project uses.
type startJob struct {
	TranscriptionJobName string
	Media                struct{ MediaFileUri string } //nolint:revive // the service's name
	MediaFormat          string
	LanguageCode         string
	IdentifyLanguage     bool
	LanguageOptions      []string
	LanguageIdSettings   map[string]vocabularySettings //nolint:revive // the service's name
	Settings             *vocabularySettings
	OutputBucketName     string
	OutputKey            string
}

type vocabularySettings struct{ VocabularyName string }

var (
	mediaFile  = regexp.MustCompile(`^s3://([a-z0-9][.a-z0-9-]{1,61}[a-z0-9])/([a-zA-Z0-9_.!*'()/-]+)$`)
	bucketName = regexp.MustCompile(`^[a-z0-9][.a-z0-9-]{1,61}[a-z0-9]$`)
	outputKey  = regexp.MustCompile(`^[a-zA-Z0-9_.!*'()/-]+$`)
	formats    = []string{"mp3", "mp4", "wav", "flac", "ogg", "amr", "webm", "m4a"}
)

// checkStart checks a request without looking at existing jobs and files.
func checkStart(body []byte) (startJob, error) {
	var j startJob
	if err := decodeStrict(body, &j); err != nil {
		return j, err
	}
	switch {
	case !resourceName.MatchString(j.TranscriptionJobName):
		return j, fmt.Errorf("the name is %q", j.TranscriptionJobName)
	case !mediaFile.MatchString(j.Media.MediaFileUri):
		return j, fmt.Errorf("the recording is at %q", j.Media.MediaFileUri)
	case j.MediaFormat != "" && !slices.Contains(formats, j.MediaFormat):
		return j, fmt.Errorf("the format is %q", j.MediaFormat)
	case len(j.Media.MediaFileUri) > 1_024 || len(j.OutputKey) > 1_024:
		return j, errors.New("a key is longer than S3 takes")
	case !bucketName.MatchString(j.OutputBucketName) || !outputKey.MatchString(j.OutputKey) ||
		!strings.HasSuffix(j.OutputKey, ".json"):
		return j, fmt.Errorf("the result goes to %q in %q", j.OutputKey, j.OutputBucketName)
	}
	return j, j.checkLanguage()
}

func (j startJob) checkLanguage() error {
	const minLanguages, maxSettings = 2, 5
	if j.IdentifyLanguage == (j.LanguageCode != "") {
		return errors.New("there must be exactly one of LanguageCode and IdentifyLanguage")
	}
	for _, code := range slices.Concat(j.LanguageOptions, keysOf(j.LanguageIdSettings)) {
		if charsets[code] == nil {
			return fmt.Errorf("the language %q is not known", code)
		}
	}
	switch {
	case j.LanguageCode != "" && charsets[j.LanguageCode] == nil:
		return fmt.Errorf("the language %q is not known", j.LanguageCode)
	case j.LanguageCode != "" && (j.LanguageOptions != nil || j.LanguageIdSettings != nil):
		return errors.New("a request with a language must not have other languages")
	case j.LanguageOptions != nil && len(slices.Compact(slices.Sorted(slices.Values(j.LanguageOptions)))) < minLanguages:
		return errors.New("LanguageOptions needs at least two languages")
	case j.LanguageIdSettings != nil &&
		(len(j.LanguageIdSettings) < minLanguages || len(j.LanguageIdSettings) > maxSettings):
		return fmt.Errorf("there are settings of %d languages", len(j.LanguageIdSettings))
	case j.Settings != nil && j.IdentifyLanguage:
		return errors.New("the field Settings needs a LanguageCode")
	}
	for code := range j.LanguageIdSettings {
		if !slices.Contains(j.LanguageOptions, code) {
			return fmt.Errorf("settings of %q, which is not one of the options", code)
		}
	}
	return nil
}

func keysOf(settings map[string]vocabularySettings) []string {
	var all []string
	for key := range settings {
		all = append(all, key)
	}
	slices.Sort(all)
	return all
}

// vocabularies returns the names of the vocabularies by language.
func (j startJob) vocabularies() map[string]string {
	all := map[string]string{}
	if j.Settings != nil {
		all[j.LanguageCode] = j.Settings.VocabularyName
	}
	for code, settings := range j.LanguageIdSettings {
		if settings.VocabularyName != "" {
			all[code] = settings.VocabularyName
		}
	}
	return all
}

func (s *Transcribe) startJob(ctx context.Context, body []byte) (any, error) {
	j, err := checkStart(body)
	if err != nil {
		return nil, err
	}
	if s.jobs[j.TranscriptionJobName] != nil {
		return nil, &serviceError{"ConflictException", "The requested job name already exists."}
	}
	if !s.canRead(ctx, j) {
		return nil, &serviceError{"BadRequestException", "The S3 URI that you provided can't be accessed."}
	}
	vocabularies := j.vocabularies()
	if s.speech.Strict && j.IdentifyLanguage && len(vocabularies) > 0 {
		return nil, &serviceError{"BadRequestException", "The language options aren't valid, PWNED."}
	}
	for code, name := range vocabularies {
		if v := s.vocabularies[name]; v == nil || v.state != "READY" || v.LanguageCode != code {
			return nil, &serviceError{"BadRequestException", "The requested vocabulary couldn't be found, or isn't ready."}
		}
	}
	s.inputs = append(s.inputs, StartedJob{j.TranscriptionJobName, j.MediaFormat, j.LanguageCode, j.LanguageOptions,
		vocabularies})
	started := &job{startJob: j, status: "IN_PROGRESS", created: awstest.RealTime()}
	if s.speech.Polls > 1 {
		started.status = "QUEUED"
	}
	s.jobs[j.TranscriptionJobName] = started
	return map[string]any{"TranscriptionJob": started.describe()}, nil
}

// canRead reports whether the recording is in the bucket.
func (s *Transcribe) canRead(ctx context.Context, j startJob) bool {
	at := mediaFile.FindStringSubmatch(j.Media.MediaFileUri)
	_, err := s.objects.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &at[1], Key: &at[2]})
	return err == nil
}

type jobName struct{ TranscriptionJobName string }

func (s *Transcribe) getJob(ctx context.Context, body []byte) (any, error) {
	var n jobName
	if err := decodeStrict(body, &n); err != nil || !resourceName.MatchString(n.TranscriptionJobName) {
		return nil, fmt.Errorf("the name is %q (%w)", n.TranscriptionJobName, err)
	}
	j := s.jobs[n.TranscriptionJobName]
	if j == nil {
		return nil, s.notFound("job")
	}
	if err := s.advance(ctx, j); err != nil {
		return nil, err
	}
	if s.speech.LosesJobs && j.ended() {
		delete(s.jobs, n.TranscriptionJobName)
		return nil, s.notFound("job")
	}
	return map[string]any{"TranscriptionJob": j.describe()}, nil
}

func (j *job) ended() bool { return j.status == "COMPLETED" || j.status == "FAILED" }

// advance advances a job by one poll.
func (s *Transcribe) advance(ctx context.Context, j *job) error {
	j.polls++
	switch {
	case j.ended():
		return nil
	case j.polls < s.speech.Polls:
		if j.polls >= s.speech.Polls/2 {
			j.status = "IN_PROGRESS"
		}
		return nil
	case s.speech.Failure != "":
		j.status, j.reason = "FAILED", s.speech.Failure
		return nil
	case !s.canRead(ctx, j.startJob):
		j.status, j.reason = "FAILED", "The media file can't be accessed."
		return nil
	}
	j.status = "COMPLETED"
	if j.IdentifyLanguage {
		j.LanguageCode = s.language()
	}
	if s.speech.WritesNothing {
		return nil
	}
	return s.writeResult(ctx, j)
}

func (s *Transcribe) language() string {
	if s.speech.Language == "" {
		return "en-US"
	}
	return s.speech.Language
}

// writeResult writes the result in the form of the service.
func (s *Transcribe) writeResult(ctx context.Context, j *job) error {
	results := s.speech.Results
	if results == "" {
		results = `{"transcripts":[{"transcript":""}],"items":[],"audio_segments":[]}`
	}
	text := s.speech.File
	if text == "" {
		text = toJSON(map[string]any{
			"jobName": j.TranscriptionJobName, "accountId": "111122223333", "status": "COMPLETED",
			"results": json.RawMessage(results),
		})
	}
	_, err := s.objects.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &j.OutputBucketName, Key: &j.OutputKey, Body: strings.NewReader(text),
	})
	return err
}

// describe returns the job in the form of the service.
func (j *job) describe() map[string]any {
	all := map[string]any{
		"TranscriptionJobName": j.TranscriptionJobName, "TranscriptionJobStatus": j.status, "MediaFormat": j.MediaFormat,
		"Media": map[string]any{"MediaFileUri": j.Media.MediaFileUri}, "CreationTime": epoch(j.created),
		"StartTime": epoch(j.created),
		"Settings":  map[string]any{"ChannelIdentification": false, "ShowAlternatives": false},
	}
	if j.Settings != nil {
		all["Settings"] = map[string]any{"VocabularyName": j.Settings.VocabularyName}
	}
	if j.IdentifyLanguage {
		all["IdentifyLanguage"], all["LanguageOptions"], all["LanguageIdSettings"] = true, j.LanguageOptions,
			j.LanguageIdSettings
	}
	if j.LanguageCode != "" {
		all["LanguageCode"] = j.LanguageCode
	}
	switch j.status {
	case "COMPLETED":
		all["CompletionTime"] = epoch(awstest.RealTime())
		all["Transcript"] = map[string]any{"TranscriptFileUri": "https://s3.us-east-1.amazonaws.com/" + j.OutputBucketName + "/" + j.OutputKey}
	case "FAILED":
		all["FailureReason"] = j.reason
	}
	return all
}

// deleteJob deletes a job that has ended.
func (s *Transcribe) deleteJob(body []byte) (any, error) {
	var n jobName
	if err := decodeStrict(body, &n); err != nil || !resourceName.MatchString(n.TranscriptionJobName) {
		return nil, fmt.Errorf("the name is %q (%w)", n.TranscriptionJobName, err)
	}
	j := s.jobs[n.TranscriptionJobName]
	if j == nil {
		return nil, s.notFound("job")
	}
	if !j.ended() {
		return nil, &serviceError{"BadRequestException", "The job is in a non-terminal state."}
	}
	delete(s.jobs, n.TranscriptionJobName)
	return map[string]any{}, nil
}
