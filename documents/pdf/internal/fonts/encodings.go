package fonts

// encodingTable maps the codes of a simple font to text.
type encodingTable = [256]string

// upperHalf has the characters of the codes from 128 on. U+FFFD marks an unused code; documents.Clean
// removes it.
type upperHalf = []rune

func winAnsi() upperHalf {
	upper := []rune("€•‚ƒ„…†‡ˆ‰Š‹Œ•Ž••‘’“”•–—˜™š›œ•žŸ")
	for c := rune(0xa0); c <= 0xff; c++ {
		upper = append(upper, c)
	}
	upper[0xad-0x80] = '-' // a visible hyphen, unlike U+00AD
	return upper
}

func macRoman() upperHalf {
	return []rune("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø" +
		"¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ")
}

func standard() upperHalf {
	const none = "\ufffd"
	table := make(upperHalf, 0, 128)
	for range 33 {
		table = append(table, '\ufffd')
	}
	return append(table, []rune("¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ"+none+"–†‡·"+none+"¶•‚„”»…‰"+none+"¿"+none+"`´ˆ˜¯˘˙¨"+none+"˚¸"+none+"˝˛ˇ—"+
		none+none+none+none+none+none+none+none+none+none+none+none+none+none+none+none+"Æ"+none+"ª"+none+none+none+none+"ŁØŒº"+
		none+none+none+none+none+"æ"+none+none+none+"ı"+none+none+"łøœß"+none+none+none+none)...)
}

// symbol returns the encoding of the standard font Symbol: its letters and the most frequent signs.
func symbol() encodingTable {
	var table encodingTable
	for first, letters := range map[int]string{'A': "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", 'a': "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"} {
		for i, letter := range []rune(letters) {
			table[first+i] = string(letter)
		}
	}
	for c := ' '; c < 'A'; c++ {
		table[c] = string(c)
	}
	table[0xb7], table[0xb0], table[0xb1], table[0xb4], table[0xa3], table[0xb3], table[0xa0] = "•", "°", "±", "×", "≤",
		"≥", "€"
	return table
}

// namedEncoding returns the table of a predefined encoding (ISO 32000-1, annex D). An unknown name gives
// the standard encoding with straight quotes.
func namedEncoding(name string) encodingTable {
	var table encodingTable
	for c := ' '; c < 127; c++ {
		table[c] = string(c)
	}
	upper := standard
	switch name {
	case "WinAnsiEncoding":
		upper = winAnsi
	case "MacRomanEncoding":
		upper = macRoman
	case "Symbol":
		return symbol()
	case "StandardEncoding":
		table['\''], table['`'] = "’", "‘"
	}
	for i, r := range upper() {
		table[128+i] = string(r)
	}
	return table
}
