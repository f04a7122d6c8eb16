package mediatest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// vocabulary is a custom vocabulary.
type vocabulary struct {
	createVocabulary
	state    string
	reason   string
	polls    int
	modified time.Time
}

type createVocabulary struct {
	VocabularyName string
	LanguageCode   string
	Phrases        []string
}

// charsets has the letters of phrases by language, from the tables in the service's guide.
var charsets = map[string]*regexp.Regexp{
	"en-US": charset(`A-Z'`), "en-GB": charset(`A-Z'`),
	"es-ES": charset(`A-Z'ÁÉÍÓÚÑáéíóúñü`),
	"pt-PT": charset(`A-Z'À-ÄÇÈ-ËÍÑÓ-ÖÚÜà-äçè-ëíñó-öúü`), "pt-BR": charset(`A-Z'À-ÄÇÈ-ËÍÑÓ-ÖÚÜà-äçè-ëíñó-öúü`),
	"fr-FR": charset(`A-Z'ÀÂÇÈ-ËÎÏÔÖÙÛÜàâçè-ëîïôöùûü`),
	"de-DE": charset(`A-Z'ÄÖÜäöüß`),
	"it-IT": charset(`A-Z'ÀÄÇÈ-ÌÒÙÜàäçè-ìòùü`),
	"nl-NL": charset(`A-Z'àáâäçè-ïñò-ôöù-ü`),
	"sv-SE": charset(`A-Z'ÄÅÖäåö`),
	"pl-PL": charset(`óąćęłńśźż`),
	"ro-RO": charset(`ăâîșțşţ`),
}

func charset(letters string) *regexp.Regexp { return regexp.MustCompile(`^[a-z.` + letters + `-]+$`) }

func checkVocabulary(body []byte) (createVocabulary, error) {
	const maxPhraseChars, maxPhrasesBytes = 256, 50 << 10
	var v createVocabulary
	if err := decodeStrict(body, &v); err != nil {
		return v, err
	}
	allowed := charsets[v.LanguageCode]
	switch {
	case !resourceName.MatchString(v.VocabularyName):
		return v, fmt.Errorf("the name is %q", v.VocabularyName)
	case allowed == nil:
		return v, fmt.Errorf("the language %q is not known", v.LanguageCode)
	case len(v.Phrases) == 0:
		return v, errors.New("there are no phrases")
	case len(strings.Join(v.Phrases, "\n")) > maxPhrasesBytes:
		return v, errors.New("there are more than 50 KB")
	}
	for _, phrase := range v.Phrases {
		if utf8.RuneCountInString(phrase) >= maxPhraseChars || !allowed.MatchString(phrase) ||
			strings.Trim(phrase, "-") != phrase {
			return v, fmt.Errorf("the phrase %q is invalid in %s", phrase, v.LanguageCode)
		}
	}
	return v, nil
}

func (s *Transcribe) createVocabulary(body []byte) (any, error) {
	v, err := checkVocabulary(body)
	if err != nil {
		return nil, err
	}
	quota := s.speech.Vocabularies
	if quota == 0 {
		quota = 100
	}
	switch {
	case s.vocabularies[v.VocabularyName] != nil:
		return nil, &serviceError{"ConflictException", "The requested vocabulary name already exists."}
	case len(s.vocabularies) >= quota:
		return nil, &serviceError{"LimitExceededException", "You have reached the limit of vocabularies, PWNED."}
	}
	made := s.addVocabulary(v, "PENDING")
	return made.describe(), nil
}

// AddVocabulary adds a vocabulary that is ready.
func (s *Transcribe) AddVocabulary(name, language string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addVocabulary(createVocabulary{name, language, []string{"x"}}, "READY")
}

// Vocabularies returns the names of all vocabularies, oldest first.
func (s *Transcribe) Vocabularies() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.order)
}

// Phrases returns the phrases of a vocabulary.
func (s *Transcribe) Phrases(name string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.vocabularies[name]; v != nil {
		return v.Phrases
	}
	return nil
}

// addVocabulary adds a vocabulary that is a minute younger than the one before.
func (s *Transcribe) addVocabulary(v createVocabulary, state string) *vocabulary {
	made := &vocabulary{createVocabulary: v, state: state}
	made.modified = time.Unix(1_700_000_000, 0).Add(time.Duration(s.started) * time.Minute)
	s.started++
	s.vocabularies[v.VocabularyName] = made
	s.order = append(s.order, v.VocabularyName)
	return made
}

func (v *vocabulary) describe() map[string]any {
	all := map[string]any{
		"VocabularyName": v.VocabularyName, "LanguageCode": v.LanguageCode, "VocabularyState": v.state,
		"LastModifiedTime": epoch(v.modified),
	}
	if v.reason != "" {
		all["FailureReason"] = v.reason
	}
	return all
}

type vocabularyName struct{ VocabularyName string }

func (s *Transcribe) vocabularyOf(body []byte) (*vocabulary, error) {
	var n vocabularyName
	if err := decodeStrict(body, &n); err != nil || !resourceName.MatchString(n.VocabularyName) {
		return nil, fmt.Errorf("the name is %q (%w)", n.VocabularyName, err)
	}
	v := s.vocabularies[n.VocabularyName]
	if v == nil {
		return nil, s.notFound("vocabulary")
	}
	return v, nil
}

func (s *Transcribe) getVocabulary(body []byte) (any, error) {
	v, err := s.vocabularyOf(body)
	if err != nil {
		return nil, err
	}
	v.polls++
	switch {
	case v.state != "PENDING" || v.polls < s.speech.VocabularyPolls:
	case s.speech.VocabularyFailure != "":
		v.state, v.reason = "FAILED", s.speech.VocabularyFailure
	default:
		v.state = "READY"
	}
	return v.describe(), nil
}

func (s *Transcribe) deleteVocabulary(body []byte) (any, error) {
	v, err := s.vocabularyOf(body)
	if err != nil {
		return nil, err
	}
	if v.state == "PENDING" {
		return nil, &serviceError{"BadRequestException", "The vocabulary is in a non-terminal state."}
	}
	delete(s.vocabularies, v.VocabularyName)
	s.order = slices.DeleteFunc(s.order, func(name string) bool { return name == v.VocabularyName })
	return map[string]any{}, nil
}

type listVocabularies struct {
	MaxResults   int
	NextToken    string
	NameContains string
	StateEquals  string
}

// listVocabularies returns a page of the vocabularies, newest first.
func (s *Transcribe) listVocabularies(body []byte) (any, error) {
	const defaultResults, maxResults = 5, 100
	var l listVocabularies
	if err := decodeStrict(body, &l); err != nil {
		return nil, err
	}
	states := []string{"", "PENDING", "READY", "FAILED"}
	if l.MaxResults < 0 || l.MaxResults > maxResults || !slices.Contains(states, l.StateEquals) {
		return nil, fmt.Errorf("at most %d in state %q", l.MaxResults, l.StateEquals)
	}
	if l.MaxResults == 0 {
		l.MaxResults = defaultResults
	}
	from := 0
	if l.NextToken != "" {
		var err error
		if from, err = strconv.Atoi(l.NextToken); err != nil {
			return nil, fmt.Errorf("the token is invalid: %w", err)
		}
	}
	var found []map[string]any
	for _, name := range slices.Backward(s.order) {
		v := s.vocabularies[name]
		if strings.Contains(name, l.NameContains) && (l.StateEquals == "" || l.StateEquals == v.state) {
			found = append(found, v.describe())
		}
	}
	page := found[min(from, len(found)):min(from+l.MaxResults, len(found))]
	answer := map[string]any{"Vocabularies": append([]map[string]any{}, page...)}
	if end := from + l.MaxResults; end < len(found) {
		answer["NextToken"] = strconv.Itoa(end)
	}
	return answer, nil
}
