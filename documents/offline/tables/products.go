package tables

import (
	"math"
	"slices"
	"strconv"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/questions"
	"portside/documents/offline/scan"
)

// product has three columns of a table in which quantity times price is the amount. The product identifies the columns
// more reliably than their headers, which may all be words for prices.
type product struct{ quantity, price, amount int }

// role is the part that a column has in a product.
type role int

const (
	noRole role = iota
	quantityRole
	priceRole
	amountRole
)

// roleOf returns the role of the column that a question asks for.
func roleOf(q *questions.Question) role {
	if q.Variable.Type != answers.Number || slices.ContainsFunc(q.NameTerms, isOtherAmount) {
		return noRole
	}
	has := func(terms ...string) bool {
		return slices.ContainsFunc(terms, func(t string) bool {
			return slices.Contains(q.NameTerms, t) || slices.ContainsFunc(q.Patterns, func(p questions.Pattern) bool {
				return slices.Contains(p.Terms, t)
			})
		})
	}
	switch {
	case has("UNIT") && has("PRICE", "AMOUNT", "COST", "RATE"):
		return priceRole
	case has("TOTAL", "AMOUNT", "PRICE", "GRAND"):
		return amountRole
	case has("QUANTITY"):
		return quantityRole
	}
	return noRole
}

// isOtherAmount reports whether a term means an amount or a rate that is not the product of a quantity and a price.
func isOtherAmount(term string) bool {
	return slices.Contains([]string{"TAX", "DISCOUNT", "GROSS", "RATE", "PERCENT"}, term)
}

// headerScore adjusts the score of a header for a column with the role. A word for a sum or for a price identifies the
// amount or the price even if the header has more words, as in "net price" or "total excl. VAT". A word for a price is
// a weak match for the amount.
func (r role) headerScore(score float64, header candidates.Header) float64 {
	const clearScore, unclearScore, share = 0.8, 0.75, 0.1
	isSum := lexicon.Contains(header.Terms, "AMOUNT") || lexicon.Contains(header.Terms, "TOTAL")
	isPrice := lexicon.Contains(header.Terms, "PRICE") && !isSum
	switch {
	case slices.ContainsFunc(header.Terms, isOtherAmount):
		return score
	case r == amountRole && isSum, r == priceRole && isPrice:
		return max(score, clearScore+share*score)
	case r == amountRole && isPrice:
		return min(score, unclearScore)
	}
	return score
}

// column returns the column that has the role.
func (p product) column(r role) int {
	return map[role]int{quantityRole: p.quantity, priceRole: p.price, amountRole: p.amount}[r]
}

// adjust adjusts the score of a column for a question, if the columns of the product are known. A question that asks
// for a role can be answered only by the column with this role, and the columns of the product answer no other
// question.
func (p product) adjust(score float64, asked role, column int) float64 {
	const sure = 0.9
	switch {
	case asked != noRole && p.column(asked) == column:
		return max(score, sure)
	case asked != noRole, column == p.quantity, column == p.price, column == p.amount:
		return 0
	}
	return score
}

// findProduct returns the three columns whose product holds in the most rows of a grid.
func findProduct(doc *index.Index, grid candidates.Grid) (product, bool) {
	const maxColumns, maxRows = 12, 60
	var columns []int
	for column := range grid.Headers {
		columns = append(columns, column)
	}
	slices.Sort(columns)
	columns = columns[:min(len(columns), maxColumns)]
	var rows []map[int]float64
	for i := range grid.Rows[:min(len(grid.Rows), maxRows)] {
		rows = append(rows, numbersOf(doc, &grid.Rows[i], columns))
	}
	var best product
	most := 0.0
	for _, p := range productsOf(columns) {
		if score := p.score(grid, rows); score > most {
			best, most = p, score
		}
	}
	return best, most > 0
}

// productsOf returns every ordered choice of three columns.
func productsOf(columns []int) (all []product) {
	for _, quantity := range columns {
		for _, price := range columns {
			for _, amount := range columns {
				if quantity != price && quantity != amount && price != amount {
					all = append(all, product{quantity, price, amount})
				}
			}
		}
	}
	return all
}

// numbersOf returns the numbers of the cells that have exactly one number, by column. It leaves out percentages.
func numbersOf(doc *index.Index, row *documents.Block, columns []int) map[int]float64 {
	all := map[int]float64{}
	for _, column := range columns {
		cell, isFilled := cellIn(row, column)
		if !isFilled {
			continue
		}
		found := doc.NumbersIn(scan.CellSpan(cell))
		if len(found) != 1 || found[0].Percent {
			continue
		}
		if value, err := strconv.ParseFloat(found[0].Value, 64); err == nil {
			all[column] = value
		}
	}
	return all
}

// score counts the rows in which the product holds, and returns 0 if it fails in more than half as many. Headers with
// words for quantities and prices increase the score, and so does a price to the left of the amount. With a factor of
// 1, any two equal columns would form a product. So a row with the quantity 1 counts only below a header for
// quantities, and a row with the price 1 never counts.
func (p product) score(grid candidates.Grid, rows []map[int]float64) float64 {
	isQuantity := lexicon.Contains(grid.Headers[p.quantity].Terms, "QUANTITY")
	holds, fails := 0, 0
	for _, row := range rows {
		quantity, hasQuantity := row[p.quantity]
		price, hasPrice := row[p.price]
		amount, hasAmount := row[p.amount]
		if !hasQuantity || !hasPrice || !hasAmount || amount == 0 {
			continue
		}
		const cent = 0.0101
		switch isTrivial := quantity == 1 || price == 1; {
		case math.Abs(math.Abs(quantity*price)-math.Abs(amount)) >= cent:
			fails++
		case !isTrivial || isQuantity && price != 1:
			holds++
		}
	}
	const minHoldsPerFail = 2
	if holds == 0 || holds < minHoldsPerFail*fails {
		return 0
	}
	score := float64(holds)
	if isQuantity {
		score += 2
	}
	if lexicon.Contains(grid.Headers[p.price].Terms, "PRICE") {
		score++
	}
	if p.price < p.amount {
		score += 0.5
	}
	return score
}
