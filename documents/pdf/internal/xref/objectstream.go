package xref

import "portside/documents/pdf/internal/syntax"

// objectStream is a decoded object stream (ISO 32000-1, 7.5.7).
type objectStream struct {
	data    []byte
	offsets map[int]int // by object number
}

// bytesPerObject is about what an entry of objectStream.offsets takes.
const bytesPerObject = 64

// loadCompressed reads an object of an object stream. Its strings are not encrypted, because the stream
// is encrypted as a whole.
func (f *File) loadCompressed(streamNumber, number int) (object any, cells int, err error) {
	stream, err := f.objectStream(streamNumber)
	if err != nil {
		return nil, 0, err
	}
	offset, ok := stream.offsets[number]
	if !ok {
		return nil, 1, nil
	}
	return f.parse(f.parser(stream.data, offset))
}

// objectStream decodes an object stream and reads the table at its beginning.
func (f *File) objectStream(number int) (*objectStream, error) {
	if known, ok := f.objectStreams.Get(number); ok {
		return known, nil
	}
	if f.table.entries[number].objectStream != 0 {
		return nil, syntax.ErrSyntax // a stream cannot be inside an object stream
	}
	s := f.Objects.Stream(syntax.Reference{Number: number})
	if s == nil {
		return nil, syntax.ErrSyntax
	}
	data, err := f.Decoder.Decode(s)
	if err != nil {
		return nil, err
	}
	stream := &objectStream{data: data, offsets: map[int]int{}}
	first, count := f.Objects.Int(s.Dict["First"], 0), f.Objects.Int(s.Dict["N"], 0)
	lex := syntax.Lexer{Data: data}
	for range min(count, f.Budget.Limits.Objects) {
		n, offset := lex.Next(), lex.Next()
		if !syntax.IsDigits(n.Bytes) || !syntax.IsDigits(offset.Bytes) {
			break
		}
		stream.offsets[int(n.Value)] = min(first+int(offset.Value), len(data))
	}
	f.Budget.SpendWork(len(stream.offsets))
	f.objectStreams.Put(number, stream, len(data)+bytesPerObject*len(stream.offsets))
	return stream, nil
}
