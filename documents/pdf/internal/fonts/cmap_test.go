package fonts

import "testing"

// FuzzCMap checks that no CMap makes lookups panic or strings endless.
func FuzzCMap(f *testing.F) {
	f.Add([]byte("1 begincodespacerange <00> <ff> endcodespacerange "+
		"1 beginbfrange <00> <ffffffff> <0041> endbfrange 1 begincidrange <00> <ff> 7"), []byte("ab"))
	f.Fuzz(func(t *testing.T, data, raw []byte) {
		m := parseCMap(data)
		for len(raw) > 0 {
			c, n := m.nextCode(raw)
			if n < 1 {
				t.Fatalf("the code %x has no bytes", c)
			}
			m.text(c)
			m.cid(c)
			raw = raw[n:]
		}
	})
}

func TestCMapLookups(t *testing.T) {
	m := parseCMap([]byte("2 begincodespacerange <00> <7f> <8000> <ffff> endcodespacerange " +
		"1 beginbfchar <41> <00660069> endbfchar 2 beginbfrange <8000> <8002> <0061> <9000> <9001> [<0078> <0079>] endbfrange " +
		"1 begincidrange <8000> <80ff> 100 endcidrange"))
	for raw, want := range map[string]struct {
		text   string
		length int
	}{
		"\x41":     {"fi", 1},
		"\x80\x02": {"c", 2},
		"\x90\x01": {"y", 2},
		"\x80\x03": {"", 2},
	} {
		t.Run(raw, func(t *testing.T) {
			c, length := m.nextCode([]byte(raw))
			if text := m.text(c); text != want.text || length != want.length {
				t.Errorf("got %q of %d bytes, want %+v", text, length, want)
			}
		})
	}
	if cid, ok := m.cid(0x8005); !ok || cid != 105 {
		t.Errorf("CID of 8005: got %d, %v", cid, ok)
	}
}
