package ocr_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/ocr"
	"portside/documents/picture"
	"portside/documents/sample"
)

// reader is the same for all tests, because it compiles the engine once.
var reader = sync.OnceValues(ocr.New)

// texts has a paragraph in each of the ten languages, with its letters.
var texts = map[answers.Lang]string{
	"en": "The tenant pays the rent of 1,450.00 EUR\non the first working day of each month.\nEither party may end the contract\nwith a notice of three months.",
	"es": "El arrendatario paga la renta de 1.450,00 EUR\nen los cinco primeros días de cada mes.\nLa señora Núñez vive en el piso según\nla cláusula séptima del contrato.",
	"pt": "O inquilino paga a renda de 1.450,00 EUR\naté ao oitavo dia de cada mês.\nA cláusula não se aplica às obras\nde conservação da habitação.",
	"fr": "Le locataire paie le loyer de 1 450,00 EUR\nle premier jour ouvré de chaque mois.\nLa clause résolutoire s'applique après\nun délai fixé à l'article précédent.",
	"de": "Der Mieter zahlt die Miete von 1.450,00 EUR\nam ersten Werktag eines jeden Monats.\nDie Kündigung muss schriftlich erfolgen,\ngemäß der Straßenverordnung über Häuser.",
	"it": "Il conduttore paga il canone di 1.450,00 EUR\nentro i primi cinque giorni di ogni mese.\nLa proprietà è libera perché il contratto\nscadrà così come già previsto.",
	"nl": "De huurder betaalt de huur van 1.450,00 EUR\nop de eerste werkdag van elke maand.\nBeide partijen kunnen de overeenkomst\nopzeggen met een termijn van drie maanden.",
	"sv": "Hyresgästen betalar hyran 1 450,00 EUR\nden första arbetsdagen varje månad.\nBåda parter får säga upp avtalet\nmed tre månaders skriftlig varsel.",
	"pl": "Najemca płaci czynsz w wysokości 1450,00 EUR\npierwszego dnia roboczego każdego miesiąca.\nUmowa może zostać rozwiązana przez każdą\nze stron z zachowaniem trzech miesięcy.",
	"ro": "Chiriașul plătește chiria de 1.450,00 EUR\nîn prima zi lucrătoare a fiecărei luni.\nContractul poate fi încheiat de către\nfiecare parte după trei luni și șase zile.",
}

func read(t *testing.T, scan sample.Scan) *documents.Document {
	t.Helper()
	content, err := scan.PNG()
	if err != nil {
		t.Fatal(err)
	}
	return readPicture(t, content)
}

// readPicture reads a picture file as the service does.
func readPicture(t *testing.T, content []byte) *documents.Document {
	t.Helper()
	limits := documents.DefaultLimits()
	limits.Pictures, limits.PictureBytes = 1, 10<<20
	into := documents.NewBuilder(documents.Image, limits)
	if err := picture.Read(t.Context(), documents.FromBytes(content), into); err != nil {
		t.Fatal(err)
	}
	r, err := reader()
	if err != nil {
		t.Fatal(err)
	}
	var viewed documents.PictureText
	viewed.Blocks, viewed.Err = r.View(t.Context(), into.Pictures()[0])
	if err := into.InsertPictures([]documents.PictureText{viewed}); err != nil {
		t.Fatal(err)
	}
	return into.Document()
}

// missing returns the words of the text that the document lacks.
func missing(d *documents.Document, text string) []string {
	have := map[string]int{}
	for word := range strings.FieldsSeq(d.Text()) {
		have[word]++
	}
	var lacks []string
	for word := range strings.FieldsSeq(text) {
		if have[word]--; have[word] < 0 {
			lacks = append(lacks, word)
		}
	}
	return lacks
}

func TestTenLanguagesAreRead(t *testing.T) {
	t.Parallel()
	for lang, text := range texts {
		t.Run(string(lang), func(t *testing.T) {
			t.Parallel()
			d := read(t, sample.Scan{Text: text, DPI: 150})
			if lacks := missing(d, text); len(lacks) > 1 {
				t.Errorf("misses %q in\n%s", lacks, d.Text())
			}
		})
	}
}

// A picture has the same text in all directions and with every skew that scanners produce, and its boxes are where its
// words are shown.
func TestTurnedPicturesAreRead(t *testing.T) {
	t.Parallel()
	text := texts["en"]
	const word = "1,450.00"
	straight := read(t, sample.Scan{Text: text, DPI: 150})
	at := strings.Index(straight.Text(), word)
	if at < 0 {
		t.Fatalf("no %s in\n%s", word, straight.Text())
	}
	box := straight.BoxOf(at, at+len(word))
	for _, degrees := range []float64{0, 2.5, -3, 90, 181, 270} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			d := read(t, sample.Scan{Text: text, DPI: 150, Degrees: degrees})
			if lacks := missing(d, text); len(lacks) > 0 {
				t.Fatalf("turned by %v degrees, it misses %q in\n%s", degrees, lacks, d.Text())
			}
			at := strings.Index(d.Text(), word)
			got, want := d.BoxOf(at, at+len(word)), shown(box, degrees)
			const tolerance = 6 // pixels of 150 dpi
			for _, distance := range []float64{got.Left - want.Left, got.Top - want.Top, got.Right - want.Right, got.Bottom - want.Bottom} {
				if distance < -tolerance || distance > tolerance {
					t.Fatalf("turned by %v degrees, the box is %+v, want %+v", degrees, got, want)
				}
			}
		})
	}
}

// shown returns where a box of a sheet is after the sheet was rotated.
func shown(b documents.Box, degrees float64) documents.Box {
	const width, height = 1239, 1754 // of a sheet in pixels
	turn := documents.Turn{X: width / 2.0, Y: height / 2.0, Angle: degrees * 3.14159265 / 180}
	sheet := turn.Shown(documents.Box{Right: width, Bottom: height})
	turned := turn.Shown(b)
	return documents.Box{
		Left: turned.Left - sheet.Left, Top: turned.Top - sheet.Top,
		Right: turned.Right - sheet.Left, Bottom: turned.Bottom - sheet.Top,
	}
}

func TestTablesOfScansHaveCells(t *testing.T) {
	table := "Item\tQuantity\tAmount\nStorm lantern\t12\t1,020.00\nRope\t3\t45.50\nAnchor\t1\t310.00\n"
	d := read(t, sample.Scan{Text: table, DPI: 150, Degrees: 1})
	if !strings.Contains(d.Text(), "Storm lantern\t12\t1,020.00\nRope\t3\t45.50\n") {
		t.Errorf("text:\n%s", d.Text())
	}
}

// Tesseract takes columns of single digits for noise.
func TestSingleDigitsAreRead(t *testing.T) {
	table := "Rope, 20 m\t1\t18.50\nStorm lantern\t2\t170.00\nTotal\t\t188.50\n"
	d := read(t, sample.Scan{Text: table, DPI: 150})
	if !strings.Contains(d.Text(), "Rope, 20 m\t1\t18.50\nStorm lantern\t2\t170.00\n") {
		t.Errorf("text:\n%s", d.Text())
	}
}

func TestPicturesWithoutTextHaveNoBlocks(t *testing.T) {
	blank := image.NewGray(image.Rect(0, 0, 800, 600))
	for i := range blank.Pix {
		blank.Pix[i] = 0xf0
	}
	tiny := image.NewGray(image.Rect(0, 0, 1, 3000))
	for name, m := range map[string]image.Image{"blank": blank, "tiny": tiny} {
		if d := readPicture(t, encode(t, m)); d.Text() != "" {
			t.Errorf("%s: text %q", name, d.Text())
		}
	}
}

// Noise ends, and what it seems to say is doubtful.
func TestNoiseIsDoubtful(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := image.NewGray(image.Rect(0, 0, 400, 400))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(random.Uint32())
	}
	d := readPicture(t, encode(t, noise))
	for _, b := range d.Blocks {
		for _, w := range b.Words {
			if len(w.Text) > 4 && w.Doubt < 0.2 {
				t.Errorf("noise says %q, with a doubt of %v", w.Text, w.Doubt)
			}
		}
	}
}

func TestWorkEndsWithItsContext(t *testing.T) {
	r, err := reader()
	if err != nil {
		t.Fatal(err)
	}
	content, err := sample.Scan{Text: texts["de"], DPI: 150}.PNG()
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := r.View(ended, documents.Picture{MediaType: "image/png", Data: content}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestUnusablePicturesAreRefused(t *testing.T) {
	r, err := reader()
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]documents.Picture{
		"empty":   {MediaType: "image/png"},
		"PDF":     {MediaType: "application/pdf", Data: []byte("%PDF-1.7")},
		"damaged": {MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\nnothing")},
		"large":   {MediaType: "image/png", Data: make([]byte, 11<<20)},
	} {
		if _, err := r.View(t.Context(), p); documents.AsError(err) == nil {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func encode(t *testing.T, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
