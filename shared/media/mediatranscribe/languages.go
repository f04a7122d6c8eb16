package mediatranscribe

import (
	"strings"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/transcribe"
	"github.com/aws/aws-sdk-go-v2/service/transcribe/types"

	"portside/documents/answers"
)

// tongue is a language as the service knows it.
type tongue struct {
	lang    answers.Lang
	code    types.LanguageCode
	letters string // of vocabularies beside a to z, a period, and what is said by the next two
	capital bool   // capitals are letters too, and so is the apostrophe
}

// tongues are the languages of answers, one dialect of each: a vocabulary is for a dialect, and works only where the service
// cannot take the recording for another one. The letters are those of "Character sets for custom vocabularies" in the
// service's developer guide; with any other, a vocabulary fails.
func tongues() []tongue {
	return []tongue{
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

// tongueOf is false for a language that none of ours is.
func tongueOf(lang answers.Lang) (tongue, bool) {
	for _, t := range tongues() {
		if t.lang == lang {
			return t, true
		}
	}
	return tongue{}, false
}

// codeOf is empty where the service has to find out.
func codeOf(lang answers.Lang) types.LanguageCode {
	t, _ := tongueOf(lang)
	return t.code
}

// letter is the rune as vocabularies of the language may have it: a capital may have to be small.
func (t tongue) letter(r rune) (rune, bool) {
	if t.has(r) {
		return r, true
	}
	small := unicode.ToLower(r)
	return small, t.has(small)
}

func (t tongue) has(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r == '.':
		return true
	case r >= 'A' && r <= 'Z', r == '\'':
		return t.capital
	}
	return strings.ContainsRune(t.letters, r)
}

// speak says which language it is, or that the service has to find out, and sets the vocabularies.
//
// Without keywords, any language that the service knows may be found: to name some would make nonsense of the others. With
// keywords, languages must be named, and only one dialect of each: all that answers are written in. The service advises
// against naming more than five, but not naming the right one would be worse.
func speak(input *transcribe.StartTranscriptionJobInput, code types.LanguageCode, vocabularies map[types.LanguageCode]string) {
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
	const least = 2 // that the service takes settings of; some may be empty
	for _, t := range tongues() {
		input.LanguageOptions = append(input.LanguageOptions, t.code)
		if _, set := input.LanguageIdSettings[string(t.code)]; !set && len(input.LanguageIdSettings) < least {
			input.LanguageIdSettings[string(t.code)] = types.LanguageIdSettings{}
		}
	}
}

// hasVocabulary reports whether the words of the job were looked for with keywords.
func hasVocabulary(job *types.TranscriptionJob) bool {
	if job.Settings != nil && aws.ToString(job.Settings.VocabularyName) != "" {
		return true
	}
	return aws.ToString(job.LanguageIdSettings[string(job.LanguageCode)].VocabularyName) != ""
}
