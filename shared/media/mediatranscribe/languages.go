package mediatranscribe

import (
	"strings"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/transcribe"
	"github.com/aws/aws-sdk-go-v2/service/transcribe/types"

	"portside/documents/answers"
)

// language is a language of the service.
type language struct {
	lang    answers.Lang
	code    types.LanguageCode
	letters string // letters in vocabularies, in addition to a to z and the period
	capital bool   // vocabularies may also have A to Z and the apostrophe
}

// languages returns the languages of answers, each with one dialect. A vocabulary is for one dialect,
// and works only if the service cannot identify another dialect. The letters are those of "Character
// sets for custom vocabularies" in the service's developer guide. With other letters, a vocabulary
// fails.
func languages() []language {
	return []language{
		{"en", types.LanguageCodeEnUs, "", true},
		{"es", types.LanguageCodeEsEs, "ÁÉÍÓÚÑáéíóúñü", true},
		{"pt", types.LanguageCodePtPt, "ÀÁÂÃÄÇÈÉÊËÍÑÓÔÕÖÚÜàáâãäçèéêëíñóôõöúü", true},
		{"fr", types.LanguageCodeFrFr, "ÀÂÇÈÉÊËÎÏÔÖÙÛÜàâçèéêëîïôöùûü", true},
		{"de", types.LanguageCodeDeDe, "ÄÖÜäöüß", true},
		{"it", types.LanguageCodeItIt, "ÀÄÇÈÉÊËÌÒÙÜàäçèéêëìòùü", true},
		{"nl", types.LanguageCodeNlNl, "àáâäçèéêëìíîïñòóôöùúûü", true},
		{"sv", types.LanguageCodeSvSe, "ÄÅÖäåö", true},
		{"pl", types.LanguageCodePlPl, "óąćęłńśźż", false},
		{"ro", types.LanguageCodeRoRo, "ăâîșțşţ", false},
	}
}

// languageOf returns false if the language is not one of languages.
func languageOf(lang answers.Lang) (language, bool) {
	for _, t := range languages() {
		if t.lang == lang {
			return t, true
		}
	}
	return language{}, false
}

// languageCode returns an empty code if the service must identify the language.
func languageCode(lang answers.Lang) types.LanguageCode {
	t, _ := languageOf(lang)
	return t.code
}

// letter returns the letter in the form that vocabularies of the language may have. That may be lower
// case.
func (t language) letter(r rune) (rune, bool) {
	if t.has(r) {
		return r, true
	}
	small := unicode.ToLower(r)
	return small, t.has(small)
}

func (t language) has(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r == '.':
		return true
	case r >= 'A' && r <= 'Z', r == '\'':
		return t.capital
	}
	return strings.ContainsRune(t.letters, r)
}

// setLanguage sets the language and the vocabularies, or lets the service identify the language.
//
// Without keywords, the service may identify any language that it supports. A list would make it
// transcribe other languages as nonsense. With keywords, the request must list the languages, with
// only one dialect of each; the list has all languages of answers. The service advises against more
// than five languages, but leaving out the right one would be worse.
func setLanguage(input *transcribe.StartTranscriptionJobInput, code types.LanguageCode, vocabularies map[types.LanguageCode]string) {
	if code != "" {
		input.LanguageCode = code
		if name := vocabularies[code]; name != "" {
			input.Settings = &types.Settings{VocabularyName: &name}
		}
		return
	}
	input.IdentifyLanguage = aws.Bool(true)
	if len(vocabularies) == 0 {
		return
	}
	input.LanguageIdSettings = map[string]types.LanguageIdSettings{}
	for code, name := range vocabularies {
		input.LanguageIdSettings[string(code)] = types.LanguageIdSettings{VocabularyName: &name}
	}
	const minSettings = 2 // the service requires settings of two languages; they may be empty
	for _, t := range languages() {
		input.LanguageOptions = append(input.LanguageOptions, t.code)
		if _, isSet := input.LanguageIdSettings[string(t.code)]; !isSet && len(input.LanguageIdSettings) < minSettings {
			input.LanguageIdSettings[string(t.code)] = types.LanguageIdSettings{}
		}
	}
}

// hasVocabulary reports whether the job used a vocabulary.
func hasVocabulary(job *types.TranscriptionJob) bool {
	if job.Settings != nil && aws.ToString(job.Settings.VocabularyName) != "" {
		return true
	}
	return aws.ToString(job.LanguageIdSettings[string(job.LanguageCode)].VocabularyName) != ""
}
