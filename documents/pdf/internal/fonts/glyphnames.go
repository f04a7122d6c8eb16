package fonts

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// glyphNameList has the names of the Adobe Glyph List that Latin text needs and that follow no rule.
// Package fonts computes names that follow a rule: letters, letters with accents, uniXXXX, and parts
// joined with "_".
const glyphNameList = "space= exclam=! quotedbl=\" numbersign=# dollar=$ percent=% ampersand=& quotesingle=' parenleft=( parenright=) " +
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
	"asteriskmath=∗ universal=∀ existential=∃ element=∈ emptyset=∅ union=∪ intersection=∩ propersubset=⊂ reflexsubset=⊆ " +
	"similar=∼ equivalence=≡ proportional=∝ arrowboth=↔ arrowdblright=⇒ arrowdblboth=⇔ prime=′ minute=′ second=″ bardbl=‖ " +
	"Scommaaccent=Ș scommaaccent=ș Tcommaaccent=Ț tcommaaccent=ț"

// accentList maps the endings of names like eacute to combining marks.
const accentList = "acute=\u0301 grave=\u0300 circumflex=\u0302 tilde=\u0303 dieresis=\u0308 ring=\u030a cedilla=\u0327 caron=\u030c " +
	"ogonek=\u0328 macron=\u0304 breve=\u0306 dotaccent=\u0307 dot=\u0307 hungarumlaut=\u030b dblgrave=\u030f commaaccent=\u0327"

// glyphNames translates glyph names to text. Each document builds one: that costs less than locking a
// shared one.
type glyphNames struct{ names, accents map[string]string }

func newGlyphNames() glyphNames {
	return glyphNames{names: parsePairs(glyphNameList), accents: parsePairs(accentList)}
}

func parsePairs(list string) map[string]string {
	table := map[string]string{}
	for pair := range strings.SplitSeq(list, " ") {
		key, value, _ := strings.Cut(pair, "=")
		table[key] = value
	}
	table["space"] = " "
	return table
}

// text returns the text of a glyph name, or "" for an unknown name. It ignores a suffix like ".small".
func (g glyphNames) text(name string) string {
	const maxNameBytes = 128
	if len(name) > maxNameBytes {
		return ""
	}
	if base, _, found := strings.Cut(name, "."); found {
		name = base
	}
	if !strings.Contains(name, "_") {
		return g.component(name)
	}
	var out strings.Builder
	for component := range strings.SplitSeq(name, "_") {
		out.WriteString(g.component(component))
	}
	return out.String()
}

// component returns the text of a name, or of a component of a ligature's name.
func (g glyphNames) component(name string) string {
	if known, ok := g.names[name]; ok {
		return known
	}
	if utf8.RuneCountInString(name) == 1 {
		return name
	}
	if hex, ok := strings.CutPrefix(name, "uni"); ok && len(hex)%4 == 0 {
		return decodeHexRunes(hex, 4)
	}
	if hex, ok := strings.CutPrefix(name, "u"); ok && len(hex) >= 4 && len(hex) <= 6 {
		if text := decodeHexRunes(hex, len(hex)); text != "" {
			return text
		}
	}
	if name == "" {
		return ""
	}
	if mark, ok := g.accents[name[1:]]; ok && isLetter(name[0]) {
		return norm.NFC.String(name[:1] + mark)
	}
	return ""
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// decodeHexRunes decodes code points of a fixed number of hexadecimal digits.
func decodeHexRunes(hex string, digits int) string {
	var out strings.Builder
	for ; len(hex) >= digits; hex = hex[digits:] {
		value, err := strconv.ParseUint(hex[:digits], 16, 32)
		if err != nil || value > utf8.MaxRune {
			return ""
		}
		out.WriteRune(rune(value))
	}
	return out.String()
}
