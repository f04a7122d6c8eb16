package offline

import (
	"context"
	"math"
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/answers"
)

// Extract finds the values of the variables. A value that the document does not clearly say is not found: one reading must
// be good by itself, and clearly better than any other value.
func (e *Engine) Extract(ctx context.Context, d *documents.Document, s answers.ExtractSettings) (answers.Extraction, error) {
	found := answers.Extraction{Values: map[string]answers.Value{}, Evidence: map[string][]answers.Evidence{}}
	if err := ctx.Err(); err != nil {
		return found, extracting(err)
	}
	r, err := newReading(ctx, d)
	if err != nil {
		return found, extracting(err)
	}
	if r.isPart {
		found.Warnings = []string{partlySearched}
	}
	for _, v := range s.Variables {
		found.Values[v.Name] = answers.Value{}
		delete(found.Evidence, v.Name)
		best, ok := r.find(r.fitted(understand(v)))
		if err := r.watch.look(); err != nil {
			return found, extracting(err)
		}
		if ok {
			found.Values[v.Name] = best.value
			found.Evidence[v.Name] = []answers.Evidence{r.evidence(best)}
		}
	}
	return found, nil
}

// candidate is a value that may be meant.
type candidate struct {
	value answers.Value
	at    span
	score float64 // 0 to 1
	key   string  // the same for values that mean the same

	doubtful bool // found, but to be read in another way perhaps
	void     bool // said in answer, but no value; another one is no better an answer for that
}

const voidKey = "\x00" // of all that is void, and of nothing else

const (
	leastScore  = 0.62
	leastMargin = 0.06 // between the best value and any other one
	againBonus  = 0.02
	mostScore   = 1.04

	mostDoubtful = 0.6 // what a doubtful value is sure of at most
)

func (r *reading) evidence(c candidate) answers.Evidence {
	page := 0
	if i := blockAt(r.doc.Blocks, c.at.start); i >= 0 {
		page = r.doc.Blocks[i].Page
	}
	const cent = 100
	if c.doubtful {
		c.score = math.Min(c.score, mostDoubtful)
	}
	confidence := math.Round(math.Min(c.score, 0.99)*cent) / cent
	return answers.Evidence{Quote: r.text[c.at.start:c.at.end], Start: c.at.start, Page: page, Confidence: confidence}
}

// blockAt finds the block that holds an offset, or -1.
func blockAt(blocks []documents.Block, offset int) int {
	i, exact := slices.BinarySearchFunc(blocks, offset, func(b documents.Block, at int) int { return b.Start - at })
	if exact {
		return i
	}
	return i - 1
}

func (r *reading) find(q *query) (candidate, bool) {
	if len(q.patterns) == 0 || len(q.patterns[0].terms) == 0 {
		return candidate{}, false
	}
	var all []candidate
	if q.variable.Type == answers.Boolean {
		all = r.booleans(q)
	} else {
		all = slices.Concat(r.fromPairs(q), r.fromSentences(q), r.fromShapes(q), r.fromGreeting(q))
		all = append(r.besidesRanges(q, all), r.fromEnds(q)...)
	}
	return r.choose(all)
}

// choose takes the best value if it is good, and better than the best of the others.
func (r *reading) choose(all []candidate) (candidate, bool) {
	best := map[string]candidate{}
	var keys []string
	for _, c := range all {
		if r.watch.ended() {
			return candidate{}, false
		}
		known, ok := best[c.key]
		if !ok {
			keys = append(keys, c.key)
			best[c.key] = c
			continue
		}
		again := math.Max(known.score, c.score) + againBonus
		if c.score > known.score {
			known = c
		}
		known.doubtful = known.doubtful && c.doubtful
		known.score = math.Min(again, mostScore)
		best[c.key] = known
	}
	slices.SortStableFunc(keys, func(a, b string) int { return compareScores(best[b].score, best[a].score) })
	if len(keys) == 0 || best[keys[0]].score < leastScore {
		return candidate{}, false
	}
	first := best[keys[0]]
	for _, k := range keys[1:] {
		if best[k].score > first.score-leastMargin && !sameName(first, best[k]) {
			return candidate{}, false
		}
	}
	return first, !first.void
}

func compareScores(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// sameName reports that one text is the other with more after it.
func sameName(a, b candidate) bool {
	return a.value.Type == answers.String && !a.void && !b.void && (strings.HasPrefix(a.key, b.key) || strings.HasPrefix(b.key, a.key))
}

func (r *reading) fromPairs(q *query) []candidate {
	var all []candidate
	isPeriod := q.asksForStart() || q.asksForEnd()
	for i := range r.pairs {
		p := &r.pairs[i]
		if r.watch.ended() {
			return nil
		}
		if touchesAny(q.touched, p.label) {
			if score := q.match(p, r.topic); score > leastScore-againBonus {
				all = append(all, r.valuesOf(q, p, score)...)
			}
		}
		if isPeriod {
			all = append(all, r.ofPeriod(q, p.value, p.label)...)
		}
	}
	return all
}

// match tells how well a label asks what the variable asks, and how surely its value belongs to it.
func (q *query) match(p *pair, topic []string) float64 {
	best := 0.0
	for i := range q.patterns {
		own := &q.patterns[i]
		if p.sent && !q.asksWhenSent() {
			continue
		}
		if score := own.weight * q.cover(own.terms, p, topic); score > best {
			best = score
		}
	}
	return best * p.weight
}

// isAbout reports that the document is of a kind that the pattern is meant for.
func (p *pattern) isAbout(topic []string) bool {
	return len(p.topics) == 0 || slices.ContainsFunc(p.topics, func(t string) bool { return slices.Contains(topic, t) })
}

// asksWhenSent reports that the day on which a mail was sent may be meant: that of nothing that the mail speaks of.
func (q *query) asksWhenSent() bool {
	return len(without(q.named, []string{"DATE", "DOCUMENT", "EMAIL", "ISSUE", "SENDER", "SHIPPED"})) == 0
}

// What a term does to a match.
const (
	softMissing    = 0.97
	knownMissing   = 0.9 // the heading or the title says it
	termMissing    = 0.35
	contrary       = 0.25
	topicExtra     = 0.97
	toldExtra      = 0.96
	otherTermExtra = 0.76
	otherWordExtra = 0.84
	gridWordExtra  = 0.91 // what else a row is called; another row that fits as well is still another value
)

func (q *query) cover(wanted []string, p *pair, topic []string) float64 {
	score, hits := 1.0, 0
	isBare := q.shape == dateShape && q.isQualified()
	for _, t := range wanted {
		switch {
		case containsTerm(p.label, t):
			isBare = isBare && slices.Contains(generic, t)
			if q.shape != moneyShape || !slices.Contains(docNouns, t) {
				hits++ // an amount is not that of an invoice because it stands beside its number
			}
		case slices.Contains(q.soft, t) && (!p.grid || t != "QUANTITY"):
			score *= softMissing
		case t == "DOCUMENT" || containsTerm(p.context, t) || containsTerm(topic, t):
			score *= knownMissing
		default:
			score *= termMissing
		}
	}
	if hits == 0 || score < leastScore/2 {
		return 0
	}
	for _, t := range p.label {
		if containsTerm(wanted, t) {
			continue
		}
		extra := q.extra(t, topic)
		if isBare && qualifies(t, extra) {
			return 0 // the date of something else
		}
		if p.grid && extra == otherWordExtra {
			extra = gridWordExtra
		}
		score *= extra
	}
	return score
}

// extra tells what a term of the label means that the variable does not ask for.
func (q *query) extra(t string, topic []string) float64 {
	switch {
	case slices.Contains(q.not, t):
		return contrary
	case isDigit(t[0]) || harmless(t) || slices.Contains(q.soft, t):
		return 1
	case slices.Contains(q.told, t):
		return toldExtra
	case slices.Contains(docNouns, t) && slices.Contains(topic, t):
		return topicExtra
	case isTerm(t):
		return otherTermExtra
	}
	return otherWordExtra
}

func harmless(t string) bool {
	switch t {
	case "CURRENCY", "eur", "euro", "usd", "gbp", "sek", "pln", "ron", "chf", "kr", "lei", "zl", "INCLUDED", "BANK":
		return true
	}
	return false
}

// containsTerm compares words of their own by their beginnings, because languages end them differently.
func containsTerm(terms []string, t string) bool {
	if slices.Contains(terms, t) {
		return true
	}
	if often := howOften[t]; often != "" {
		return slices.Contains(terms, often)
	}
	const least = 5
	if isTerm(t) || len(t) < least {
		return false
	}
	return slices.ContainsFunc(terms, func(x string) bool { return !isTerm(x) && alike(x, t) })
}

// howOften are terms that say how often as well as how long: a rent "per month" is a monthly one.
var howOften = map[string]string{"MONTHS": "MONTHLY", "MONTHLY": "MONTHS", "YEARS": "ANNUAL", "ANNUAL": "YEARS"}

// alike reports that two words begin the same for the most part, or that one is a part of the other as in compounds.
func alike(x, t string) bool {
	const least, share = 5, 0.75
	same := 0
	for same < min(len(x), len(t)) && x[same] == t[same] {
		same++
	}
	if same >= least && float64(same) >= share*float64(max(len(x), len(t))) {
		return true
	}
	long, short := x, t
	if len(long) < len(short) {
		long, short = short, long
	}
	return len(short) >= least && (strings.HasPrefix(long, short) || strings.HasSuffix(long, short))
}
