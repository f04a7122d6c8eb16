package comparison

import "portside/documents/answers"

// leastDoubtful is the probability from which an uncertain value puts a comparison in doubt. A value below it is likelier wrong than
// right, and so the document counts as having none.
const leastDoubtful = 0.5

// inDoubt describes a value of one document if the other document probably has a value that is too uncertain to be returned. The
// sentence does not contain the uncertain value, because a reader would take it for a fact.
func (w wording) inDoubt(name string, a, b answers.Extraction) (words string, ok bool) {
	first, second := a.Values[name], b.Values[name]
	switch {
	case first.Found() && !second.Found() && isDoubtful(b.Candidates[name]):
		return w.render(doubtInSecond, w.shown(first)), true
	case !first.Found() && second.Found() && isDoubtful(a.Candidates[name]):
		return w.render(doubtInFirst, w.shown(second)), true
	}
	return "", false
}

// isDoubtful reports whether the best of the candidates is likelier right than wrong.
func isDoubtful(candidates []answers.Candidate) bool {
	return len(candidates) > 0 && candidates[0].Evidence.Confidence >= leastDoubtful
}
