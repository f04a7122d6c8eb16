package numbers

import (
	"strings"
	"sync"
)

// SmallNumbers maps the small numbers that contracts write as words to their values.
var SmallNumbers = sync.OnceValue(func() map[string]int {
	numbers := map[string]int{"thirty": 30, "treinta": 30, "trinta": 30, "trente": 30, "dreissig": 30, "trenta": 30,
		"dertig":  30,
		"trettio": 30, "trzydziesci": 30, "treizeci": 30,
		"fourteen": 14, "vierzehn": 14, "quinze": 15, "quince": 15, "quindici": 15, "sixty": 60, "ninety": 90, "twenty": 20,
		"fifteen": 15}
	for _, row := range []string{
		"one two three four five six seven eight nine ten eleven twelve",
		"un dos tres cuatro cinco seis siete ocho nueve diez once doce",
		"um dois tres quatro cinco seis sete oito nove dez onze doze",
		"un deux trois quatre cinq six sept huit neuf dix onze douze",
		"einen zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
		"un due tre quattro cinque sei sette otto nove dieci undici dodici",
		"een twee drie vier vijf zes zeven acht negen tien elf twaalf",
		"en tva tre fyra fem sex sju atta nio tio elva tolv",
		"jeden dwa trzy cztery piec szesc siedem osiem dziewiec dziesiec jedenascie dwanascie",
		"un doi trei patru cinci sase sapte opt noua zece unsprezece doisprezece",
		"ett duas tres dwoch trzech czterech pieciu szesciu siedmiu osmiu dziewieciu dziesieciu jedenastu dwunastu",
	} {
		for i, w := range strings.Fields(row) {
			if _, known := numbers[w]; !known {
				numbers[w] = i + 1
			}
		}
	}
	numbers["ett"], numbers["duas"], numbers["tres"], numbers["uma"], numbers["una"] = 1, 2, 3, 1, 1
	for i, w := range strings.Fields("dwoch trzech czterech pieciu szesciu siedmiu osmiu dziewieciu dziesieciu jedenastu dwunastu") {
		numbers[w] = i + 2
	}
	numbers["doua"], numbers["eine"], numbers["einem"], numbers["douazeci"] = 2, 1, 1, 20
	return numbers
})
