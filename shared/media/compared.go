package media

import (
	"encoding/json"

	"portside/documents/answers"
	"portside/documents/differences"
)

// Compared is the result of comparing one variable.
type Compared struct {
	Data          string     `json:"data" doc:"Value in the first file; empty if it was not found." example:"1306.8"`
	DataToCompare string     `json:"data_to_compare" doc:"Value in the second file; empty if it was not found." example:"1512.5"`
	Comparison    string     `json:"comparison" doc:"How the values compare, in a sentence in the requested language. Empty if a value does not fit the schema of the question." example:"Higher in the second document by 205.7 (+15.7 %): 1,512.5 instead of 1,306.8."`
	Difference    Difference `json:"difference" doc:"How the values compare, for programs."`
}

// Difference is how the second value differs from the first, as clients see it. Its numbers are exact decimals, so they
// are not floats.
type Difference struct {
	Relation differences.Relation `json:"relation" enum:"equal,different,onlyFirst,onlySecond,neither,inDoubt" doc:"equal: both files have the same value. onlyFirst, onlySecond: only this file has a value. neither: no file has a value. inDoubt: one file has the value, and the other probably has one that is too uncertain for an answer."`
	Amount   *json.Number         `json:"amount,omitempty" doc:"For different numbers: the second minus the first, exactly. Missing for amounts in two currencies." example:"205.7"`
	// Percent is encoded as null if Amount is set and Percent is nil.
	Percent    *json.Number `json:"percent,omitempty" nullable:"true" doc:"For different numbers: amount as a percentage of the first, rounded to two decimals; null if the first is 0." example:"15.74"`
	Currencies []string     `json:"currencies,omitempty" doc:"For amounts in two currencies: the ISO 4217 codes of the first and the second file." example:"[\"USD\",\"EUR\"]"`
	Days       *int         `json:"days,omitempty" doc:"For different dates: the days from the first to the second, negative if the second is earlier." example:"30"`
	IsFormOnly *bool        `json:"isFormOnly,omitempty" doc:"For different strings: whether they differ only in case, spacing or punctuation."`
}

// MarshalJSON encodes a missing percentage of an amount as null. Without the key, a client could not tell that the
// percentage does not exist.
func (d Difference) MarshalJSON() ([]byte, error) {
	type encoded Difference
	if d.Amount == nil || d.Percent != nil {
		return json.Marshal(encoded(d))
	}
	return json.Marshal(struct {
		encoded
		Percent *json.Number `json:"percent"`
	}{encoded: encoded(d)})
}

// newDifference compares the two sides of a variable of a type.
func newDifference(t answers.Type, a, b differences.Side) Difference {
	d := differences.Between(a, b)
	difference := Difference{Relation: d.Relation, Currencies: d.Currencies, Amount: numberOf(d.Amount), Percent: numberOf(d.Percent)}
	if d.Relation != differences.Different {
		return difference
	}
	switch t {
	case answers.Date:
		difference.Days = &d.Days
	case answers.String:
		difference.IsFormOnly = &d.IsFormOnly
	}
	return difference
}

// numberOf returns decimal digits as a JSON number, or nil without digits.
func numberOf(decimals string) *json.Number {
	if decimals == "" {
		return nil
	}
	n := json.Number(decimals)
	return &n
}

// comparedValues returns the values of both documents, the engine's sentence about them and their difference, by
// variable.
func comparedValues(c answers.Comparison, variables []answers.Variable) map[string]any {
	values := make(map[string]any, len(variables))
	for _, v := range variables {
		first, second := differences.SideOf(c.First, v.Name), differences.SideOf(c.Second, v.Name)
		values[v.Name] = Compared{
			Data: first.Value.Text, DataToCompare: second.Value.Text, Comparison: c.Words[v.Name], Difference: newDifference(v.Type, first, second),
		}
	}
	return values
}
