package text_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/encoding/charmap"
	"pgregory.net/rapid"

	"portside/documents"
	"portside/documents/internal/scale"
	"portside/documents/text"
)

// sentences are texts in each language that need letters beyond ASCII.
var sentences = map[string]string{
	"de": "Der Käufer überweist die Gebühr für die Straße und grüßt höflich.",
	"es": "El señor pagó la compañía mañana según el artículo número diez.",
	"pt": "A informação não está à disposição dos cidadãos até amanhã às três.",
	"fr": "La société a été créée à Besançon, où l'hôtel est déjà fermé.",
	"it": "La società è più antica della città, perché così si può.",
	"nl": "De coördinatie van het café en de reünie is geïnd door België.",
	"sv": "På måndag åker vi över ån för att köpa kött och bröd.",
	"pl": "Zażółć gęślą jaźń, a następnie zapłać czynsz i opłaty za świadczenia.",
	"ro": "Părţile hotărăsc că preţul şi garanţia rămân în vigoare până mâine.",
}

func TestLatinEncodings(t *testing.T) {
	western := []*charmap.Charmap{charmap.Windows1252, charmap.ISO8859_1}
	central := []*charmap.Charmap{charmap.Windows1250, charmap.ISO8859_2}
	for lang, sentence := range sentences {
		pages := western
		if lang == "pl" || lang == "ro" {
			pages = central
		}
		for _, encoded := range pages {
			t.Run(lang+" "+encoded.String(), func(t *testing.T) {
				raw, err := encoded.NewEncoder().String(sentence)
				if err != nil {
					t.Fatal(err)
				}
				if doc, err := document(t, text.ReadText, raw); err != nil || doc.Text() != sentence {
					t.Errorf("got %q, %v", doc.Text(), err)
				}
			})
		}
	}
}

// step is a text and the document that a reader makes of it.
type step struct {
	name string
	read documents.Reader
	data string
	want string // the blocks as in a golden file, without its first line
	err  error
}

func check(t *testing.T, steps []step) {
	t.Helper()
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			doc, err := document(t, s.read, s.data)
			_, got, _ := strings.Cut(shown(doc), "\n")
			if got = strings.TrimSpace(got); got != s.want || !errors.Is(err, s.err) {
				t.Errorf("got %v and\n%s\nwant %v and\n%s", err, got, s.err, s.want)
			}
			checkOffsets(t, doc)
		})
	}
}

func TestTexts(t *testing.T) {
	read := text.ReadText
	check(t, []step{
		{"nothing", read, "", "", nil},
		{"pages", read, "one\n\ftwo", "paragraph: \"one\"\nparagraph: \"two\"", nil},
		{"long lines are paragraphs", read, strings.Repeat("word ", 60) + "\n" + strings.Repeat("next ", 60),
			fmt.Sprintf("paragraph: %q\nparagraph: %q", "word"+strings.Repeat(" word", 59), "next"+strings.Repeat(" next", 59)), nil},
		{"table of tabs", read, "a\tb\n1\t2\n", "row of table 1 | 0! a | 1! b\nrow of table 1 | 0 1 | 1 2", nil},
		{"table in bars", read, "+---+---+\n| a | b |\n+---+---+\n| x | y |\n", "row of table 1 | 0! a | 1! b\nrow of table 1 | 0 x | 1 y", nil},
		{"empty cell", read, "Name    Age   City\nAnna          York\nBob     7     Hull\n",
			"row of table 1 | 0! Name | 1! Age | 2! City\nrow of table 1 | 0 Anna | 1  | 2 York\nrow of table 1 | 0 Bob | 1 7 | 2 Hull", nil},
		{"amount is no heading", read, "TOTAL: 12 EUR\n", `paragraph: "TOTAL: 12 EUR"`, nil},
		{"subtitles", read, "1\n00:00:01,000 --> 00:00:02,000\nHi\n", `caption 1-2: "Hi"`, nil},
		{"zeros", read, "a\x00b c", `paragraph: "ab c"`, nil},
		{"UTF-16 of odd length", read, "\xff\xfeH\x00i\x00x", `paragraph: "Hi"`, nil},
		{"time that ends before it begins", text.ReadCaptions, "WEBVTT\n\n00:05.000 --> 00:01.000\nx\n", "", nil},
	})
}

func TestMarkup(t *testing.T) {
	page, mark, data := text.ReadHTML, text.ReadMarkdown, text.ReadXML
	check(t, []step{
		{"script", page, "<p>a<script>alert('<p>b')</script>c", `paragraph: "ac"`, nil},
		{"hidden ways", page, `<p>a<b hidden>1</b><b style="visibility:hidden">2</b><b style="font-size: 0px">3</b>` +
			`<b style="opacity:0">4</b><b style="position:absolute;left:-9999px">5</b><dialog>6</dialog><template>7</template>` +
			`<b style="display:/**/none">8</b><select><option>9</select>z`, "paragraph: \"a\"\nparagraph: \"z\"", nil},
		{"hidden element that closes itself", page, `<div hidden/>unseen</div>seen`, `paragraph: "seen"`, nil},
		{"hidden in the deep", page, strings.Repeat("<div>", 600) + "<p hidden>x</p>y", `paragraph: "y"`, nil},
		{"style of all media only", page, "<style>.a{display:none}@media print{.b{display:none}}</style><p class=a>1<p class=b>2", `paragraph: "2"`, nil},
		{"half a tag", page, "<p>text<", `paragraph: "text<"`, nil},
		{"entities", page, "&lt;b&gt; &eacute;&#x1F600;&bogus;", `paragraph: "<b> é😀&bogus;"`, nil},
		{"spanned rows", page, "<table><tr><td rowspan=2>a<td>b<tr><td>c</table>", "row of table 1 | 0 a | 1 b\nrow of table 1 | 1 c", nil},
		{"cells without rows", page, "<table><td>a<td>b</table>", "row of table 1 | 0 a | 1 b", nil},
		{"title only", page, "<title>x</title>", "", nil},
		{"charset in meta", page, "<meta charset=iso-8859-2><p>\xb3\xb1ka", `paragraph: "łąka"`, nil},
		{"wrong charset in meta", page, "<meta charset=iso-8859-1><p>łąka", `paragraph: "łąka"`, nil},
		{"emphasis", mark, "a **b *c* d** _e_ f_g_h ~~i~~ \\*j\\*", `paragraph: "a b c d e f_g_h i *j*"`, nil},
		{"code with marks", mark, "use `a_b*c` now", `paragraph: "use a_b*c now"`, nil},
		{"hidden across blank lines", mark, "a\n\n<div hidden>\n\nb\n\n</div>\n\nc", "paragraph: \"a\"\nparagraph: \"c\"", nil},
		{"comment across lines", mark, "a\n\n<!--\nb\n\nc -->\n\nd", "paragraph: \"a\"\nparagraph: \"d\"", nil},
		{"fence that never ends", mark, "```\na\n\nb", `paragraph: "a\nb"`, nil},
		{"entities of a DTD", data, `<!DOCTYPE a [<!ENTITY b "c">]><a><x>&b;</x></a>`, "field | 0! x | 1 &b;", nil},
		{"outside entity", data, `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a><x>1&b;</x></a>`, "field | 0! x | 1 1&b;", nil},
		{"cut short", data, "<a><b>1</b><c>2", "field | 0! b | 1 1\nfield | 0! c | 1 2", documents.ErrDamaged},
		{"CDATA", data, "<a><b><![CDATA[1 < 2]]></b></a>", "field | 0! b | 1 1 < 2", nil},
	})
}

func TestData(t *testing.T) {
	values, object, rich := text.ReadCSV, text.ReadJSON, text.ReadRTF
	check(t, []step{
		{"quote that never ends", values, "a,b\n\"x,1\ny,2\n", "row of table 1 | 0! a | 1! b\nrow of table 1 | 0 \"x | 1 1\nrow of table 1 | 0 y | 1 2", nil},
		{"single quotes", values, "a,b\n'x,y','1'\n'z','2'\n", "row of table 1 | 0! a | 1! b\nrow of table 1 | 0 x,y | 1 1\nrow of table 1 | 0 z | 1 2", nil},
		{"separator is told", values, "sep=|\na,b|c\n1|2\n", "row of table 1 | 0! a,b | 1! c\nrow of table 1 | 0 1 | 1 2", nil},
		{"no header", values, "1;2\n3;4\n", "row of table 1 | 0 1 | 1 2\nrow of table 1 | 0 3 | 1 4", nil},
		{"old line ends", values, "a\tb\r1\t2\r", "row of table 1 | 0! a | 1! b\nrow of table 1 | 0 1 | 1 2", nil},
		{"lines", object, "{\"a\":1}\n{\"a\":2}\n", "row of table 1 | 0! a\nrow of table 1 | 0 1\nrow of table 1 | 0 2", nil},
		{"cut short", object, `{"a": 1, "b": {"c": "d"`, "field | 0! a | 1 1\nfield | 0! b c | 1 d", documents.ErrDamaged},
		{"key without a value", object, `{"a": `, "", documents.ErrDamaged},
		{"too deep", object, strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100),
			"warning: Parts of the file that are nested very deep were left out.", nil},
		{"big number", object, `{"n": 123456789012345678901234567890}`, "field | 0! n | 1 123456789012345678901234567890", nil},
		{"group cut short", rich, `{\rtf1 text`, `paragraph: "text"`, documents.ErrDamaged},
		{"no RTF", rich, "text", "", documents.ErrDamaged},
		{"ignored destination in mid-group", rich, `{\rtf1 Total {\b due\*\nextfile 1} is \*\generator Word; 40 EUR\par}`,
			`paragraph: "Total due1 is Word; 40 EUR"`, nil},
		{"ignored destination of a group", rich, "{\\rtf1 a{\r\n\\*\\unknown no}b\\par}", `paragraph: "ab"`, nil},
		{"braces too many", rich, `{\rtf1 a}}} b`, `paragraph: "a b"`, nil},
		{"binary beyond the end", rich, `{\rtf1 a\par\bin99999999999 b}`, `paragraph: "a"`, documents.ErrDamaged},
		{"bytes of an unknown letter", rich, `{\rtf1\uc1 \u322\'b3\u8364 ?x}`, `paragraph: "ł€x"`, nil},
	})
}

func TestMails(t *testing.T) {
	read := text.ReadMail
	head := "From: a@example.com\r\n"
	base := base64.StdEncoding.EncodeToString([]byte("Hé Hé"))
	check(t, []step{
		{"plain", read, head + "\r\nHi\r\n", "field | 0! From | 1 a@example.com\nparagraph: \"Hi\"", nil},
		{"no boundary", read, head + "Content-Type: multipart/mixed\n\n--x\n\nHi\n--x--\n", "field | 0! From | 1 a@example.com\nparagraph: \"Hi\"", nil},
		{"no last boundary", read, head + "Content-Type: multipart/mixed; boundary=x\n\n--x\n\nHi\n--x\n\nHo",
			"field | 0! From | 1 a@example.com\nparagraph: \"Hi\"\nparagraph: \"Ho\"", nil},
		{"page only", read, head + "Content-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: text/plain\n\n\n--x\nContent-Type: text/html\n\n<b>Hi</b><i hidden>x</i>\n--x--",
			"field | 0! From | 1 a@example.com\nparagraph: \"Hi\"", nil},
		{"base64 cut short", read, head + "Content-Transfer-Encoding: base64\nContent-Type: text/plain; charset=utf-8\n\n" + base[:7],
			"field | 0! From | 1 a@example.com\nparagraph: \"Hé H\"", nil},
		{"encrypted", read, head + "Content-Type: multipart/encrypted; boundary=x\n\n--x\n\nHi\n--x--", "field | 0! From | 1 a@example.com", documents.ErrEncrypted},
		{"attached page", read, head + "Content-Type: text/html\nContent-Disposition: attachment; filename=\"=?utf-8?Q?=C3=A9.html?=\"\n\n<p>x",
			"warning: The attachment \"é.html\" was not read; send it by itself.\nfield | 0! From | 1 a@example.com", nil},
	})
}

func TestHostile(t *testing.T) {
	for name, c := range map[string]struct {
		read documents.Reader
		data string
		err  error
	}{
		"brackets":    {text.ReadJSON, strings.Repeat("[", 1<<20), documents.ErrDamaged},
		"deep pages":  {text.ReadHTML, strings.Repeat("<div>", 100_000) + "end", nil},
		"deep tables": {text.ReadHTML, strings.Repeat("<table><tr><td>x", 50_000), nil},
		"deep lists":  {text.ReadHTML, strings.Repeat("<ul><li>x", 100_000), nil},
		"wide spans":  {text.ReadHTML, "<table>" + strings.Repeat("<tr>"+strings.Repeat("<td colspan=999 rowspan=999>x", 20), 1000), nil},
		"stray ends":  {text.ReadHTML, strings.Repeat("<b>", 600) + strings.Repeat("</i>", 300_000), nil},
		"formatting":  {text.ReadHTML, strings.Repeat("<b><i><a href=x><p>", 100_000), nil},
		"deep XML":    {text.ReadXML, strings.Repeat("<a>", 1<<20), documents.ErrDamaged},
		"entity bomb": {text.ReadXML,
			`<!DOCTYPE a [<!ENTITY b "` + strings.Repeat("x", 1<<20) + `">]><a>` + strings.Repeat("&b;", 100_000) + "</a>", nil},
		"attributes":                {text.ReadXML, "<a " + strings.Repeat("b='c' ", 200_000) + "/>", nil},
		"deep groups":               {text.ReadRTF, `{\rtf1` + strings.Repeat("{", 1<<20), documents.ErrTooMuch},
		"empty groups":              {text.ReadRTF, `{\rtf1` + strings.Repeat("{}", 1<<20) + "}", nil},
		"links":                     {text.ReadMarkdown, strings.Repeat("[", 1<<20), nil},
		"half links":                {text.ReadMarkdown, strings.Repeat("[a](", 1<<18), nil},
		"stars":                     {text.ReadMarkdown, strings.Repeat("*a **b ", 1<<17), nil},
		"ticks":                     {text.ReadMarkdown, strings.Repeat("`a ", 1<<18) + "``", nil},
		"Markdown quotes in quotes": {text.ReadMarkdown, strings.Repeat(">", 1<<20), nil},
		"Markdown quotes of tabs":   {text.ReadMarkdown, strings.Repeat(">\t", 1<<19), nil},
		"Markdown lists in lists":   {text.ReadMarkdown, strings.Repeat("1. ", 1<<18) + "a", nil},
		"Markdown empty links":      {text.ReadMarkdown, strings.Repeat("[](", 1<<18), nil},
		"Markdown open links":       {text.ReadMarkdown, strings.Repeat("[a](<b", 1<<17), nil},
		"Markdown open emphasis":    {text.ReadMarkdown, strings.Repeat("*a_ ", 1<<18), nil},
		"Markdown heading":          {text.ReadMarkdown, "# " + strings.Repeat("a*_", 1<<18), nil},
		"Markdown table cell":       {text.ReadMarkdown, "a|b\n-|-\n" + strings.Repeat("*a_ ", 1<<18) + "|c", nil},
		"Markdown references":       {text.ReadMarkdown, strings.Repeat("[a]: b\n", 1<<17), nil},
		"HTML openings":             {text.ReadMarkdown, strings.Repeat("<div>\n\n", 1<<17), nil},
		"quotes":                    {text.ReadCSV, strings.Repeat("\"a,\n", 1<<16), nil},
		"odd tables":                {text.ReadText, strings.Repeat("a  b\nc d  e\nf   g h  i\n- x  y\n", 1<<14), nil},
		"mail parts": {text.ReadMail, "From: a\nContent-Type: multipart/mixed; boundary=b\n\n" +
			strings.Repeat("--b\n\nx\n", 2000), nil},
		"deep mail": {text.ReadMail, strings.Repeat("From: a\nContent-Type: message/rfc822\n\n", 5000), nil},
		"one boundary": {text.ReadMail, "From: a\nContent-Type: multipart/mixed; boundary=b\n\n" +
			strings.Repeat("--b\nContent-Type: multipart/mixed; boundary=b\n\n", 5000), nil},
		"marks in a line": {text.ReadMail, "From: a\nContent-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b x", 1<<20), nil},
		"footnotes":       {text.ReadRTF, `{\rtf1 ` + strings.Repeat("word ", 1<<18) + strings.Repeat(`{\footnote}`, 1<<16) + "}", nil},
		"long key":        {text.ReadJSON, `{"` + strings.Repeat("k", 1<<20) + `":{` + strings.Repeat(`"a":null,`, 1<<17) + `"b":1}}`, nil},
		"endless cue":     {text.ReadCaptions, "WEBVTT\n\n00:01.000 --> 00:02.000\n" + strings.Repeat("x\n", 1<<19), nil},
		"zeros":           {text.ReadText, strings.Repeat("\x00", 1<<20), nil},
		"cues":            {text.ReadCaptions, "WEBVTT\n\n" + strings.Repeat("<v ", 1<<18), nil},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := document(t, c.read, c.data)
			if !errors.Is(err, c.err) {
				t.Errorf("got %v, want %v", err, c.err)
			}
			checkOffsets(t, doc)
		})
	}
}

func TestMailPartsAreLimited(t *testing.T) {
	doc, err := document(t, text.ReadMail, "From: a\nContent-Type: multipart/mixed; boundary=b\n\n"+strings.Repeat("--b\n\nx\n", 2000))
	if err != nil || len(doc.Blocks) != 1001 || len(doc.Warnings) != 1 {
		t.Errorf("%d blocks, %q, %v", len(doc.Blocks), doc.Warnings, err)
	}
}

//proves:docs/security.md
func TestReadersKeepToTheLimits(t *testing.T) {
	long := strings.Repeat("some words\n\n", 100)
	limits := documents.DefaultLimits()
	limits.Blocks = 10
	into := documents.NewBuilder(documents.PlainText, limits)
	if err := text.ReadText(t.Context(), source(long), into); !errors.Is(err, documents.ErrTooMuch) {
		t.Errorf("got %v", err)
	}
	if blocks := len(into.Document().Blocks); blocks != 10 {
		t.Errorf("%d blocks stay", blocks)
	}
	limits = documents.DefaultLimits()
	limits.Inflated = 100
	into = documents.NewBuilder(documents.PlainText, limits)
	if err := text.ReadText(t.Context(), source(long), into); !errors.Is(err, documents.ErrTooMuch) || len(into.Document().Blocks) == 0 {
		t.Errorf("got %v", err)
	}
	limits = documents.DefaultLimits()
	limits.Pages = 1
	into = documents.NewBuilder(documents.PlainText, limits)
	if err := text.ReadText(t.Context(), source("a\fb\fc"), into); err != nil || len(into.Document().Warnings) != 1 {
		t.Errorf("got %v", err)
	}
}

func TestReadersRefuseADoneContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for end, read := range readers {
		if err := read(ctx, source("<a>{\"a\": 1}"), documents.NewBuilder("", documents.DefaultLimits())); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", end, err)
		}
	}
}

type broken struct{ panics bool }

func (b broken) ReadAt([]byte, int64) (int, error) {
	if b.panics {
		panic("a defect")
	}
	return 0, io.ErrClosedPipe
}

func TestErrorsOfTheSource(t *testing.T) {
	into := documents.NewBuilder("", documents.DefaultLimits())
	if err := text.ReadText(t.Context(), documents.Source{ReaderAt: broken{}, Size: 9}, into); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
	panicking := documents.Source{ReaderAt: broken{panics: true}, Size: 9}
	if err := text.ReadText(t.Context(), panicking, into); !errors.Is(err, documents.ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

// wordsOf returns the runs of letters and digits.
func wordsOf(content string) []string {
	return strings.FieldsFunc(content, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// TestWordsAreKept writes random words in each format and checks that the reader returns them in the same order.
func TestWordsAreKept(t *testing.T) {
	writers := map[string]struct {
		read  documents.Reader
		write func(words []string) string
	}{
		"text":     {text.ReadText, func(words []string) string { return strings.Join(words, " ") }},
		"lines":    {text.ReadText, func(words []string) string { return strings.Join(words, "\n") }},
		"markdown": {text.ReadMarkdown, func(words []string) string { return "# " + strings.Join(words, "\n\n- **") }},
		"html":     {text.ReadHTML, func(words []string) string { return "<p>" + html.EscapeString(strings.Join(words, "</b> ")) }},
		"csv":      {text.ReadCSV, func(words []string) string { return strings.Join(words, ",") + "\n" }},
		"json": {text.ReadJSON, func(words []string) string {
			out, err := json.Marshal(words)
			return fmt.Sprint(string(out), strings.Repeat("!", len(fmt.Sprint(err))-len("<nil>")))
		}},
		"xml": {text.ReadXML, func(words []string) string {
			var out strings.Builder
			if err := xml.EscapeText(&out, []byte(strings.Join(words, " "))); err != nil {
				return err.Error()
			}
			return "<a>" + out.String() + "</a>"
		}},
	}
	for name, w := range writers {
		t.Run(name, func(t *testing.T) {
			rapid.Check(scale.Checks(t), func(t *rapid.T) {
				words := rapid.SliceOfN(rapid.StringMatching(`[A-Za-zäöüßéñçãłęășț]{2,12}|[1-9][0-9]{2,8}`), 1, 30).Draw(t, "words")
				into := documents.NewBuilder("", documents.DefaultLimits())
				if err := w.read(t.Context(), source(w.write(words)), into); err != nil {
					t.Fatal(err)
				}
				got := wordsOf(into.Document().Text())
				if name == "html" {
					got = wordsOf(strings.ReplaceAll(into.Document().Text(), "</b>", ""))
				}
				if strings.Join(got, " ") != strings.Join(words, " ") {
					t.Fatalf("got %q, want %q", got, words)
				}
			})
		})
	}
}
