package statements

import (
	"strings"
	"sync"

	"portside/documents/answers"
	"portside/documents/offline/scan"
)

// phraseSet has sequences of folded words by their first word. An underscore stands for any one
// word.
type phraseSet map[string][][]string

// phrasesOf parses lists of phrases that are separated by commas, by language.
func phrasesOf(lists map[answers.Lang]string) func() map[answers.Lang]phraseSet {
	return sync.OnceValue(func() map[answers.Lang]phraseSet {
		all := map[answers.Lang]phraseSet{}
		for lang, list := range lists {
			set := phraseSet{}
			for phrase := range strings.SplitSeq(list, ",") {
				words := strings.Fields(phrase)
				set[words[0]] = append(set[words[0]], words[1:])
			}
			all[lang] = set
		}
		return all
	})
}

// count returns the number of words at which a phrase begins.
func (p phraseSet) count(words []scan.Word) int {
	found := 0
	for i, w := range words {
		for _, rest := range p[w.Text] {
			if beginsWith(words[i+1:], rest) {
				found++
				break
			}
		}
	}
	return found
}

func beginsWith(words []scan.Word, phrase []string) bool {
	if len(words) < len(phrase) {
		return false
	}
	for i, p := range phrase {
		if p != "_" && p != words[i].Text {
			return false
		}
	}
	return true
}

// negations are words that reverse a statement, by language. The same word may have another meaning
// in another language.
var negations = map[answers.Lang]string{
	"en": "not no non never without neither nor none cannot",
	"es": "no sin nunca ningun ninguna ni tampoco",
	"pt": "nao sem nunca nenhum nenhuma nem",
	"fr": "pas sans jamais aucun aucune ni non",
	"de": "nicht kein keine keinen keiner keinem keines ohne nie niemals",
	"it": "non senza mai nessun nessuna nessuno",
	"nl": "niet geen zonder nooit",
	"sv": "inte ej icke utan ingen inget inga aldrig",
	"pl": "nie bez brak nigdy zaden zadna",
	"ro": "nu fara niciun nicio niciodata nici",
}

var negationsOf = sync.OnceValue(func() map[answers.Lang]map[string]bool {
	all := map[answers.Lang]map[string]bool{}
	for lang, list := range negations {
		all[lang] = scan.SetOf(list)
	}
	return all
})

// denials reverse a statement without a negation. An apostrophe ends a word, so that "wasn't" is
// two words.
var denials = phrasesOf(map[answers.Lang]string{
	"en": `isn t, aren t, wasn t, weren t, hasn t, haven t, hadn t, won t, wouldn t, can t, couldn t, shan t, shouldn t, mustn t, mightn t,
		needn t, didn t, doesn t, don t, ain t, isnt, arent, wasnt, werent, hasnt, havent, hadnt, wont, wouldnt, cant, couldnt, shouldnt,
		mustnt, didnt, doesnt, dont, nobody, nothing, nowhere, lacks, lacked, is lacking, failed to, fails to, fail to, far from,
		anything but, is missing, are missing, was missing, were missing, is denied, was denied, were denied, been denied, is withheld,
		was withheld, been withheld`,
	"es": `nadie, nada, jamas, en absoluto, en modo alguno, lejos de, carece de, carecen de, falta el, falta la,
		faltan los, faltan las, fue negada, fue negado, sido negada, sido negado`,
	"pt": `ninguem, nada, jamais, tampouco, de modo algum, de forma alguma, de maneira alguma, longe de, carece de, carecem de, falta a,
		falta o, faltam as, faltam os, foi negada, foi negado, sido negada, sido negado`,
	"fr": `n _ plus, ne _ plus, n _ guere, ne _ guere, n _ point, ne _ point, nullement, aucunement, personne n, personne ne, rien n,
		rien ne, loin d, loin de, il manque`,
	"de": `keineswegs, keinesfalls, mitnichten, niemand, niemandem, niemanden, nichts, weder, alles andere als, weit davon entfernt,
		verweigert, versagt, verwehrt, fehlt, fehlen, fehlte`,
	"it": `nemmeno, neanche, neppure, niente, per nulla, affatto, giammai, tutt altro che, lontano dall, lontana dall, lungi dall, manca la,
		manca il, manca l, mancano le, mancano i, stata negata, stato negato, viene negata, viene negato, in alcun modo`,
	"nl": `geenszins, allerminst, niemand, niets, nimmer, allesbehalve, verre van, noch _ noch, noch _ _ noch, ontbreekt, ontbreken, geweigerd, weigerde`,
	"sv": `ingalunda, ingenting, varken, allt annat an, langt ifran, saknas, saknar, nekades, vagrades`,
	"pl": `bynajmniej, ani, nikt, nic, wcale, daleki od, daleka od, dalekie od, brakuje, odmowiono, odmowil, odmowila`,
	"ro": `deloc, nicidecum, nimeni, nimic, departe de, lipseste, lipsesc, fost refuzat, fost refuzata`,
})

// doubts are words that leave a statement open: it is true in part, unknown, or only claimed.
var doubts = phrasesOf(map[answers.Lang]string{
	"en": `hardly, barely, scarcely, almost, nearly, partly, partially, unclear, uncertain, unknown, unsure, undecided, doubtful,
		not known, not clear, not certain, whether, denied that, denies that, deny that, denied having, denies having, disputes, disputed,
		doubts, alleged, allegedly, supposedly, probably, possibly, perhaps, maybe, pending, awaiting, under review, in progress,
		to be confirmed, tbc, tbd, n a`,
	"es": `apenas, casi, dificilmente, parcialmente, no esta claro, se desconoce, se ignora, no se sabe, no consta, no es seguro, dudoso,
		dudosa, niega, niegan, nego, supuestamente, quiza, quizas, tal vez, probablemente, pendiente de, en tramite, por confirmar`,
	"pt": `quase, mal, dificilmente, parcialmente, nao esta claro, nao e claro, nao se sabe, desconhece se, duvidoso, duvidosa, nega, negam,
		negou, supostamente, talvez, provavelmente, pendente de, em curso, por confirmar`,
	"fr": `a peine, presque, quasiment, partiellement, pas clair, pas certain, pas sur que, on ignore, ignore si, on ne sait pas, incertain,
		douteux, nie que, nie avoir, a nie, nient, conteste, contestent, peut etre, probablement, pretendument, en attente, en cours de,
		a confirmer, s o`,
	"de": `kaum, fast, beinahe, nahezu, teilweise, unklar, ungewiss, unsicher, unbekannt, nicht bekannt, nicht klar, nicht sicher, fraglich,
		strittig, ob, bestreitet, bestreiten, bestritt, bestritten, leugnet, angeblich, vermutlich, wahrscheinlich, moglicherweise,
		vielleicht, ausstehend, steht aus, steht noch aus, stehen aus, stehen noch aus, in bearbeitung, in prufung, wird gepruft,
		wird noch gepruft, k a`,
	"it": `quasi, a malapena, a stento, difficilmente, parzialmente, non e chiaro, non e noto, non e certo, non si sa, incerto, dubbio, nega,
		negano, ha negato che, hanno negato che, contesta, presumibilmente, forse, probabilmente, in attesa, in corso di, da confermare`,
	"nl": `nauwelijks, amper, ternauwernood, bijna, vrijwel, gedeeltelijk, onduidelijk, onbekend, onzeker, niet bekend, niet duidelijk,
		niet zeker, ontkent, ontkende, ontkennen, betwist, vermoedelijk, waarschijnlijk, mogelijk, misschien, in behandeling,
		in afwachting, nog te bevestigen, n v t`,
	"sv": `knappast, knappt, nastan, delvis, oklart, okant, osakert, inte klart, inte kant, inte sakert, fornekar, fornekade, bestrider,
		bestred, troligen, formodligen, kanske, mojligen, under behandling, under granskning, i vantan`,
	"pl": `ledwie, ledwo, prawie, niemal, czesciowo, niejasne, nieznane, niepewne, nie wiadomo, nie jest jasne, nie jest pewne, czy,
		zaprzecza, zaprzeczyl, zaprzeczyla, kwestionuje, rzekomo, prawdopodobnie, byc moze, w toku, oczekuje, w trakcie`,
	"ro": `abia, aproape, partial, neclar, necunoscut, incert, nu se stie, nu este clar, nu e clar, neaga, a negat, contesta, pretins,
		probabil, poate ca, in asteptare, in curs de, de confirmat`,
})

// duties come before something that must, may or will be done, and so is not done yet.
var duties = phrasesOf(map[answers.Lang]string{
	"en": `must, to be, has to, have to, had to, need, needs, will, ll, shall, should, ought, going to, may be, can, could, would, might`,
	"es": `debe, deben, debera, deberan, deberia, tiene que, tienen que, ha de, han de, hay que, sera, seran, va a, van a, puede, pueden,
		podra, podran, pendiente de, para que`,
	"pt": `deve, devem, devera, deverao, deveria, tem de, tem que, ha de, sera, serao, vai ser, vao ser, pode, podem, podera, poderao`,
	"fr": `doit, doivent, devra, devront, devrait, a payer, a signer, sera, seront, va etre, vont etre, peut, peuvent, pourra, pourront,
		faut, reste a, restent a`,
	"de": `muss, mussen, muessen, musste, soll, sollen, sollte, sollten, kann, konnen, koennen`,
	"it": `deve, devono, dovra, dovranno, dovrebbe, va, vanno, sara, saranno, puo, possono, potra, potranno, bisogna`,
	"nl": `moet, moeten, dient, dienen, zal, zullen, zou, zouden, kan, kunnen`,
	"sv": `maste, ska, skall, bor, kommer att, kan, behover`,
	"pl": `musi, musza, powinna, powinien, powinno, powinny, nalezy, bedzie, beda, zostanie, zostana, ma byc, maja byc, moze, moga, trzeba`,
	"ro": `trebuie, va fi, vor fi, urmeaza, poate, pot, sa fie`,
})

// dutiesBehind come after it, as at the end of a German clause.
var dutiesBehind = phrasesOf(map[answers.Lang]string{
	"de": `werden muss, werden mussen, werden muessen, werden soll, werden sollen, werden sollte, werden kann, werden wird, werden konnen`,
	"nl": `moet worden, moeten worden, dient te worden, zal worden, zullen worden, kan worden, kunnen worden`,
})

// passives say that something is done now or later. With a word for a later time, or two passives,
// it is later.
var passives = phrasesOf(map[answers.Lang]string{"de": "wird, werden", "nl": "wordt, worden"})

// laters are words for a later time.
var laters = phrasesOf(map[answers.Lang]string{
	"de": `morgen, ubermorgen, bald, demnachst, kunftig, spater, noch, nachste, nachsten, nachster, nachstes, nachstem, kommende, kommenden,
		kommender`,
	"nl": "morgen, overmorgen, binnenkort, later, nog, volgende, komende",
})
