package text_test

import (
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/text"
)

// BenchmarkFiveMegabytes reads files of 5 MB in each format.
func BenchmarkFiveMegabytes(b *testing.B) {
	const size = 5 << 20
	fill := func(begin, piece, end string) string { return begin + strings.Repeat(piece, size/len(piece)) + end }
	line := "Łódź is a town of many words, and each of them is read and kept in order.\n"
	for _, c := range []struct {
		name string
		read documents.Reader
		data string
	}{
		{"text", text.ReadText, fill("", strings.Repeat(line, 5)+"\nName    Amount   Day\nAnna        12   Mon\nBob          7   Tue\n\n", "")},
		{"latin", text.ReadText, fill("", "Gr\xfc\xdfe aus M\xfcnchen an alle, die dort nicht sind.\n\n", "")},
		{"markdown", text.ReadMarkdown, fill("", "## Title\n\n"+strings.Repeat(line, 5)+"\n- **one** [two](x)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n", "")},
		{"html", text.ReadHTML, fill("", "<h2>Title</h2><p class=x>"+line+"<ul><li>one<li>two</ul><table><tr><td>1<td>2</table>", "")},
		{"tags", text.ReadHTML, fill("", "<a><b></i>", "")},
		{"csv", text.ReadCSV, fill("name,amount,text,day\n", "Anna,12.50,\"a, b and \"\"c\"\", and many more words of a longer text\",2024-05-03\n", "")},
		{"json", text.ReadJSON, fill("[", `{"itemName": "a thing with a name", "price": 12.50, "text": "`+strings.TrimSpace(line)+`"},`, "{}]")},
		{"numbers", text.ReadJSON, fill("[", "1,", "1]")},
		{"xml", text.ReadXML, fill("<r>", "<row><name>Anna</name><text>"+line+line+"</text></row>", "</r>")},
		{"elements", text.ReadXML, fill("<r>", "<a/>", "</r>")},
		{"rtf", text.ReadRTF, fill(`{\rtf1\ansi `, `\pard a text with \'e9 and {\b more} of \u322? that`+strings.TrimSpace(line)+`\par `, "}")},
		{"mail", text.ReadMail, fill("From: a@example.com\nContent-Transfer-Encoding: quoted-printable\n\n", "a line with =C3=A9 and a soft=\n end of it\n\n", "")},
		{"captions", text.ReadCaptions, fill("WEBVTT\n\n", "00:01.000 --> 00:02.000\n<v Anna>"+line+"\n", "")},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(c.data)))
			for b.Loop() {
				into := documents.NewBuilder("", documents.DefaultLimits())
				_ = c.read(b.Context(), source(c.data), into) // more rows than the limit are part of it
				into.Document()
			}
		})
	}
}
