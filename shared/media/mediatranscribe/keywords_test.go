package mediatranscribe_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portside/documents/answers"
	"portside/shared/media"
	"portside/shared/testkit/mediatest"
)

// withKeywords returns a recording with a language, which may be unknown, and keywords.
func withKeywords(lang answers.Lang, keywords ...string) media.Recording {
	r := recording("ID3")
	r.Lang, r.Keywords = lang, keywords
	return r
}

// vocabularyIn returns the name of the last job's vocabulary in a language.
func (b *bench) vocabularyIn(code string) string {
	started := b.server.Started()
	return started[len(started)-1].Vocabularies[code]
}

//proves:docs/security.md
func TestKeywordsBecomePhrases(t *testing.T) {
	for _, test := range []struct {
		lang     answers.Lang
		code     string
		keywords []string
		want     []string
		warning  string
	}{
		{"de", "de-DE", []string{"Nordwind GmbH", "Müller–Söhne", "A.B.C.", "Nordwind  GmbH", "Mu\u0308ller"},
			[]string{"A.B.C.", "Müller", "Müller-Söhne", "Nordwind-GmbH"}, ""},
		{"en", "en-US", []string{"O’Brien", "HVAC", "José"}, []string{"HVAC", "O'Brien"}, "1 of 3 were left out: José."},
		{"pl", "pl-PL", []string{"Świętosława Żak"}, []string{"świętosława-żak"}, ""},
		{"nl", "nl-NL", []string{"Éclair"}, []string{"éclair"}, ""},
		{"ro", "ro-RO", []string{"Iași", "O'Brien"}, []string{"iași"}, "1 of 2 were left out: O'Brien."},
		{"es", "es-ES", []string{"niño", "R2D2", "a&b", "x/y", "日本", "..."}, []string{"niño"}, "5 of 6 were left out: R2D2, a&b, x/y and others."},
	} {
		t.Run(string(test.lang), func(t *testing.T) {
			b := newBench(t, mediatest.Speech{Results: speech})
			_, warnings, err := b.transcriber().Transcribe(t.Context(), withKeywords(test.lang, test.keywords...))
			got := b.server.Phrases(b.vocabularyIn(test.code))
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("%q, %v", got, err)
			}
			if warned := strings.Join(warnings, "; "); !strings.HasSuffix(warned, test.warning) || (warned == "") != (test.warning == "") {
				t.Errorf("unexpected warning %q", warned)
			}
			b.checkSecrets(t, nil)
		})
	}
}

func TestVocabulariesAreReused(t *testing.T) {
	b := newBench(t, mediatest.Speech{Results: speech, VocabularyPolls: 3})
	for i, keywords := range [][]string{{"Nordwind", "Harbour"}, {"Harbour", "Nordwind", "Nordwind"}} {
		r := withKeywords("en", keywords...)
		r.File = recording(fmt.Sprint("ID3", i)).File
		if _, warnings, err := b.transcriber().Transcribe(t.Context(), r); err != nil || len(warnings) > 0 || b.vocabularyIn("en-US") == "" {
			t.Errorf("%q, %v", warnings, err)
		}
	}
	if n := b.server.Calls("CreateVocabulary"); n != 1 || len(b.server.Vocabularies()) != 1 {
		t.Errorf("%d vocabularies are made", n)
	}
}

// If the language is unknown, five languages get the keywords, and all ten can be identified.
func TestKeywordsForUnknownLanguage(t *testing.T) {
	for name, test := range map[string]struct {
		keywords     []string
		languages    []answers.Lang
		wantCaptions string
		want         []string
		warning      string
	}{
		"plain letters":           {[]string{"Nordwind"}, nil, "fr-FR", []string{"de-DE", "en-US", "es-ES", "fr-FR", "pt-PT"}, ""},
		"Polish letters":          {[]string{"Łódź", "Nordwind"}, nil, "pl-PL", []string{"en-US", "es-ES", "fr-FR", "pl-PL", "pt-PT"}, ""},
		"only Polish":             {[]string{"Łódź"}, nil, "pl-PL", []string{"pl-PL"}, ""},
		"chosen":                  {[]string{"Nordwind"}, []answers.Lang{"it", "ja", "sv"}, "sv-SE", []string{"it-IT", "sv-SE"}, ""},
		"another is wantCaptions": {[]string{"Nordwind"}, nil, "ro-RO", []string{"de-DE", "en-US", "es-ES", "fr-FR", "pt-PT"}, "not prepared for"},
		"no letters at all":       {[]string{"4711"}, nil, "en-US", nil, "1 of 1 were left out: 4711."},
		"none in the chosen":      {[]string{"Łódź"}, []answers.Lang{"it"}, "it-IT", nil, "left out"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, mediatest.Speech{Results: speech, Language: test.wantCaptions, VocabularyPolls: 2})
			b.options.Languages = test.languages
			_, warnings, err := b.transcriber().Transcribe(t.Context(), withKeywords("", test.keywords...))
			started := b.server.Started()[0]
			var got []string
			for code := range started.Vocabularies {
				got = append(got, code)
			}
			slices.Sort(got)
			if err != nil || !slices.Equal(got, test.want) || (len(started.Options) == 10) != (test.want != nil) {
				t.Errorf("%q among %q, %v", got, started.Options, err)
			}
			if warned := strings.Join(warnings, "; "); !strings.Contains(warned, test.warning) || (warned == "") != (test.warning == "") {
				t.Errorf("unexpected warning %q", warned)
			}
		})
	}
}

func TestUnusableVocabularies(t *testing.T) {
	for name, test := range map[string]struct {
		speech  mediatest.Speech
		lang    answers.Lang
		warning string
	}{
		"refused":           {mediatest.Speech{VocabularyPolls: 1, VocabularyFailure: "unsupported characters, PWNED"}, "de", "rejects"},
		"refused later":     {mediatest.Speech{VocabularyPolls: 3, VocabularyFailure: "unsupported characters, PWNED"}, "de", "rejects"},
		"slow":              {mediatest.Speech{VocabularyPolls: 1_000}, "de", "too long"},
		"not in this way":   {mediatest.Speech{Strict: true}, "", "does not accept them"},
		"as many as may be": {mediatest.Speech{Vocabularies: -1}, "de", "accepts no more"},
	} {
		t.Run(name, func(t *testing.T) {
			test.speech.Results = speech
			b := newBench(t, test.speech)
			captions, warnings, err := b.transcriber().Transcribe(t.Context(), withKeywords(test.lang, "Nordwind"))
			if err != nil || !reflect.DeepEqual(captions, wantCaptions()) || len(warnings) != 1 || !strings.Contains(warnings[0], test.warning) {
				t.Errorf("got %+v, %q, %v", captions, warnings, err)
			}
			b.mustBeClean(t)
			b.checkSecrets(t, nil)
			if test.speech.VocabularyFailure != "" && len(b.server.Vocabularies()) > 0 {
				t.Error("a vocabulary that failed is kept")
			}
		})
	}
}

//proves:docs/security.md
func TestOldestVocabularyIsDeletedForRoom(t *testing.T) {
	for name, test := range map[string]struct {
		present  int
		of       string
		oldest   string
		evicted  bool
		warnings int
	}{
		"ours":            {100, "BUCKET_%03d", "BUCKET_000", true, 0},
		"another stack's": {100, "BUCKET-2_%03d", "BUCKET-2_000", false, 1},
		"theirs":          {100, "theirs-%03d", "theirs-000", false, 1},
		"no need":         {99, "BUCKET_%03d", "BUCKET_000", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, mediatest.Speech{Results: speech})
			inBucket := func(name string) string { return strings.ReplaceAll(name, "BUCKET", b.options.Bucket) }
			for i := range test.present {
				b.server.AddVocabulary(inBucket(fmt.Sprintf(test.of, i)), "en-US")
			}
			_, warnings, err := b.transcriber().Transcribe(t.Context(), withKeywords("en", "Nordwind"))
			gone := !slices.Contains(b.server.Vocabularies(), inBucket(test.oldest))
			if err != nil || len(warnings) != test.warnings || gone != test.evicted || len(b.server.Vocabularies()) != 100 {
				t.Errorf("%q, %v, the oldest is gone: %v, %d are left", warnings, err, gone, len(b.server.Vocabularies()))
			}
		})
	}
}

// ofCustomer returns a recording of a customer with a keyword, which differs for each number.
func ofCustomer(customer string, lang answers.Lang, n int) media.Recording {
	r := withKeywords(lang, "Nordwind"+string(rune('a'+n/26))+string(rune('a'+n%26)))
	r.Customer, r.File = customer, recording(fmt.Sprint("ID3", customer, n)).File
	return r
}

// A customer with many keywords takes vocabularies only from itself, or from customers with more.
func TestCustomersHaveSharesOfVocabularies(t *testing.T) {
	b := newBench(t, mediatest.Speech{Results: speech})
	use := func(customer string, n int) (vocabulary string) {
		t.Helper()
		_, warnings, err := b.transcriber().Transcribe(t.Context(), ofCustomer(customer, "en", n))
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s %d: %q, %v", customer, n, warnings, err)
		}
		return b.vocabularyIn("en-US")
	}
	exists := func(name string) bool { return slices.Contains(b.server.Vocabularies(), name) }
	first := use("globex", 0) // the oldest of all
	var acme []string
	for n := range 30 {
		acme = append(acme, use("acme", n))
	}
	if n := len(b.server.Vocabularies()); n != 1+20 || exists(acme[9]) || !exists(acme[10]) {
		t.Errorf("acme has %d vocabularies, want the 20 newest", n-1)
	}
	for i := range 79 { // fills the account
		b.server.AddVocabulary(fmt.Sprint("theirs-", i), "en-US")
	}
	use("initech", 0)
	use("globex", 1)
	if !exists(first) || exists(acme[11]) || !exists(acme[12]) || len(b.server.Vocabularies()) != 100 {
		t.Errorf("the customer with the most did not lose the two oldest: %q", b.server.Vocabularies())
	}
}

// While a customer's vocabularies are being built, which takes minutes, other customers get theirs.
func TestVocabulariesBeingBuiltLeaveRoomForOtherCustomers(t *testing.T) {
	b := newBench(t, mediatest.Speech{Results: speech, VocabularyPolls: 1_000})
	for n := range 22 { // in five languages each
		_, warnings, err := b.transcriber().Transcribe(t.Context(), ofCustomer("acme", "", n))
		want := "took too long"
		if n >= 4 {
			want = "your other recordings"
		}
		if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], want) {
			t.Fatalf("recording %d: %q, %v", n, warnings, err)
		}
	}
	b.server.SetSpeech(mediatest.Speech{Results: speech})
	if _, warnings, err := b.transcriber().Transcribe(t.Context(), ofCustomer("globex", "", 0)); err != nil || len(warnings) > 0 {
		t.Errorf("%q, %v", warnings, err)
	}
	if n := len(b.server.Vocabularies()); n != 20+5 {
		t.Errorf("%d vocabularies", n)
	}
}

// The service returns the same error for too many requests as for too many vocabularies.
func TestThrottlingDeletesNoVocabulary(t *testing.T) {
	b := newBench(t, mediatest.Speech{Results: speech})
	b.server.AddVocabulary(b.options.Bucket+"_other", "en-US")
	throttled := false
	through := func(_ context.Context, operation string, _ func() error) error {
		if operation == "CreateVocabulary" && !throttled {
			throttled = true
			b.server.SetBehavior(mediatest.Behavior{Failures: 1, Status: 400, Code: "LimitExceededException"})
		}
		return nil
	}
	_, warnings, err := b.transcriberVia(through).Transcribe(t.Context(), withKeywords("en", "Nordwind"))
	if err != nil || len(warnings) > 0 || len(b.server.Vocabularies()) != 2 {
		t.Errorf("%q, %v, %q", warnings, err, b.server.Vocabularies())
	}
}

func TestConcurrentVocabularyCreation(t *testing.T) {
	b := newBench(t, mediatest.Speech{Results: speech, VocabularyPolls: 4})
	var done sync.WaitGroup
	transcriber := b.transcriber()
	for i := range 4 {
		done.Go(func() {
			r := withKeywords("", "Nordwind")
			r.File = recording(fmt.Sprint("ID3", i)).File
			if _, warnings, err := transcriber.Transcribe(t.Context(), r); err != nil || len(warnings) > 0 {
				t.Errorf("%q, %v", warnings, err)
			}
		})
	}
	done.Wait()
	if n := len(b.server.Vocabularies()); n != 5 {
		t.Errorf("%d vocabularies", n)
	}
}

// A vocabulary cannot hold a thousand long keywords; the server would reject it.
func TestKeywordsBeyondLimit(t *testing.T) {
	b := newBench(t, mediatest.Speech{Results: speech})
	var keywords []string
	for i := range media.MaxKeywords {
		letters := strings.NewReplacer("0", "ä", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8", "i", "9", "j")
		keywords = append(keywords, letters.Replace(fmt.Sprintf("%050d", i)))
	}
	_, warnings, err := b.transcriber().Transcribe(t.Context(), withKeywords("de", keywords...))
	if got := len(b.server.Phrases(b.vocabularyIn("de-DE"))); err != nil || len(warnings) != 1 || got < 500 || got >= media.MaxKeywords {
		t.Errorf("%d entries, %q, %v", got, warnings, err)
	}
}

// Waiting for vocabularies takes at most half of the time.
func TestVocabularyTimeout(t *testing.T) {
	b := newBench(t, mediatest.Speech{Results: speech, VocabularyPolls: 1_000})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	_, warnings, err := b.transcriber().Transcribe(ctx, withKeywords("de", "Nordwind"))
	total := time.Duration(0)
	for _, wait := range b.waits() {
		total += wait
	}
	if err != nil || len(warnings) != 1 || total > 90*time.Second || total < time.Minute {
		t.Errorf("waited %v, %q, %v", total, warnings, err)
	}
}
