package tracks

import (
	"bytes"
	"encoding/binary"
)

// timedText decodes samples of 3GPP (tx3g) and QuickTime (text): the length of the text, the text, and boxes of style.
func timedText(sample []byte, at span, into *cues) error {
	if len(sample) < 2 {
		return nil
	}
	text := sample[2:]
	text = text[:min(int(binary.BigEndian.Uint16(sample)), len(text))]
	return into.add(at, tagged(decoded(text)))
}

// boxedVTT decodes samples of WebVTT (ISO/IEC 14496-30), which have a box for each cue on the screen. A cue that
// overlaps others is in several samples.
func boxedVTT(sample []byte, at span, into *cues) error {
	for kind, body := range boxesOf(sample) {
		if kind != "vttc" {
			continue
		}
		for kind, body := range boxesOf(body) {
			if kind != "payl" {
				continue
			}
			if err := into.add(at, tagged(string(bytes.ToValidUTF8(body, nil)))); err != nil {
				return err
			}
		}
	}
	return nil
}

// boxesOf yields the type and body of each box in a sample.
func boxesOf(data []byte) func(yield func(kind string, body []byte) bool) {
	const header = 8
	return func(yield func(string, []byte) bool) {
		for len(data) >= header {
			size := int64(binary.BigEndian.Uint32(data))
			if size < header || size > int64(len(data)) || !yield(string(data[4:header]), data[header:size]) {
				return
			}
			data = data[size:]
		}
	}
}
