package mediapdf

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"

	"portside/shared/media"
)

// mended is a fresh file made of the objects of a damaged one.
type mended struct {
	data  []byte
	pages []int // objects that are pages, in the order of the file
}

var (
	objectStart = regexp.MustCompile(`(\d{1,7})[ \r\n\t]{1,4}(\d{1,5})[ \r\n\t]{1,4}obj\b`)
	lengthEntry = regexp.MustCompile(`/Length\s*\d+(\s+\d+\s+R)?`)
	pageType    = regexp.MustCompile(`/Type\s*/Page\b`)
	catalogType = regexp.MustCompile(`/Type\s*/Catalog\b`)
	packedType  = regexp.MustCompile(`/Type\s*/(ObjStm|XRef)\b`)
	trailerPart = regexp.MustCompile(`/(Encrypt|Info)\s+\d+\s+\d+\s+R|/ID\s*\[[^\]]{0,200}\]`)
	intEntry    = regexp.MustCompile(`/(N|First)\s+(\d{1,7})`)
)

// wreck is what is found of a damaged file.
type wreck struct {
	ctx    context.Context
	budget int64
	limit  int
	bodies map[int][]byte // what stands between obj and endobj
	gens   map[int]int
	order  []int
}

// salvage writes the objects that it finds into a fresh file. It returns the budget that is left for unpacking.
func salvage(ctx context.Context, data []byte, limits media.Limits) (mended, int64, error) {
	w := &wreck{ctx: ctx, budget: limits.Inflated, limit: limits.Objects, bodies: map[int][]byte{}, gens: map[int]int{}}
	starts := objectStart.FindAllSubmatchIndex(data, w.limit)
	for i, at := range starts {
		if i%1000 == 0 && ctx.Err() != nil {
			return mended{}, 0, fmt.Errorf("salvage: %w", ctx.Err())
		}
		end := len(data)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		number, gen := atoi(data[at[2]:at[3]]), atoi(data[at[4]:at[5]])
		w.keep(number, gen, mendBody(data[at[1]:end]))
	}
	encrypted := bytes.Contains(data, []byte("/Encrypt"))
	if !encrypted {
		w.unpack()
	}
	if len(w.bodies) == 0 {
		return mended{}, 0, media.ErrDamaged
	}
	if w.budget <= 0 {
		return mended{}, 0, media.ErrTooMuch
	}
	return w.write(lastTrailer(data)), w.budget, nil
}

func atoi(digits []byte) int {
	n, err := strconv.Atoi(string(digits))
	if err != nil {
		return 0
	}
	return n
}

// keep notes an object; a later one of the same number is a newer revision.
func (w *wreck) keep(number, gen int, body []byte) {
	if number == 0 || len(w.bodies) >= w.limit {
		return
	}
	if _, known := w.bodies[number]; !known {
		w.order = append(w.order, number)
	}
	w.bodies[number], w.gens[number] = body, gen
}

// mendBody ends an object where it ends, and says how long its stream is.
func mendBody(body []byte) []byte {
	head, data, isStream := cutStream(body)
	if !isStream {
		if end := bytes.Index(body, []byte("endobj")); end >= 0 {
			body = body[:end]
		}
		return bytes.TrimSpace(body)
	}
	head = lengthEntry.ReplaceAll(bytes.TrimSpace(head), nil)
	open := bytes.Index(head, []byte("<<"))
	if open < 0 {
		return nil
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "<</Length %d %s\nstream\n", len(data), head[open+2:])
	out.Write(data)
	out.WriteString("\nendstream")
	return out.Bytes()
}

// cutStream takes an object's stream apart. The data end at endstream, at the end of the object, or at that of the file.
func cutStream(body []byte) (head, data []byte, ok bool) {
	at := bytes.Index(body, []byte("stream"))
	if end := bytes.Index(body, []byte("endobj")); at < 0 || end >= 0 && end < at {
		return nil, nil, false
	}
	start, _ := streamAfter(body, at)
	data = body[start:]
	for _, mark := range []string{"endstream", "endobj"} {
		if end := bytes.LastIndex(data, []byte(mark)); end >= 0 {
			data = data[:end]
			break
		}
	}
	return body[:at], bytes.TrimRight(data, "\r\n"), true
}

// unpack writes the objects of object streams out, as the fresh file has a plain table.
func (w *wreck) unpack() {
	for _, number := range slices.Clone(w.order) {
		head, data, isStream := cutStream(w.bodies[number])
		if !isStream || !packedType.Match(head) {
			continue
		}
		delete(w.bodies, number)
		if bytes.Contains(head, []byte("ObjStm")) && w.ctx.Err() == nil {
			w.unpackStream(head, data)
		}
	}
	w.order = slices.DeleteFunc(w.order, func(n int) bool { return w.bodies[n] == nil })
}

func (w *wreck) unpackStream(head, data []byte) {
	if bytes.Contains(head, []byte("FlateDecode")) {
		data = w.inflate(data)
	}
	entries := map[string]int{}
	for _, m := range intEntry.FindAllSubmatch(head, 8) {
		entries[string(m[1])] = atoi(m[2])
	}
	lex := &lexer{data: data}
	type place struct{ number, at int }
	var places []place
	for range min(entries["N"], w.limit) {
		number, at := lex.next(), lex.next()
		if at.kind == atEnd {
			break
		}
		places = append(places, place{int(number.value), entries["First"] + int(at.value)})
	}
	for i, p := range places {
		end := len(data)
		if i+1 < len(places) {
			end = min(end, places[i+1].at)
		}
		if p.at >= 0 && p.at < end && w.bodies[p.number] == nil {
			w.keep(p.number, 0, bytes.TrimSpace(data[p.at:end]))
		}
	}
}

func (w *wreck) inflate(data []byte) []byte {
	inflater, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	some, _ := io.ReadAll(io.LimitReader(inflater, min(maxStream, max(w.budget, 0)))) // what came before the error counts
	w.budget -= int64(len(some))
	return some
}

// lastTrailer is what the trailers say beside the root.
func lastTrailer(data []byte) map[string][]byte {
	parts := map[string][]byte{}
	for _, part := range trailerPart.FindAll(data, 1000) {
		parts[string(part[:3])] = part
	}
	return parts
}

// write makes the file. A catalog is made up if there is none.
func (w *wreck) write(trailer map[string][]byte) mended {
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n")
	m := mended{}
	root, top := 0, 0
	offsets := map[int]int{}
	for _, number := range w.order {
		body := w.bodies[number]
		head := body[:min(len(body), 2000)]
		switch {
		case catalogType.Match(head):
			root = number
		case pageType.Match(head):
			m.pages = append(m.pages, number)
		}
		top = max(top, number)
		offsets[number] = out.Len()
		fmt.Fprintf(&out, "%d %d obj\n", number, w.gens[number])
		out.Write(body)
		out.WriteString("\nendobj\n")
	}
	if root == 0 {
		root, top = top+1, top+1
		offsets[root] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n<</Type/Catalog>>\nendobj\n", root)
		w.order = append(w.order, root)
	}
	w.writeTable(&out, offsets)
	fmt.Fprintf(&out, "trailer\n<</Size %d/Root %d %d R", top+1, root, w.gens[root])
	start := out.Len()
	for _, part := range trailer {
		out.WriteByte(' ')
		out.Write(part)
	}
	table := bytes.LastIndex(out.Bytes()[:start], []byte("xref\n"))
	fmt.Fprintf(&out, ">>\nstartxref\n%d\n%%%%EOF\n", table)
	m.data = out.Bytes()
	return m
}

func (w *wreck) writeTable(out *bytes.Buffer, offsets map[int]int) {
	out.WriteString("xref\n0 1\n0000000000 65535 f \n")
	for _, number := range w.order {
		fmt.Fprintf(out, "%d 1\n%010d %05d n \n", number, offsets[number], w.gens[number])
	}
}
