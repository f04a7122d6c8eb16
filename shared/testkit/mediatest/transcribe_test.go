package mediatest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const soundStart = `{"TranscriptionJobName":"a","Media":{"MediaFileUri":"s3://bucket/transcriptions/a.mp3"},"MediaFormat":"mp3",` +
	`"IdentifyLanguage":true,"LanguageOptions":["de-DE","en-US"],"LanguageIdSettings":{"de-DE":{"VocabularyName":"v"},"en-US":{}},` +
	`"OutputBucketName":"bucket","OutputKey":"transcriptions/a.json"}`

func TestCheckStart(t *testing.T) {
	check := func(body string) error {
		_, err := checkStart([]byte(body))
		return err
	}
	checkEach(t, soundStart, check, [][2]string{
		{`"TranscriptionJobName":"a"`, `"TranscriptionJobName":"a b"`},
		{`"TranscriptionJobName":"a"`, `"TranscriptionJobName":"` + strings.Repeat("a", 201) + `"`},
		{`"TranscriptionJobName":"a",`, ``},
		{`s3://bucket/`, `bucket/`},
		{`s3://bucket/transcriptions/a.mp3`, `s3://bucket/ä.mp3`},
		{`"MediaFormat":"mp3"`, `"MediaFormat":"aiff"`},
		{`"IdentifyLanguage":true,`, ``},
		{`"IdentifyLanguage":true`, `"IdentifyLanguage":true,"LanguageCode":"de-DE"`},
		{`"IdentifyLanguage":true`, `"LanguageCode":"de-DE"`},
		{`"IdentifyLanguage":true`, `"IdentifyLanguage":true,"Settings":{"VocabularyName":"v"}`},
		{`["de-DE","en-US"]`, `["de-DE"]`},
		{`["de-DE","en-US"]`, `["de-DE","de-DE"]`},
		{`["de-DE","en-US"]`, `["de-DE","tlh-KL"]`},
		{`["de-DE","en-US"]`, `["de-DE","fr-FR"]`},
		{`,"en-US":{}`, ``},
		{`"en-US":{}`, `"en-US":{},"fr-FR":{},"it-IT":{},"nl-NL":{},"sv-SE":{}`},
		{`"OutputBucketName":"bucket"`, `"OutputBucketName":"Bucket"`},
		{`"OutputKey":"transcriptions/a.json"`, `"OutputKey":"transcriptions/a"`},
		{`"OutputKey"`, `"OutputPath"`},
	})
	known := `{"TranscriptionJobName":"a","Media":{"MediaFileUri":"s3://bucket/a.mp3"},"LanguageCode":"de-DE",` +
		`"OutputBucketName":"bucket","OutputKey":"a.json"}`
	checkEach(t, known, check, [][2]string{{`de-DE`, `de`}, {`"LanguageCode":"de-DE",`, ``}})
}

func TestCheckVocabulary(t *testing.T) {
	check := func(body string) error {
		_, err := checkVocabulary([]byte(body))
		return err
	}
	checkEach(t, `{"VocabularyName":"v","LanguageCode":"de-DE","Phrases":["Müller-Söhne","A.B.C."]}`, check, [][2]string{
		{`"v"`, `"v v"`},
		{`de-DE`, `pl-PL`},
		{`de-DE`, `xx-XX`},
		{`["Müller-Söhne","A.B.C."]`, `[]`},
		{`Müller-Söhne`, `Müller Söhne`},
		{`Müller-Söhne`, `Müller-7`},
		{`Müller-Söhne`, `-Müller`},
		{`Müller-Söhne`, ``},
		{`Müller-Söhne`, strings.Repeat("a", 256)},
		{`["Müller-Söhne"`, `["` + strings.Repeat(strings.Repeat("a", 250)+`","`, 210) + `b"`},
		{`"Phrases"`, `"Words"`},
	})
}

// checkEach makes one change at a time to a valid request.
func checkEach(t *testing.T, sound string, check func(string) error, changes [][2]string) {
	t.Helper()
	if err := check(sound); err != nil {
		t.Fatalf("the valid request is rejected: %v", err)
	}
	for _, change := range changes {
		broken := strings.Replace(sound, change[0], change[1], 1)
		if broken == sound {
			t.Fatalf("%s is not in the request", change[0])
		}
		if check(broken) == nil {
			t.Errorf("%.100s instead of %s is accepted", change[1], change[0])
		}
	}
}

func TestCheckEnvelope(t *testing.T) {
	sound := map[string]string{
		"X-Amz-Target": "Transcribe.GetVocabulary", "Content-Type": "application/x-amz-json-1.1", "X-Amz-Date": "20261121T000000Z",
		"Authorization": "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261121/us-east-1/transcribe/aws4_request, " +
			"SignedHeaders=content-length;content-type;host;x-amz-date;x-amz-target, Signature=" + strings.Repeat("0", 64),
	}
	for broken := range sound {
		t.Run(broken, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
			for name, value := range sound {
				r.Header.Set(name, value)
			}
			if _, _, err := checkEnvelope(r); err != nil {
				t.Fatalf("the valid request is rejected: %v", err)
			}
			r.Header.Set(broken, "x")
			if _, _, err := checkEnvelope(r); err == nil {
				t.Errorf("a wrong %s is accepted", broken)
			}
		})
	}
}
