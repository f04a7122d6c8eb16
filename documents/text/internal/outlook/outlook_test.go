package outlook_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/kind"
	"portside/documents/text"
)

// stream returns the name of the stream of a property.
func stream(tag uint32) string { return fmt.Sprintf("__substg1.0_%08X", tag) }

const (
	fixedName   = "__properties_version1.0"
	utf8Text    = "Die Löschung kostet 12,50 €.\r\n\r\nGruß\r\nAnna"
	sentOn      = 133_854_660_000_000_000 // 3 March 2025, 9:00 UTC, in tenths of microseconds from 1601
	wantsFields = "From\tAnna Berg <anna@example.com>\nTo\tCarl <carl@example.com>, Eva\nCc\tGus <gus@example.com>\n" +
		"Date\tMon, 03 Mar 2025 09:00:00 +0000\nSubject\tAngebot\n"
)

// mail returns a mail with a body.
func mail(body map[string][]byte) storage {
	streams := map[string][]byte{
		stream(0x0037001f): unicode("Angebot"), stream(0x0c1a001f): unicode("Anna Berg"), stream(0x5d01001f): unicode("anna@example.com"),
		fixedName: fixed(32, map[uint32]uint64{0x00390040: sentOn, 0x3ffd0003: 1252}),
	}
	maps.Copy(streams, body)
	person := func(kind uint64, name, address string) storage {
		return storage{streams: map[string][]byte{
			stream(0x3001001f): unicode(name), stream(0x3003001f): unicode(address), fixedName: fixed(8, map[uint32]uint64{0x0c150003: kind}),
		}}
	}
	return storage{streams, map[string]storage{
		"__recip_version1.0_#00000000": person(1, "Carl", "carl@example.com"),
		"__recip_version1.0_#00000001": person(2, "Gus", "gus@example.com"),
		"__recip_version1.0_#00000002": person(1, "Eva", "/o=Company/cn=Eva"),
	}}
}

func read(tb testing.TB, data []byte) (*documents.Document, error) {
	tb.Helper()
	into := documents.NewBuilder(documents.Mail, documents.DefaultLimits())
	err := text.ReadMail(tb.Context(), documents.FromBytes(data), into)
	return into.Document(), err
}

func TestMails(t *testing.T) {
	long := strings.Repeat("This is the sentence of a long mail. ", 400)
	for name, test := range map[string]struct {
		body map[string][]byte
		want string
	}{
		"Unicode":     {map[string][]byte{stream(0x1000001f): unicode(utf8Text)}, "Die Löschung kostet 12,50 €.\nGruß\nAnna"},
		"code page":   {map[string][]byte{stream(0x1000001e): []byte("Die L\xf6schung kostet 12,50 \x80.")}, "Die Löschung kostet 12,50 €."},
		"long":        {map[string][]byte{stream(0x1000001f): unicode(long)}, strings.TrimSpace(long)},
		"HTML":        {map[string][]byte{stream(0x10130102): []byte("<p>Die L&ouml;schung</p><p>zwei</p>")}, "Die Löschung\nzwei"},
		"rich text":   {map[string][]byte{stream(0x10090102): compressed(`{\rtf1\ansi\pard Die L\'f6schung\par zwei\par zwei\par}`)}, "Die Löschung\nzwei\nzwei"},
		"blank plain": {map[string][]byte{stream(0x1000001f): unicode(" \r\n"), stream(0x10130102): []byte("<p>one</p>")}, "one"},
		"both texts":  {map[string][]byte{stream(0x1000001f): unicode("plain"), stream(0x10130102): []byte("<p>one</p>")}, "plain"},
	} {
		t.Run(name, func(t *testing.T) {
			file := compound(mail(test.body))
			if format, err := kind.Detect(t.Context(), documents.FromBytes(file), documents.DefaultLimits()); format != documents.Mail {
				t.Errorf("detected %q, %v", format, err)
			}
			d, err := read(t, file)
			if err != nil || d.Text() != wantsFields+test.want || d.Title != "Angebot" {
				t.Errorf("got %.300q with the title %q, %v", d.Text(), d.Title, err)
			}
		})
	}
}

func TestAttachedFilesAndMails(t *testing.T) {
	m := mail(map[string][]byte{stream(0x1000001f): unicode("See below.")})
	m.storages["__attach_version1.0_#00000000"] = storage{streams: map[string][]byte{
		stream(0x3707001f): unicode("offer of March.pdf"), stream(0x3704001f): unicode("OFFER~1.PDF"), stream(0x37010102): make([]byte, 9000),
	}}
	inner := storage{streams: map[string][]byte{stream(0x0037001f): unicode("Question"), stream(0x1000001f): unicode("How much?")}}
	m.storages["__attach_version1.0_#00000001"] = storage{storages: map[string]storage{stream(0x3701000d): inner}}
	d, err := read(t, compound(m))
	want := wantsFields + "See below.\nSubject\tQuestion\nHow much?"
	if err != nil || d.Text() != want || d.Title != "Angebot" {
		t.Errorf("got %q, %v", d.Text(), err)
	}
	if got := strings.Join(d.Warnings, " "); got != `The attachment "offer of March.pdf" was not read; send it by itself.` {
		t.Errorf("warnings: %q", got)
	}
}

// TestManyNestedMails has more forwarded mails than can be read, in a short time.
func TestManyNestedMails(t *testing.T) {
	m := storage{streams: map[string][]byte{stream(0x1000001f): unicode("the end")}}
	for range 30 {
		m = storage{
			streams:  map[string][]byte{stream(0x1000001f): unicode("in between")},
			storages: map[string]storage{"__attach_version1.0_#0": {storages: map[string]storage{stream(0x3701000d): m}}},
		}
	}
	d, err := read(t, compound(m))
	if n := strings.Count(d.Text(), "in between"); err != nil || n < 5 || n > 10 {
		t.Errorf("%d mails, %v", n, err)
	}
}

// TestSharedEntries lets each attachment have the attachments of the whole mail again. Without a bound, it does not end.
func TestSharedEntries(t *testing.T) {
	m := storage{streams: map[string][]byte{stream(0x1000001f): unicode("text")}, storages: map[string]storage{}}
	for i := range 200 {
		m.storages[fmt.Sprintf("__attach_version1.0_#%d", i)] = storage{storages: map[string]storage{stream(0x3701000d): {}}}
	}
	file := compound(m)
	first := file[bytes.Index(file, []byte("R\x00o\x00o\x00t\x00"))+76:][:4]
	for at := 0; ; {
		i := bytes.Index(file[at:], unicode(stream(0x3701000d)))
		if i < 0 {
			break
		}
		at += i
		copy(file[at+76:], first)
		at += 128
	}
	d, err := read(t, file)
	if n := strings.Count(d.Text(), "text"); err != nil || n < 1 || n > 1e5 {
		t.Errorf("read %d mails, %v", n, err)
	}
}

func TestDamagedFiles(t *testing.T) {
	file := compound(mail(map[string][]byte{stream(0x1000001f): unicode(strings.Repeat("text ", 2000))}))
	for _, size := range []int{8, 100, 512, 513, 1500, len(file) / 2} {
		if d, err := read(t, file[:size]); documents.AsError(err) == nil && len(d.Blocks) == 0 && err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if _, err := read(t, file[:300]); documents.AsError(err) == nil {
		t.Errorf("without a header: %v", err)
	}
}

// FuzzMails checks that no file makes the reader panic, or exceeds the limits.
func FuzzMails(f *testing.F) {
	f.Add(compound(mail(map[string][]byte{stream(0x1000001f): unicode(utf8Text)})))
	f.Add(compound(mail(map[string][]byte{stream(0x10090102): compressed(`{\rtf1 abc abc}`), stream(0x10130102): []byte("<p>a")})))
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := documents.DefaultLimits()
		limits.Text = 1 << 20
		into := documents.NewBuilder(documents.Mail, limits)
		err := text.ReadMail(t.Context(), documents.FromBytes(data), into)
		if d := into.Document(); errors.Is(err, documents.ErrPanic) || len(d.Text()) > limits.Text {
			t.Errorf("%v, %d bytes", err, len(d.Text()))
		}
	})
}
