package language

import (
	"testing"

	"portside/documents/answers"
)

func TestFormsOfAWordShareAStem(t *testing.T) {
	for lang, pairs := range map[answers.Lang][][2]string{
		"en": {{"payment", "payments"}, {"decided", "decide"}},
		"es": {{"contrato", "contratos"}, {"acordaron", "acordar"}},
		"pt": {{"contrato", "contratos"}, {"entrega", "entregas"}},
		"fr": {{"livraison", "livraisons"}, {"facture", "factures"}},
		"de": {{"vertrag", "vertrages"}, {"lieferung", "lieferungen"}},
		"it": {{"contratto", "contratti"}, {"consegna", "consegne"}},
		"nl": {{"factuur", "factuur"}, {"levering", "leveringen"}},
		"sv": {{"betalning", "betalningar"}, {"faktura", "fakturor"}},
		"pl": {{"umowa", "umów"}, {"umowy", "umowach"}, {"dostawa", "dostawy"}, {"płatność", "płatności"}},
		"ro": {{"contract", "contractul"}, {"contract", "contractului"}, {"condiții", "condiţii"}},
		"":   {{"same", "same"}},
	} {
		stems := NewStemmer(lang)
		for _, pair := range pairs {
			if a, b := stems.Stem(pair[0]), stems.Stem(pair[1]); a != b || a == "" {
				t.Errorf("%s: %s gives %q, %s gives %q", lang, pair[0], a, pair[1], b)
			}
		}
		if got := stems.Stem("la") + stems.Stem("x"); lang == "es" && got != "" {
			t.Errorf("%s: small words give %q", lang, got)
		}
	}
}

func FuzzStems(f *testing.F) {
	for lang, list := range languageWords()["stop words"] {
		f.Add(list, string(lang))
	}
	f.Fuzz(func(_ *testing.T, text, lang string) {
		NewStemmer(answers.Lang(lang)).Stems(text)
		Detect(text)
	})
}
