package mediapdf

import (
	"bytes"
	"compress/zlib"
	"io"

	"portside/shared/media"
)

// measure unpacks the object streams of a file and keeps nothing, before pdfcpu unpacks and keeps them all: its limit is for
// each, and there may be thousands. It returns their size, or ErrTooMuch.
func measure(data []byte, budget int64) (int64, error) {
	total, last := int64(0), -1
	for at := 0; at < len(data); {
		next := bytes.IndexByte(data[at:], '/')
		if next < 0 {
			break
		}
		at += next
		if string(nameAt(data, at)) == "ObjStm" && at > last {
			body, dict := streamAfter(data, at)
			last = body
			total += unpackedSize(data[body:], dict, budget-total)
			if total > budget {
				return total, media.ErrTooMuch
			}
		}
		at++
	}
	return total, nil
}

// nameAt reads the name whose slash is at the place; its letters may be written as #xx.
func nameAt(data []byte, at int) []byte {
	const longest = 20
	lex := lexer{data: data[:min(len(data), at+longest)], at: at}
	return lex.name()
}

// streamAfter returns where the data of the next stream begins, and what comes before.
func streamAfter(data []byte, at int) (body int, dict []byte) {
	found := bytes.Index(data[at:], []byte("stream"))
	if found < 0 {
		return len(data), nil
	}
	body = at + found + len("stream")
	if body < len(data) && data[body] == '\r' {
		body++
	}
	if body < len(data) && data[body] == '\n' {
		body++
	}
	return body, data[max(0, at-512) : at+found]
}

// unpackedSize counts one stream. Chains of filters and other filters are rare for object streams and are counted as the
// largest that they can be.
func unpackedSize(body, dict []byte, budget int64) int64 {
	if at := bytes.LastIndex(dict, []byte("obj")); at >= 0 {
		dict = dict[at:]
	}
	if !bytes.Contains(dict, []byte("Filter")) && !bytes.Contains(dict, []byte("#")) {
		return 0
	}
	if bytes.Count(dict, []byte("Decode")) != 1+bytes.Count(dict, []byte("DecodeParms")) || !bytes.Contains(dict, []byte("FlateDecode")) {
		return maxStream
	}
	inflater, err := zlib.NewReader(bytes.NewReader(body))
	if err != nil {
		return 0
	}
	size, _ := io.Copy(io.Discard, io.LimitReader(inflater, min(budget, maxStream)+1)) // damaged data counts as far as it goes
	return size
}
