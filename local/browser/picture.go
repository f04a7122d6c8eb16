package browser

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/page"
)

var update = flag.Bool("update", false, "rewrite the pictures of pages; review the changes")

const (
	// pixelTolerance is how much a color channel may differ: fonts are smoothed differently by each release of
	// Chromium.
	pixelTolerance = 48
	// shareTolerance is the share of pixels that may differ more.
	shareTolerance = 0.01
)

// Screenshot compares the window with the picture testdata/<name>-<width>.png. It fails the test if more than one
// percent of the pixels differ. Texts in the elements that the CSS selectors match change from day to day; the picture
// has "…" in their place.
func (w *Window) Screenshot(name string, volatile ...string) {
	w.page.t.Helper()
	path := filepath.Join("testdata", fmt.Sprintf("%s-%d.png", name, w.size.Width))
	got := w.page.capture(volatile)
	if *update {
		writeFile(w.page, path, got)
		return
	}
	want, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		w.page.t.Errorf("there is no picture %s: run the test with -update and look at it", path)
		return
	}
	if err != nil {
		w.page.t.Fatal(err)
	}
	share, difference, err := compare(want, got)
	if err != nil {
		w.page.t.Fatalf("%s: %v", path, err)
	}
	if share > shareTolerance {
		folder, base := w.page.t.ArtifactDir(), filepath.Base(path)
		writeFile(w.page, filepath.Join(folder, base), got)
		writeFile(w.page, filepath.Join(folder, "difference-"+base), difference)
		w.page.t.Errorf("%.1f%% of the pixels differ from %s; -artifacts keeps the pictures, and -update accepts them",
			share*100, path)
	}
}

// UpdateDocsPicture writes a picture of the window to a file of the documentation, only with -update. No test compares
// it.
func (w *Window) UpdateDocsPicture(path string) {
	w.page.t.Helper()
	if picture := w.page.capture(nil); *update {
		writeFile(w.page, path, picture)
	}
}

func writeFile(p *Page, path string, content []byte) {
	p.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)); err != nil {
		p.t.Fatal(err)
	}
}

// capture returns the window as PNG, without a blinking caret and without volatile texts.
func (p *Page) capture(volatile []string) []byte {
	p.t.Helper()
	p.Settle()
	tree := sendCommand(p, page.GetFrameTree, cdp.Empty{})
	sheet := sendCommand(p, css.CreateStyleSheet, css.CreateStyleSheetParams{FrameID: tree.FrameTree.Frame.ID})
	setStyle := func(text string) {
		sendCommand(p, css.SetStyleSheetText, css.SetStyleSheetTextParams{StyleSheetID: sheet.StyleSheetID, Text: text})
	}
	setStyle("* { caret-color: transparent !important }")
	for _, selector := range slices.DeleteFunc(volatile, func(selector string) bool { return selector == "" }) {
		p.runScript("hide "+selector, fmt.Sprintf(hideTexts, quote(selector)))
	}
	shot := sendCommand(p, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng})
	p.runScript("show all texts", showTexts)
	setStyle("")
	return shot.Data
}

const hideTexts = `(() => {
	globalThis.hiddenTexts ??= [];
	for (const element of document.querySelectorAll(%s)) {
		const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
		while (walker.nextNode()) {
			hiddenTexts.push([walker.currentNode, walker.currentNode.data]);
			walker.currentNode.data = "…";
		}
	}
})()`

const showTexts = `(() => {
	for (const [node, data] of globalThis.hiddenTexts?.splice(0) ?? []) node.data = data;
})()`

// compare returns the share of pixels that differ, and a picture in which they are red.
func compare(want, got []byte) (float64, []byte, error) {
	a, err := decode(want)
	if err != nil {
		return 0, nil, err
	}
	b, err := decode(got)
	if err != nil {
		return 0, nil, err
	}
	if a.Bounds() != b.Bounds() {
		return 0, nil, fmt.Errorf("the picture has the size %v, want %v", b.Bounds().Size(), a.Bounds().Size())
	}
	different := 0
	for i := 0; i < len(a.Pix); i += 4 {
		if differ(a.Pix[i:i+4], b.Pix[i:i+4]) {
			different++
			copy(b.Pix[i:i+4], []byte{255, 0, 0, 255})
		}
	}
	var encoded bytes.Buffer
	err = png.Encode(&encoded, b)
	return float64(different*4) / float64(len(a.Pix)), encoded.Bytes(), err
}

func differ(a, b []byte) bool {
	for i := range a {
		if max(a[i], b[i])-min(a[i], b[i]) > pixelTolerance {
			return true
		}
	}
	return false
}

func decode(encoded []byte) (*image.RGBA, error) {
	picture, err := png.Decode(bytes.NewReader(encoded))
	if err != nil {
		return nil, err
	}
	pixels := image.NewRGBA(image.Rectangle{Max: picture.Bounds().Size()})
	draw.Draw(pixels, pixels.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(pixels, pixels.Bounds(), picture, picture.Bounds().Min, draw.Over)
	return pixels, nil
}
