package charset_test

import (
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"

	"portside/documents/charset"
)

const (
	russian   = "Договор аренды. Арендатор платит 45 000 рублей в месяц, не позднее пятого числа."
	ukrainian = "Договір оренди. Орендар сплачує 9 000 гривень на місяць до п'ятого числа."
	arabic    = "عقد إيجار. يدفع المستأجر 4500 ريال كل شهر قبل اليوم الخامس من الشهر."
	greek     = "Μισθωτήριο. Ο μισθωτής πληρώνει 450 ευρώ κάθε μήνα έως την πέμπτη ημέρα."
	hebrew    = "חוזה שכירות. השוכר משלם 4500 שקלים בכל חודש עד היום החמישי."
	english   = "LEASE\u0085The tenant pays 950.00 dollars each month, before the fifth day.\u0085"
)

func encoded(t *testing.T, text string, in encoding.Encoding) []byte {
	t.Helper()
	data, err := encoding.ReplaceUnsupported(in.NewEncoder()).Bytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestOtherScriptsAreFoundByTheirLetters(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		in   encoding.Encoding
	}{
		"windows-1251":         {russian, charmap.Windows1251},
		"koi8-r":               {russian, charmap.KOI8R},
		"cp866":                {russian, charmap.CodePage866},
		"iso-8859-5":           {russian, charmap.ISO8859_5},
		"x-mac-cyrillic":       {russian, charmap.MacintoshCyrillic},
		"windows-1251, uk":     {ukrainian, charmap.Windows1251},
		"koi8-u":               {ukrainian, charmap.KOI8U},
		"windows-1256":         {arabic, charmap.Windows1256},
		"iso-8859-6":           {arabic, charmap.ISO8859_6},
		"windows-1253":         {greek, charmap.Windows1253},
		"iso-8859-7":           {greek, charmap.ISO8859_7},
		"windows-1255":         {hebrew, charmap.Windows1255},
		"iso-8859-8":           {hebrew, charmap.ISO8859_8},
		"cp862":                {hebrew, charmap.CodePage862},
		"code page 37, EBCDIC": {english, charmap.CodePage037},
	} {
		t.Run(name, func(t *testing.T) {
			for _, declared := range []string{"", "iso-8859-1", "utf-8"} {
				want := c.text
				if c.text == english {
					want = "LEASE\nThe tenant pays 950.00 dollars each month, before the fifth day.\n"
				}
				if got := charset.Decode(encoded(t, c.text, c.in), declared); got != want {
					t.Errorf("%s declared as %q: got %q", name, declared, got)
				}
			}
		})
	}
}

// The declared character set counts if the letters do not decide, as in other scripts of several bytes per letter.
func TestOtherTextsHaveNoScript(t *testing.T) {
	for name, data := range map[string][]byte{
		"short":    encoded(t, "Да", charmap.Windows1251),
		"Latin":    []byte("\x80\x80\x80 Gr\xfc\xdfe aus M\xfcnchen, \xdcberall \xe4\xf6\xfc"),
		"Japanese": encoded(t, "賃貸借契約書。借主は毎月の家賃を支払うものとする。", japanese.ShiftJIS),
		"Chinese":  encoded(t, "租赁合同。承租人每月支付租金四千五百元。", simplifiedchinese.GBK),
		"ASCII":    []byte("The tenant pays 950.00 dollars each month."),
		"binary":   {0x40, 0xff, 0x81, 0x00, 0x82, 0x40, 0x01, 0x02, 0x83, 0x40, 0x9f, 0x84, 0x40, 0x03, 0x85, 0x40, 0x86},
		"empty":    nil,
	} {
		t.Run(name, func(t *testing.T) {
			if found := charset.ByScript(data); found != nil {
				t.Errorf("%s: found %v", name, found)
			}
		})
	}
}
