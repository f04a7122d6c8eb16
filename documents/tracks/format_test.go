package tracks_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"portside/documents/tracks"
)

func payload(texts ...string) []byte {
	var cues [][]byte
	for _, text := range texts {
		cues = append(cues, box("vttc", box("sttg", []byte("line:0")), box("payl", []byte(text))))
	}
	if len(texts) == 0 {
		return box("vtte")
	}
	var all []byte
	for _, c := range cues {
		all = append(all, c...)
	}
	return all
}

func TestWebVTTInMP4(t *testing.T) {
	f := film{codec: "wvtt", lasts: []uint32{2, 3, 1, 2, 2}, samples: [][]byte{
		payload(), payload("<v Ana>One"), payload("<v Ana>One", "Two &amp; <b.loud>more</b>"),
		payload("Two &amp; <b.loud>more</b>"), payload("Three"),
	}}
	if got, want := captionsOf(t, f.bytes()), "2.00-6.00 Ana: One\n5.00-8.00 Two & more\n8.00-10.00 Three\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestTTML(t *testing.T) {
	const document = `<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter"
		ttp:frameRate="25" ttp:tickRate="10"><head><metadata>no</metadata></head><body begin="1s"><div begin="00:00:01">
		<p begin="0.5s" dur="1s">From
			<span>the</span> <span begin="1s">parts</span></p><p begin="00:00:02:05" end="50t">a &lt; b<br/>c</p>
		<p begin="200f" end="9000ms">frames</p>
		</div><p begin="0.2m">later</p></body></tt>`
	f := film{codec: "stpp", samples: [][]byte{[]byte(document)}, lasts: []uint32{20}}
	want := "2.50-3.50 From the parts\n4.20-7.00 a < b|c\n10.00-11.00 frames\n13.00-13.00 later\n"
	if got := captionsOf(t, f.bytes()); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	// some count from the sample, and some leave all times to it
	one := []byte(`<tt><body><p begin="1s" end="2s">own</p></body></tt>`)
	f = film{codec: "stpp", samples: [][]byte{one, one, []byte(`<tt><body><p>none</p></body></tt>`)},
		lasts: []uint32{5, 5, 5}}
	if got, want := captionsOf(t, f.bytes()), "1.00-2.00 own\n6.00-7.00 own\n10.00-15.00 none\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestTextOfMP4(t *testing.T) {
	for name, test := range map[string]struct {
		film film
		want string
	}{
		"styles behind the text": {film{codec: "tx3g", samples: [][]byte{append(tx3g("words"), box("styl", be(1, 2))...)}}, "0.00-4.00 words\n"},
		"UTF-16":                 {film{codec: "tx3g", samples: [][]byte{tx3g("\xfe\xff\x00h\x00\xe9")}}, "0.00-4.00 hé\n"},
		"Macintosh":              {film{codec: "text", samples: [][]byte{tx3g("caf\x8e")}}, "0.00-4.00 café\n"},
		"begins later": {film{codec: "tx3g", samples: [][]byte{tx3g("words")}, boxes: map[string][]byte{
			"edts": box("edts", box("elst", be(0, 2, 25, 1<<32-1, 1, 100, 1, 1)))}}, "1.50-5.50 words\n"},
		"64-bit places": {film{codec: "tx3g", samples: [][]byte{tx3g("words")}, boxes: map[string][]byte{
			"stco": box("co64", be(0, 1, 0, 24))}}, "0.00-4.00 words\n"},
		"sizes of a byte": {film{codec: "tx3g", samples: [][]byte{tx3g("words")}, boxes: map[string][]byte{
			"stsz": box("stz2", be(0, 8, 1), []byte{7})}}, "0.00-4.00 words\n"},
		"forced": {film{codec: "tx3g", samples: [][]byte{tx3g("words")}, boxes: map[string][]byte{
			"stsd": box("stsd", be(0, 1, 24), []byte("tx3g"), be(0, 1, 1<<31))}},
			"0.00-4.00 words\nThe recording's subtitles are marked as ones that have only some of what is said.\n"},
		"encrypted": {film{codec: "enct", samples: [][]byte{tx3g("words")}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			test.film.lasts = []uint32{4}
			if got := captionsOf(t, test.film.bytes()); got != test.want {
				t.Errorf("%s: got\n%swant\n%s", name, got, test.want)
			}
		})
	}
}

// A box whose size has 64 bits has a longer header.
func TestLargeBoxes(t *testing.T) {
	file := film{codec: "tx3g", samples: [][]byte{tx3g("words")}, lasts: []uint32{4}}.bytes()
	at := bytes.Index(file, []byte("moov"))
	moov := file[at+4 : len(file)-8] // without the empty box behind it
	file = concat(file[:at-4], be(1), []byte("moov"), be(0, uint32(16+len(moov))), moov)
	if got := captionsOf(t, file); got != "0.00-4.00 words\n" {
		t.Errorf("got\n%s", got)
	}
}

func TestTextOfMatroska(t *testing.T) {
	const stripped = "The "
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"zlib": {matroska(subtitles("S_TEXT/UTF8", compressed(0, "")),
			cluster(2, group(1, deflated(t, []byte("one")))), cluster(4, group(1, deflated(t, []byte("two"))))),
			"2.00-3.00 one\n4.00-5.00 two\n"},
		"without first bytes": {matroska(subtitles("S_TEXT/UTF8", compressed(3, stripped)), cluster(2, group(1, "crane"))), "2.00-3.00 The crane\n"},
		"bzlib":               {matroska(subtitles("S_TEXT/UTF8", compressed(1, "")), cluster(2, group(1, "?"))), ""},
		"encrypted": {matroska(subtitles("S_TEXT/UTF8", ebml(0x6D80, ebml(0x6240, ebml(0x5033, []byte{1})))),
			cluster(2, group(1, "?"))), ""},
		"pictures":     {matroska(subtitles("S_HDMV/PGS"), cluster(2, group(1, "?"))), ""},
		"disused":      {matroska(subtitles("S_TEXT/UTF8", ebml(0xB9, []byte{0})), cluster(2, group(1, "?"))), ""},
		"other tracks": {matroska(subtitles("S_TEXT/UTF8"), cluster(2, group(2, "noise"), group(1, "words"), group(3, "noise"))), "2.00-3.00 words\n"},
		"tracks last":  {matroska(cluster(2, group(1, "words")), subtitles("S_TEXT/UTF8")), "2.00-3.00 words\n"},
		"no sizes": {concat(ebmlHeader, unknown(0x18538067), subtitles("S_TEXT/UTF8"), unknown(0x1F43B675), clusterTime(2),
			group(1, "one"),
			unknown(0x1F43B675), clusterTime(4), group(1, "two")), "2.00-3.00 one\n4.00-5.00 two\n"},
		"no sizes, tracks last": {concat(ebmlHeader, unknown(0x18538067), unknown(0x1F43B675), clusterTime(2),
			group(1, "one"),
			subtitles("S_TEXT/UTF8")), "2.00-3.00 one\n"},
		"no ends": {matroska(subtitles("S_TEXT/UTF8"), cluster(2, ebml(0xA3, []byte{0x81, 0, 0, 0}, []byte("one")),
			ebml(0xA3, []byte{0x81, 1, 0, 0}, []byte("two")))), "2.00-2.26 one\n2.26-2.26 two\n"},
		"a slow clock": {matroska(ebml(0x1549A966, ebml(0x2AD7B1, be(10_000_000))), subtitles("S_TEXT/UTF8"),
			cluster(2, group(1, "one"))),
			"20.00-30.00 one\n"},
		"old WebM": {matroska(subtitles("D_WEBVTT/SUBTITLES"), cluster(2, group(1, "id\nline:0\n<c>one\ntwo"))), "2.00-3.00 one|two\n"},
		"SSA":      {matroska(subtitles("S_TEXT/SSA"), cluster(2, group(1, `0,0,Main,Ana,0,0,0,,One, {\b1}two{\b0}\N{aside} three`))), "2.00-3.00 One, two|{aside} three\n"},
		"two, one a comment": {matroska(ebml(0x1654AE6B,
			ebml(0xAE, ebml(0xD7, []byte{1}), ebml(0x86, []byte("S_TEXT/UTF8")), ebml(0x22B59D, []byte("pt-BR")),
				ebml(0x22B59C, []byte("por")), ebml(0x55AF, []byte{1})),
			ebml(0xAE, ebml(0xD7, []byte{2}), ebml(0x86, []byte("S_TEXT/UTF8")), ebml(0x22B59C, []byte("x\nIgnore")),
				ebml(0x88, []byte{0}))),
			cluster(2, group(1, "aside"), group(2, "words"))),
			"2.00-3.00 words\nThe recording has subtitle tracks in pt-BR, an unnamed language; number 2 was read.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := captionsOf(t, test.file); got != test.want {
				t.Errorf("%s: got\n%swant\n%s", name, got, test.want)
			}
		})
	}
}

// If the first track has no text, another may.
func TestEmptyTracksAreSkipped(t *testing.T) {
	file := matroska(ebml(0x1654AE6B,
		ebml(0xAE, ebml(0xD7, []byte{1}), ebml(0x86, []byte("S_TEXT/UTF8"))),
		ebml(0xAE, ebml(0xD7, []byte{2}), ebml(0x86, []byte("S_TEXT/UTF8")), ebml(0x88, []byte{0}))),
		cluster(2, group(2, "words")))
	want := "2.00-3.00 words\nThe recording has subtitle tracks in en, en; number 2 was read.\n"
	if got := captionsOf(t, file); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestRepeatedLinesAppearOnce(t *testing.T) {
	shown := func(texts ...string) []byte {
		f := film{codec: "tx3g"}
		for _, text := range texts {
			f.samples, f.lasts = append(f.samples, tx3g(text)), append(f.lasts, 1)
		}
		return f.bytes()
	}
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"shown on":        {shown("a", "a", "a", "b"), "0.00-3.00 a\n3.00-4.00 b\n"},
		"rolling":         {shown("a", "a\nb", "b", "b\nc", "c"), "0.00-1.00 a\n1.00-3.00 b\n3.00-5.00 c\n"},
		"said again":      {shown("yes", "", "yes"), "0.00-1.00 yes\n2.00-3.00 yes\n"},
		"not by the line": {shown("a b", "b c"), "0.00-1.00 a b\n1.00-2.00 b c\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := captionsOf(t, test.file); got != test.want {
				t.Errorf("%s: got\n%swant\n%s", name, got, test.want)
			}
		})
	}
}

func TestMarkupIsRemoved(t *testing.T) {
	for text, want := range map[string]string{
		"<i>a</i> <font color=\"red\">b</font>":     "a b",
		"<00:01.000>one <c.x>two</c>":               "one two",
		"if 3 < 4 & 5 > 4":                          "if 3 < 4 & 5 > 4",
		"a &lt;b&gt; &amp;amp;&nbsp;c":              "a <b> &amp; c",
		"<v.loud Ana Maria>Hello":                   "Ana Maria: Hello",
		`{\an8}top {not this} {`:                    "top {not this} {",
		`{\p1}m 0 0 l 1 1{\p0}drawn`:                "drawn",
		"<unclosed":                                 "<unclosed",
		"<b" + strings.Repeat(" ", 600) + ">spaces": "<b >spaces",
	} {
		file := matroska(subtitles("S_TEXT/UTF8"), cluster(2, group(1, text)))
		if got := captionsOf(t, file); got != fmt.Sprintf("2.00-3.00 %s\n", want) {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestLyrics(t *testing.T) {
	frame := func(kind, body string) []byte {
		return concat([]byte(kind), be(uint32(len(body))), []byte{0, 0}, []byte(body))
	}
	tag := func(frames ...[]byte) []byte {
		all := append(concat(frames...), make([]byte, 20)...)
		return concat([]byte("ID3\x03\x00\x00\x00\x00"), []byte{byte(len(all) >> 7), byte(len(all) & 127)}, all)
	}
	at := func(seconds uint32) string { return string(be(seconds * 1000)) }
	lines := "[ti:Minutes]\n[00:01.50]one\n[00:03]two\n"
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"by the word": {tag(frame("APIC", "picture"),
			frame("SYLT", "\x00eng\x02\x01\x00Good \x00"+at(1)+"day\x00"+at(2)+"\nCran\xe9\x00"+at(3))),
			"1.00-3.00 Good day\n3.00-3.00 Crané\n"},
		"by the line":      {tag(frame("SYLT", "\x03deu\x02\x02\x00eins\x00"+at(1)+"zwei\x00"+at(2))), "1.00-2.00 eins\n2.00-2.00 zwei\n"},
		"lines with times": {tag(frame("USLT", "\x00eng\x00"+lines)), "1.50-3.00 one\n3.00-3.00 two\n"},
		"no times":         {tag(frame("USLT", "\x00eng\x00In this issue: cranes.")), ""},
		"UTF-16":           {tag(frame("USLT", "\x01eng\xff\xfe\x00\x00\xff\xfe[\x000\x00:\x001\x00]\x00h\x00i\x00")), "1.00-1.00 hi\n"},
		"other coding":     {tag(concat([]byte("USLT"), be(uint32(4+len(lines))), []byte{0, 2}, []byte("\x00eng\x00"+lines))), ""},
		"chords":           {tag(frame("SYLT", "\x00eng\x02\x05\x00Am\x00"+at(1))), ""},
		"FLAC": {testFile(t, "lyrics.flac"), "1.00-3.50 Good morning, this is the meeting of Nordwind Hafen.\n" +
			"3.50-8.00 The crane costs 14,500 euros\n8.00-12.00 Who pays?\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := captionsOf(t, test.file); got != test.want {
				t.Errorf("%s: got\n%swant\n%s", name, got, test.want)
			}
		})
	}
}

func TestWarningNamesAtMostTwentyTracks(t *testing.T) {
	var entries [][]byte
	for i := range 120 {
		entries = append(entries, ebml(0xAE, ebml(0xD7, []byte{byte(i + 1)}), ebml(0x86, []byte("S_TEXT/UTF8"))))
	}
	file := matroska(ebml(0x1654AE6B, entries...), cluster(2, group(1, "words")))
	_, warnings, err := tracks.Captions(t.Context(), source(file))
	if err != nil || len(warnings) != 1 || len(warnings[0]) > 200 || !strings.Contains(warnings[0], ", others;") {
		t.Errorf("%q, %v", warnings, err)
	}
}
