package mediaprompt

import (
	"context"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/differences"
)

const (
	maxComparisonChars = 600 // characters
	tokensPerCompare   = 120
)

const compareRules = `Two documents were searched for variables. The block "variables" lists for each: key, name, type, description where
there is one, and what the first and the second document have, value and quote; null means that the document does not
have it. For each key say in one or two sentences how the two compare: the same or different, by how much, or which
document does not have it. "uncertain" means that the document may have a value, which is too uncertain to be shown: then
say that the comparison is in doubt, and never that the document does not have it. Say only what the values and quotes show.
Write `

// pair is a variable with its values in both documents.
type pair struct {
	promptVariable
	First  *side `json:"first"`
	Second *side `json:"second"`
}

type side struct {
	Value       answers.Value `json:"value"`
	Quote       string        `json:"quote"`
	IsUncertain bool          `json:"uncertain,omitempty"`
}

// Compare extracts the variables from both documents, and then asks the model how the values compare.
// The second question contains only values and quotes.
func (e *Engine) Compare(ctx context.Context, first, second *documents.Document, s answers.CompareSettings) (answers.Comparison, error) {
	docs, found := []*documents.Document{first, second}, make([]answers.Extraction, 2)
	err := e.forEach(ctx, len(docs), func(ctx context.Context, i int) (err error) {
		found[i], err = e.Extract(ctx, docs[i], s.Extraction())
		found[i] = found[i].Checked(docs[i], s.Extraction())
		return err
	})
	if err != nil {
		return answers.Comparison{}, err
	}
	c := answers.Comparison{First: found[0], Second: found[1], Words: map[string]string{}}
	for i, place := range []string{"First file: ", "Second file: "} {
		for _, warning := range found[i].Warnings {
			c.Warnings = append(c.Warnings, place+warning)
		}
	}
	for chunk := range slices.Chunk(s.Variables, batchSize) {
		if err := e.words(ctx, s, chunk, &c); err != nil {
			return answers.Comparison{}, err
		}
	}
	for _, v := range s.Variables {
		if c.Words[v.Name] == "" {
			c.Warnings = append(c.Warnings, "The language model did not say how every variable compares.")
			break
		}
	}
	return c, nil
}

// words asks the model how the values compare.
func (e *Engine) words(ctx context.Context, s answers.CompareSettings, variables []answers.Variable, c *answers.Comparison) error {
	pairs, properties := make([]pair, len(variables)), make([]property, len(variables))
	for i, v := range variables {
		pairs[i] = newPair(promptVariable{variableKey(i), v.Name, v.Type, v.Description}, c)
		properties[i] = property{variableKey(i), textSchema("how the values compare")}
	}
	q := prompt{name: "comparisons", schema: objectSchema(properties...), data: withFocus(dataBlock{"variables", encodeList(pairs)}, s.Prompt)}
	q.maxTokens = overheadTokens + tokensPerCompare*len(variables)
	q.rules = compareRules + inLanguage(s.Lang, "the language of the quotes") + "."
	if s.Prompt != "" {
		q.rules += ` The block "focus" names what the reader cares for most when comparing.`
	}
	return e.ask(ctx, q, func(answer map[string]json.RawMessage) error {
		return readWords(answer, variables, c.Words)
	})
}

// newPair returns what the documents have for a variable. It does not contain uncertain values, because the model would
// take them for facts.
func newPair(v promptVariable, c *answers.Comparison) pair {
	first, second := differences.SideOf(c.First, v.Name), differences.SideOf(c.Second, v.Name)
	isInDoubt := differences.Between(first, second).Relation == differences.InDoubt
	return pair{v, newSide(first, isInDoubt), newSide(second, isInDoubt)}
}

func newSide(s differences.Side, isInDoubt bool) *side {
	switch {
	case s.Value.Found():
		return &side{Value: s.Value, Quote: s.Quote}
	case isInDoubt:
		return &side{IsUncertain: true}
	}
	return nil
}

func readWords(answer map[string]json.RawMessage, variables []answers.Variable, into map[string]string) error {
	count := 0
	for i, v := range variables {
		var words string
		if json.Unmarshal(answer[variableKey(i)], &words) != nil {
			continue
		}
		count++
		into[v.Name] = shorten(documents.Clean(words))
	}
	if count == 0 {
		return ErrJunk
	}
	return nil
}

func shorten(words string) string {
	if utf8.RuneCountInString(words) <= maxComparisonChars {
		return words
	}
	return string([]rune(words)[:maxComparisonChars-1]) + "…"
}
