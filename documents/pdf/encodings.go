package pdf

// The encodings that a simple font may name. What a table leaves out is shown as U+FFFD, which Clean drops.

// high128 are the characters of the codes from 128 on.
type high128 = []rune

func winAnsi() high128 {
	low := []rune("€•‚ƒ„…†‡ˆ‰Š‹Œ•Ž••‘’“”•–—˜™š›œ•žŸ")
	for c := rune(0xa0); c <= 0xff; c++ {
		low = append(low, c)
	}
	low[0xad-0x80] = '-' // a hyphen that is seen, unlike U+00AD
	return low
}

func macRoman() high128 {
	return []rune("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø" +
		"¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ")
}

func standard() high128 {
	const none = "\ufffd"
	table := make(high128, 0, 128)
	for range 33 {
		table = append(table, '\ufffd')
	}
	return append(table, []rune("¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ"+none+"–†‡·"+none+"¶•‚„”»…‰"+none+"¿"+none+"`´ˆ˜¯˘˙¨"+none+"˚¸"+none+"˝˛ˇ—"+
		none+none+none+none+none+none+none+none+none+none+none+none+none+none+none+none+"Æ"+none+"ª"+none+none+none+none+"ŁØŒº"+
		none+none+none+none+none+"æ"+none+none+none+"ı"+none+none+"łøœß"+none+none+none+none)...)
}

// symbol is the encoding of the standard font Symbol, as far as it has letters and the bullet.
func symbol() [256]string {
	var table [256]string
	for c, r := range map[int]string{'A': "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", 'a': "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"} {
		for i, letter := range []rune(r) {
			table[c+i] = string(letter)
		}
	}
	for c := ' '; c < 'A'; c++ {
		table[c] = string(c)
	}
	table[0xb7], table[0xb0], table[0xb1], table[0xb4], table[0xa3], table[0xb3], table[0xa0] = "•", "°", "±", "×", "≤", "≥", "€"
	return table
}

// encoding returns the table of a named encoding.
func encoding(named string) [256]string {
	var table [256]string
	for c := ' '; c < 127; c++ {
		table[c] = string(c)
	}
	high := standard
	switch named {
	case "WinAnsiEncoding":
		high = winAnsi
	case "MacRomanEncoding":
		high = macRoman
	case "Symbol":
		return symbol()
	case "StandardEncoding":
		table['\''], table['`'] = "’", "‘"
	}
	for i, r := range high() {
		table[128+i] = string(r)
	}
	return table
}
