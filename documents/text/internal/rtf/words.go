package rtf

import (
	"bytes"
	"strconv"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// codePages are the character sets by their number. Those of Chinese, Japanese and Korean have characters of two bytes.
var codePages = map[int]encoding.Encoding{
	437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 858: charmap.CodePage858,
	866: charmap.CodePage866, 874: charmap.Windows874, 932: japanese.ShiftJIS, 936: simplifiedchinese.GBK, 949: korean.EUCKR,
	950: traditionalchinese.Big5, 1250: charmap.Windows1250, 1251: charmap.Windows1251, 1252: charmap.Windows1252,
	1253: charmap.Windows1253, 1254: charmap.Windows1254, 1255: charmap.Windows1255, 1256: charmap.Windows1256,
	1257: charmap.Windows1257, 1258: charmap.Windows1258, 10000: charmap.Macintosh, 28592: charmap.ISO8859_2,
}

// charSets are code pages by the number of a Windows character set.
var charSets = map[int]int{
	0: 1252, 77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256,
	186: 1257, 204: 1251, 222: 874, 238: 1250, 255: 850,
}

// font is an entry of the font table.
type font struct{ page encoding.Encoding }

// control reads what follows a backslash: a word with its number, a symbol, or a byte as two digits.
func (r *rich) control() error {
	if r.at >= len(r.data) {
		return nil
	}
	c := r.data[r.at]
	if !isLetter(c) {
		r.at++
		return r.sign(c)
	}
	r.lead = 0
	begin := r.at
	for r.at < len(r.data) && isLetter(r.data[r.at]) && r.at-begin < 32 {
		r.at++
	}
	word := string(r.data[begin:r.at])
	number, given := r.number()
	if r.at < len(r.data) && r.data[r.at] == ' ' {
		r.at++
	}
	if r.skip > 0 && word != "u" && word != "bin" {
		r.skip--
		return nil
	}
	return r.word(word, number, given)
}

func (r *rich) number() (n int, given bool) {
	begin := r.at
	if r.at < len(r.data) && r.data[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.data) && r.data[r.at] >= '0' && r.data[r.at] <= '9' && r.at-begin < 11 {
		r.at++
	}
	n, err := strconv.Atoi(string(r.data[begin:r.at]))
	return n, err == nil
}

func (r *rich) sign(c byte) error {
	switch c {
	case '\'':
		if r.at+2 <= len(r.data) {
			if n, err := strconv.ParseUint(string(r.data[r.at:r.at+2]), 16, 8); err == nil {
				r.at += 2
				r.byte(byte(n))
			}
		}
	case '*':
		r.star()
	case '~':
		r.write(" ")
	case '_':
		r.write("-")
	case '\\', '{', '}':
		r.byte(c)
	case '\r', '\n':
		return r.endParagraph()
	}
	return nil
}

// star begins a destination that readers may ignore. This reader ignores all but the marks of lists. A star in the
// middle of a group begins no destination: the text before it is in the body, and so is the text behind it. There, star
// ignores only the control word.
func (r *rich) star() {
	switch {
	case r.follows(`\pntext`), r.follows(`\listtext`):
	case r.beginsGroup(r.at - len(`\*`)):
		r.begin(skipped)
	case r.at+1 < len(r.data) && r.data[r.at] == '\\' && isLetter(r.data[r.at+1]):
		r.at++
		for r.at < len(r.data) && isLetter(r.data[r.at]) {
			r.at++
		}
		r.number()
		if r.at < len(r.data) && r.data[r.at] == ' ' {
			r.at++
		}
	}
}

// beginsGroup reports whether only white space is between the opening brace of the group and the position.
func (r *rich) beginsGroup(at int) bool {
	const maxSpace = 64 // bytes
	before := bytes.TrimRight(r.data[max(0, at-maxSpace):at], " \t\r\n")
	return bytes.HasSuffix(before, []byte("{")) && !bytes.HasSuffix(before, []byte(`\{`))
}

func (r *rich) follows(word string) bool {
	end := min(len(r.data), r.at+len(word))
	return string(r.data[r.at:end]) == word
}

// glyphs are the characters that have a control word.
var glyphs = map[string]string{
	"tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
	"bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ", "softline": "\n", "nestcell": " ", "nestrow": " ",
}

// destinations are the groups whose text does not belong to the body.
var destinations = map[string]destination{
	"fonttbl": fontTable, "colortbl": skipped, "stylesheet": skipped, "info": skipped, "pict": skipped, "object": skipped,
	"fldinst": skipped, "datafield": skipped, "themedata": skipped, "colorschememapping": skipped, "listtable": skipped,
	"listoverridetable": skipped, "revtbl": skipped, "rsidtbl": skipped, "generator": skipped, "filetbl": skipped,
	"xmlnstbl": skipped, "xe": skipped, "tc": skipped, "bkmkstart": skipped, "bkmkend": skipped, "nonesttables": skipped,
	"listtext": listText, "pntext": listText, "header": note, "headerl": note, "headerr": note, "headerf": note,
	"footer": note, "footerl": note, "footerr": note, "footerf": note, "footnote": note, "annotation": skipped,
	"atnid": skipped, "atnauthor": skipped, "atnref": skipped, "atndate": skipped, "shpinst": skipped, "sp": skipped,
	"pnseclvl": skipped, "ftnsep": skipped, "ftnsepc": skipped, "latentstyles": skipped, "operator": skipped, "author": skipped,
}

// word executes a control word.
func (r *rich) word(word string, number int, given bool) error {
	if glyph, ok := glyphs[word]; ok {
		r.write(glyph)
		return nil
	}
	if to, ok := destinations[word]; ok {
		r.count(word)
		r.begin(to)
		return nil
	}
	on := !given || number != 0
	switch word {
	case "par", "sect", "page":
		return r.ifBody(r.endParagraph)
	case "cell":
		return r.ifBody(func() error { r.endCell(); return nil })
	case "row":
		return r.ifBody(r.endRow)
	case "title":
		r.beginTitle()
	case "u":
		r.unicode(number)
	case "uc":
		r.state.uc = max(0, min(number, 100))
	case "bin":
		r.at = min(len(r.data), r.at+max(0, number))
	case "v", "deleted":
		r.state.hidden = on
	case "plain":
		r.state.hidden = false
	case "ansicpg":
		if page := codePages[number]; page != nil {
			r.page = page
		}
	case "mac":
		r.page = codePages[10000]
	case "pc":
		r.page = codePages[437]
	case "pca":
		r.page = codePages[850]
	case "f":
		r.font(number)
	case "fcharset":
		if f := r.fonts[r.state.font]; f != nil && r.state.to == fontTable {
			f.page = codePages[charSets[number]]
		}
	default:
		return r.layout(word, number)
	}
	return nil
}

// count counts the parts that are left out with a warning.
func (r *rich) count(word string) {
	switch {
	case word == "annotation":
		r.comments++
	case word == "object" && r.state.to != skipped:
		r.objects++
	}
}

// layout executes a control word about paragraphs.
func (r *rich) layout(word string, number int) error {
	if r.state.to != body {
		return nil
	}
	switch word {
	case "pard":
		list := r.para.list && r.mark.Len() > 0 // the mark comes first
		r.para = paragraphState{list: list}
	case "trowd":
		r.header = false
		r.para.inTable = true
		if len(r.cells) == 0 && r.text.Len() > 0 {
			r.para.inTable = false
			return r.endParagraph()
		}
	case "intbl":
		r.para.inTable = true
	case "trhdr":
		r.header = true
	case "ls":
		r.para.list = number > 0
	case "ilvl":
		r.para.level = max(0, min(number, 8))
	case "outlinelevel":
		if number >= 0 && number < 9 {
			r.para.outline = number + 1
		}
	}
	return nil
}

// ifBody ends a paragraph, a cell or a row, unless it is in text that is not shown.
func (r *rich) ifBody(do func() error) error {
	if r.state.to != body && r.state.to != note {
		return nil
	}
	return do()
}

// beginTitle begins the title, which lies in a group that is not shown.
func (r *rich) beginTitle() {
	if len(r.groups) > 0 && r.state.to == skipped {
		r.state.to = docTitle
		r.groups[len(r.groups)-1].begun = true
	}
}

const maxFonts = 10_000

func (r *rich) font(number int) {
	r.state.font = number
	if r.state.to == fontTable && len(r.fonts) < maxFonts {
		r.fonts[number] = &font{}
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
