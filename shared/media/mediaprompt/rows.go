package mediaprompt

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/answers"
)

const rowsRules = `List the records of a list or table in the document. The block "list" says what is sought: its name, its description
where there is one, and its columns with key, name, type and description. Answer with all records, in the order of the document; rows
of heads and of totals are no records. A record has a quote, the words of the record copied from the document character by
character, and for each key a list with the one value that the quote gives, empty if it gives none: a string is copied from
the quote; a number is a plain decimal number without unit, sign of currency or thousands separators; a date is
YYYY-MM-DD; a boolean says whether what is described holds.
Never calculate, never complete, never guess. If the document has no such list, there are no records.`

const (
	rowTokens    = 8_000 // limit of an answer
	minPartBytes = 1_000 // a shorter part is not divided, even if its records are too long for one answer
)

// promptTable is a table as the model sees it.
type promptTable struct {
	Name        string           `json:"name"`
	Description string           `json:"description,omitempty"`
	Columns     []promptVariable `json:"columns"`
}

// addRows asks the model for the records of the tables, part by part.
func (e *Engine) addRows(ctx context.Context, d *documents.Document, tables []answers.Table, all *answers.Extraction) error {
	if len(tables) == 0 {
		return nil
	}
	parts, _ := e.split(d.Text())
	found := make([][]answers.Row, len(tables)*len(parts))
	err := e.forEach(ctx, len(found), func(ctx context.Context, i int) (err error) {
		found[i], err = e.findRows(ctx, parts[i%len(parts)], tables[i/len(parts)])
		return err
	})
	if err != nil {
		return err
	}
	all.Rows = map[string][]answers.Row{}
	for i, t := range tables {
		rows := slices.Concat(found[i*len(parts) : (i+1)*len(parts)]...)
		for _, row := range rows {
			setPages(row, d)
		}
		all.Rows[t.Name] = rows[:min(len(rows), t.MaxRows)]
	}
	return nil
}

func setPages(row answers.Row, d *documents.Document) {
	for _, quotes := range row.Evidence {
		for i := range quotes {
			if at := d.BlockAt(quotes[i].Start); at >= 0 {
				quotes[i].Page = d.Blocks[at].Page
			}
		}
	}
}

// findRows asks the model for the records in one part. If the answer is too long for the model, it asks for each half
// of the part.
func (e *Engine) findRows(ctx context.Context, p part, t answers.Table) ([]answers.Row, error) {
	q := prompt{name: "records", rules: rowsRules, schema: rowsSchema(t), maxTokens: rowTokens}
	q.data = []dataBlock{{"list", describeTable(t)}, {"document", p.text}}
	var rows []answers.Row
	err := e.ask(ctx, q, func(answer map[string]json.RawMessage) (err error) {
		rows, err = p.readRows(answer, t)
		return err
	})
	if errors.Is(err, ErrTruncated) && len(p.text) > minPartBytes {
		return e.findRowsOfHalves(ctx, p, t)
	}
	return rows, err
}

func (e *Engine) findRowsOfHalves(ctx context.Context, p part, t answers.Table) (all []answers.Row, err error) {
	middle := cutPosition(p.text, len(p.text)/2)
	for _, half := range []part{newPart(p.text[:middle], p.start), newPart(p.text[middle:], p.start+middle)} {
		rows, err := e.findRows(ctx, half, t)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

func describeTable(t answers.Table) string {
	described := promptTable{Name: t.Name, Description: t.Description}
	for i, v := range t.Columns {
		described.Columns = append(described.Columns, promptVariable{variableKey(i), v.Name, v.Type, v.Description})
	}
	return encodeList([]promptTable{described})
}

// recordsKey is the key of the list in an answer.
const recordsKey = "records"

func rowsSchema(t answers.Table) schema {
	properties := []property{{"quote", textSchema("the record, copied from the document, character by character")}}
	for i, v := range t.Columns {
		properties = append(properties, property{variableKey(i), listSchema(valueSchema(v.Type))})
	}
	return objectSchema(property{recordsKey, listSchema(objectSchema(properties...))})
}

// readRows returns the records whose quote is in the part, with the values that the quote supports. Each record is
// searched after the previous one; see locateFrom.
func (p part) readRows(answer map[string]json.RawMessage, t answers.Table) ([]answers.Row, error) {
	var records []map[string]json.RawMessage
	if json.Unmarshal(answer[recordsKey], &records) != nil {
		return nil, ErrJunk
	}
	var rows []answers.Row
	from := 0
	for _, record := range records[:min(len(records), t.MaxRows)] {
		var quote string
		if json.Unmarshal(record["quote"], &quote) != nil {
			continue
		}
		at, isFound := p.locateFrom(from, quote)
		if !isFound {
			continue
		}
		from = at.to
		if row := p.readRow(record, at, t); len(row.Values) > 0 {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// locateFrom finds a quote after the previous record, so that equal records get different positions. If the quote is
// not there, it searches the whole part, because the model may not have kept the order.
func (p part) locateFrom(from int, quote string) (span, bool) {
	if len(quote) > maxQuoteBytes || !strings.ContainsFunc(quote, isWord) {
		return span{}, false
	}
	if at, isFound := p.folded().after(from).locate(quote); isFound {
		return at, true
	}
	return p.folded().locate(quote)
}

func (p part) readRow(record map[string]json.RawMessage, at span, t answers.Table) answers.Row {
	row := answers.Row{Values: map[string]answers.Value{}, Evidence: map[string][]answers.Evidence{}}
	quote := p.text[at.from:at.to]
	for i, column := range t.Columns {
		value, confidence := checkValue(column, parseValue(column.Type, firstOf(record[variableKey(i)])), quote)
		if !value.Found() {
			continue
		}
		place := answers.Evidence{Quote: quote, Start: p.start + at.from, Confidence: confidence}
		if i := strings.Index(quote, value.Text); i >= 0 && value.Type == answers.String {
			place.Quote, place.Start = value.Text, place.Start+i
		}
		row.Values[column.Name], row.Evidence[column.Name] = value, []answers.Evidence{place}
	}
	return row
}

// firstOf returns the first value of a list. A server that ignores the schema may send the value without a list.
func firstOf(raw json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return raw
	}
	if len(list) == 0 {
		return nil
	}
	return list[0]
}
