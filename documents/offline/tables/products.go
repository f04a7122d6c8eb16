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

// product names three columns of a table in which quantity times price is the amount. It says more about the columns than their heads,
// which may all be words for prices.
type product struct{ quantity, price, amount int }

// role is what a column of the list means in a product.
type role int

const (
	noRole role = iota
	quantityRole
	priceRole
	amountRole
)

// roleOf returns what a question asks for.
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

// isOtherAmount reports a word for amounts that are no products of a quantity and a price.
func isOtherAmount(term string) bool {
	return slices.Contains([]string{"TAX", "DISCOUNT", "GROSS", "RATE", "PERCENT"}, term)
}

// headScore returns the score of a head for a question with the role. Beside other columns of prices, the words for a sum and for a price
// have a clear meaning even with a word more, as in "net price" or "total excl. VAT".
func (r role) headScore(score float64, head candidates.Head) float64 {
	const clearScore, unclearScore, share = 0.8, 0.75, 0.1
	isSum := lexicon.Contains(head.Terms, "AMOUNT") || lexicon.Contains(head.Terms, "TOTAL")
	isPrice := lexicon.Contains(head.Terms, "PRICE") && !isSum
	switch {
	case slices.ContainsFunc(head.Terms, isOtherAmount):
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

// adjust returns the score of a question with the role for a column. Only the column of the product with the same role can answer it.
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

// findProduct returns the columns of the product that holds in most rows of a grid.
func findProduct(doc *index.Index, grid candidates.Grid) (product, bool) {
	const maxColumns, maxRows = 12, 60
	var columns []int
	for column := range grid.Heads {
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

// productsOf returns each choice of three columns.
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

// numbersOf returns the only number of each cell.
func numbersOf(doc *index.Index, row *documents.Block, columns []int) map[int]float64 {
	all := map[int]float64{}
	for _, column := range columns {
		cell, isFilled := cellIn(row, column)
		if !isFilled {
			continue
		}
		found := doc.NumbersIn(scan.Between(cell.Start, cell.Start+len(cell.Text)))
		if len(found) != 1 || found[0].Percent {
			continue
		}
		if value, err := strconv.ParseFloat(found[0].Value, 64); err == nil {
			all[column] = value
		}
	}
	return all
}

// score returns 0 if the product does not hold in most rows. Otherwise it prefers heads with words for quantities and prices, and the order
// price, amount. A row with the quantity 1 counts only below such a head, because any two equal columns would fit.
func (p product) score(grid candidates.Grid, rows []map[int]float64) float64 {
	isQuantity := lexicon.Contains(grid.Heads[p.quantity].Terms, "QUANTITY")
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
	const least = 2 // of three rows
	if holds == 0 || holds < least*fails {
		return 0
	}
	score := float64(holds)
	if isQuantity {
		score += 2
	}
	if lexicon.Contains(grid.Heads[p.price].Terms, "PRICE") {
		score++
	}
	if p.price < p.amount {
		score += 0.5
	}
	return score
}
