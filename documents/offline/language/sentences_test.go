package language

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/answers"
)

// trickySentences are texts with "|" where one sentence ends and the next begins.
var trickySentences = map[answers.Lang][]string{
	"en": {
		"Dr. Ruth Meyer met Mr. J. R. Stone at 4.30 p.m. on Monday.| They agreed.",
		"See Art. 5 and No. 12.| The price is $3.50 per item, e.g. Widgets cost more.",
		"The U.S. Department replied.| Nobody answered in the U.K.| The case is closed.",
		"The meeting ended. |20 people came.",
		"\"Really?\" she asked.| \"Yes!\" he said.",
		"So did I.| Then we left.",
		"It runs on Node.js 2.1 and costs approx. 20 euros.| Fine.",
		"He waited… |Nobody came.",
		"1. The supplier delivers.| 2. The buyer pays.",
		"Acme Ltd. delivers in Jan. 2027.| Payment follows (see Sec. 4).",
		"Lunt Foods, Inc. (\"Lunt\"), a bakery, sells bread.| Lunt Foods, Inc. (the “Baker”) signed.| All agreed.",
		"The harbour (which was dredged. Nobody paid.) opens in May [see page 4. Ask there.] again.| Ships come.",
		"It floats.[12] |Nobody sinks.[1][23] |Fine.",
		"Write to Lunt Foods, P.O.B. 325, Corran.| (Nobody did.)| It closed (in May",
	},
	"es": {
		"El Sr. López y la Dra. Ruiz firmaron el art. 5 del contrato.| Pagarán el 3 de mayo.",
		"Incluye p. ej. Madrid y Bilbao, etc.| El resto no.",
		"¿Cuándo llega?| Llega el lunes a las 9.30 h.",
		"La empresa Norte S.A.| La dirección está en la pág. 12.",
		"EE. UU. firmó el acuerdo núm. 7.| Hay 1.250,50 euros.",
	},
	"pt": {
		"O Sr. Alves e a Dra. Lima assinaram o art. 5.º do contrato.| Pagam em maio.",
		"Vale, p. ex. Lisboa, conforme a pág. 12.| O resto não.",
		"Custa 1.250,50 euros.| Chega na segunda-feira!| Certo?",
		"A V. Exa. Maria Costa respondeu.| Obrigado.",
	},
	"fr": {
		"M. Durand et Mme. Petit ont signé l'art. 5 du contrat.| Le prix est de 1 250,50 euros.",
		"Voir p. 12 et p. ex. Paris.| Rien d'autre.",
		"Quand arrive-t-il ?| Lundi à 9 h 30.",
		"La société J. B. Martin livre le 3 mars.| Elle paie.",
	},
	"de": {
		"Die Kranz AG (nachfolgend „Kranz“) liefert.| Sie zahlt (siehe Anlage 2. Dort steht mehr.) im Mai.",
		"Dr. Meier kommt am 3. März nach St. Gallen.| Er bleibt bis zum 5. Mai.",
		"Das gilt z. B. Montags, d. h. nicht immer.| Ende.",
		"Im 2. Halbjahr stieg der Umsatz auf 3,5 Mio. Euro.| Gut.",
		"Gemäß § 3 Abs. 2 Nr. 4 BGB gilt Folgendes.| Der Käufer zahlt.",
		"Die Firma Kranz GmbH & Co. KG liefert usw.| Die Rechnung folgt.",
		"Es kamen 12 Gäste im Jahr 2024.| 15 sagten ab.",
		"Der 1. Vorsitzende und die 3. Etage sind gemeint.| Frau J. Weber fehlt.",
		"Wir treffen uns in der Hauptstr. 5 bzw. Am Markt 3.| Bis dann!",
	},
	"it": {
		"Il Sig. Rossi e la Dott.ssa Bianchi hanno firmato l'art. 5.| Pagano a maggio.",
		"Vale, p. es. Roma, come a pag. 12.| Il resto no.",
		"L'avv. Conti scrive.| Costa 1.250,50 euros.",
		"La ditta G. B. Neri consegna il 3 marzo.| Va bene?| Sì.",
	},
	"nl": {
		"Dhr. De Vries en mevr. Jansen tekenden art. 5.| Zij betalen in mei.",
		"Dit geldt bijv. Amsterdam, d.w.z. Niet overal.| Klaar.",
		"Zie blz. 12 en nr. 7.| Het kost 1.250,50 euro.",
		"Drs. P. van Dam komt a.s. maandag.| Hij blijft.",
	},
	"sv": {
		"Det gäller t.ex. Stockholm och bl.a. Malmö.| Resten gäller inte.",
		"Enligt 3 kap. 5 § och nr. 7 gäller detta.| Priset är 1 250,50 kr.",
		"Dr. A. Berg kommer den 3 mars.| Hon stannar.",
		"Avtalet gäller fr.o.m. 1 maj.| Vem betalar?| Kunden.",
	},
	"pl": {
		"Dr. Nowak i prof. Lis podpisali art. 5 umowy.| Zapłacą w maju.",
		"Dotyczy to np. Krakowa i m.in. Gdańska.| Reszty nie.",
		"Biuro jest przy ul. Lipowej 5 w budynku im. Kopernika.| Zapraszamy.",
		"Zob. str. 12 i poz. 7.| Cena to 1250,50 zł.",
		"Spółka Dąb sp. z o.o. podpisała umowę z dnia 3 marca 2026 r. w Łodzi.| Koniec.",
	},
	"ro": {
		"Dl. Popescu și dna. Ionescu au semnat art. 5 din contract.| Plătesc în mai.",
		"Sediul este în str. Florilor nr. 5, bl. 12.| Vă așteptăm.",
		"Conform alin. 2 lit. b) se plătește suma.| Prețul este 1.250,50 lei.",
		"Dr. I. Marin vine pe 3 martie.| Rămâne?| Da.",
	},
}

func TestSplit(t *testing.T) {
	cases := 0
	for _, lang := range answers.Langs() {
		right := 0
		for _, marked := range trickySentences[lang] {
			want := strings.Split(marked, "|")
			for i := range want {
				want[i] = strings.TrimSpace(want[i])
			}
			if got := sentencesOf(strings.ReplaceAll(marked, "|", ""), lang); slices.Equal(got, want) {
				right++
			} else {
				t.Errorf("%s: got  %s\n    want %s", lang, strings.Join(got, " | "), strings.Join(want, " | "))
			}
		}
		cases += len(trickySentences[lang])
		t.Logf("%s: %d of %d", lang, right, len(trickySentences[lang]))
	}
	if cases < 45 {
		t.Errorf("only %d cases", cases)
	}
}

func sentencesOf(text string, lang answers.Lang) []string {
	var list []string
	for _, s := range NewSplitter(lang, nil).Split(text) {
		list = append(list, s.In(text))
	}
	return list
}

func TestSentencesAcrossLineBreaks(t *testing.T) {
	for _, marked := range []string{
		"Dear Ms. Brown,\n|Thank you for the order.\n|Anna Stone",
		"This line of a letter was broken by its writer's program because\nit was full. |The next begins here.",
		"Open points:\n|- the roof\n|- the cellar of the house",
		"1) Pay the invoice\n|2) Send the goods",
	} {
		want := strings.Split(marked, "|")
		for i := range want {
			want[i] = strings.TrimSpace(want[i])
		}
		if got := sentencesOf(strings.ReplaceAll(marked, "|", ""), "en"); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func FuzzSentences(f *testing.F) {
	for lang, list := range trickySentences {
		for _, text := range list {
			f.Add(strings.ReplaceAll(text, "|", ""), string(lang))
		}
	}
	f.Add("…\u2029. a.\u00a0B.\n\n§.)", "")
	f.Fuzz(func(t *testing.T, text, lang string) {
		text = documents.Clean(text)
		end, letters := 0, strings.Builder{}
		for _, s := range NewSplitter(answers.Lang(lang), nil).Split(text) {
			if s.Start < end || s.IsEmpty() || s.End > len(text) || !utf8.ValidString(s.In(text)) {
				t.Fatalf("sentence %d to %d of %q", s.Start, s.End, text)
			}
			end = s.End
			letters.WriteString(s.In(text))
		}
		if got, want := strings.Join(strings.Fields(letters.String()), ""),
			strings.Join(strings.Fields(text), ""); got != want {
			t.Errorf("lost text: %q of %q", got, want)
		}
	})
}
