package pdf

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// glyphNames are the names of the Adobe Glyph List that follow no rule, as far as Latin text needs them. What follows a rule
// (letters, letters with accents, uniXXXX, parts joined with _) is computed by glyphText.
const glyphNames = "space= exclam=! quotedbl=\" numbersign=# dollar=$ percent=% ampersand=& quotesingle=' parenleft=( parenright=) " +
	"asterisk=* plus=+ comma=, hyphen=- period=. slash=/ zero=0 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 " +
	"colon=: semicolon=; less=< equal== greater=> question=? at=@ bracketleft=[ backslash=\\ bracketright=] asciicircum=^ " +
	"underscore=_ grave=` braceleft={ bar=| braceright=} asciitilde=~ exclamdown=¡ cent=¢ sterling=£ fraction=⁄ yen=¥ florin=ƒ " +
	"section=§ currency=¤ quotedblleft=“ guillemotleft=« guilsinglleft=‹ guilsinglright=› fi=fi fl=fl ff=ff ffi=ffi ffl=ffl " +
	"endash=– dagger=† daggerdbl=‡ periodcentered=· middot=· paragraph=¶ bullet=• quotesinglbase=‚ quotedblbase=„ quotedblright=” " +
	"guillemotright=» ellipsis=… perthousand=‰ questiondown=¿ acute=´ circumflex=ˆ tilde=˜ macron=¯ breve=˘ dotaccent=˙ " +
	"dieresis=¨ ring=˚ cedilla=¸ hungarumlaut=˝ ogonek=˛ caron=ˇ emdash=— AE=Æ ordfeminine=ª Lslash=Ł Oslash=Ø OE=Œ " +
	"ordmasculine=º ae=æ dotlessi=ı lslash=ł oslash=ø oe=œ germandbls=ß onesuperior=¹ logicalnot=¬ mu=µ trademark=™ Eth=Ð " +
	"onehalf=½ plusminus=± Thorn=Þ onequarter=¼ divide=÷ brokenbar=¦ degree=° thorn=þ threequarters=¾ twosuperior=² registered=® " +
	"minus=− eth=ð multiply=× threesuperior=³ copyright=© Euro=€ quoteleft=‘ quoteright=’ Dcroat=Đ dcroat=đ Hbar=Ħ hbar=ħ " +
	"kra=ĸ Eng=Ŋ eng=ŋ Tbar=Ŧ tbar=ŧ longs=ſ nbspace=\u00a0 nonbreakingspace=\u00a0 sfthyphen=- softhyphen=- figuredash=‒ " +
	"horizontalbar=― lozenge=◊ infinity=∞ notequal=≠ lessequal=≤ greaterequal=≥ partialdiff=∂ summation=∑ product=∏ pi=π " +
	"integral=∫ Omega=Ω radical=√ approxequal=≈ Delta=∆ apple=\uf8ff estimated=℮ afii61352=№ numero=№ arrowleft=← arrowup=↑ " +
	"arrowright=→ arrowdown=↓ checkmark=✓ H18533=▪ H22073=□ filledbox=■ square=□ openbullet=◦ circle=○ Germandbls=ẞ " +
	"alpha=α beta=β gamma=γ delta=δ epsilon=ε zeta=ζ eta=η theta=θ iota=ι kappa=κ lambda=λ nu=ν xi=ξ omicron=ο rho=ρ sigma=σ " +
	"tau=τ upsilon=υ phi=φ chi=χ psi=ψ omega=ω Gamma=Γ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π Sigma=Σ Phi=Φ Psi=Ψ " +
	"Scommaaccent=Ș scommaaccent=ș Tcommaaccent=Ț tcommaaccent=ț"

// accents are the endings of names like eacute, with the combining mark of each.
const accents = "acute=\u0301 grave=\u0300 circumflex=\u0302 tilde=\u0303 dieresis=\u0308 ring=\u030a cedilla=\u0327 caron=\u030c " +
	"ogonek=\u0328 macron=\u0304 breve=\u0306 dotaccent=\u0307 dot=\u0307 hungarumlaut=\u030b dblgrave=\u030f commaaccent=\u0327"

// glyphTable is made for each document: it costs less than it would to guard one for all.
type glyphTable struct{ names, accents map[string]string }

func newGlyphTable() glyphTable {
	return glyphTable{names: pairs(glyphNames), accents: pairs(accents)}
}

func pairs(list string) map[string]string {
	table := map[string]string{}
	for pair := range strings.SplitSeq(list, " ") {
		key, value, _ := strings.Cut(pair, "=")
		table[key] = value
	}
	table["space"] = " "
	return table
}

// text returns what a glyph of this name stands for, or nothing.
func (g glyphTable) text(named string) string {
	const longest = 128
	if len(named) > longest {
		return ""
	}
	if base, _, found := strings.Cut(named, "."); found {
		named = base // a.small, one.oldstyle
	}
	if !strings.Contains(named, "_") {
		return g.part(named)
	}
	var out strings.Builder
	for part := range strings.SplitSeq(named, "_") {
		out.WriteString(g.part(part))
	}
	return out.String()
}

func (g glyphTable) part(named string) string {
	if known, ok := g.names[named]; ok {
		return known
	}
	if utf8.RuneCountInString(named) == 1 {
		return named
	}
	if hex, ok := strings.CutPrefix(named, "uni"); ok && len(hex)%4 == 0 {
		return hexRunes(hex, 4)
	}
	if hex, ok := strings.CutPrefix(named, "u"); ok && len(hex) >= 4 && len(hex) <= 6 {
		if text := hexRunes(hex, len(hex)); text != "" {
			return text
		}
	}
	if named == "" {
		return ""
	}
	if mark, ok := g.accents[named[1:]]; ok && letter(named[0]) {
		return norm.NFC.String(named[:1] + mark)
	}
	return ""
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func hexRunes(hex string, width int) string {
	var out strings.Builder
	for ; len(hex) >= width; hex = hex[width:] {
		value, err := strconv.ParseUint(hex[:width], 16, 32)
		if err != nil || value > utf8.MaxRune {
			return ""
		}
		out.WriteRune(rune(value))
	}
	return out.String()
}
