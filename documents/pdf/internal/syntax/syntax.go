// Package syntax reads the syntax of PDF: tokens and objects (ISO 32000-1, 7.2 and 7.3).
//
// Files, content streams and CMaps share one syntax of tokens, so one [Lexer] reads all three. A
// [Parser] builds objects from tokens and bounds their nesting and size. A [Resolver] follows
// references and converts objects to Go types; a missing or wrong object becomes a zero value.
package syntax

// The Go types of objects are those below, float64 for a number, bool for a boolean, and nil for null
// and for every object that cannot be read.
type (
	// Name is a name object, without its slash.
	Name string
	// String is a string object, decoded and decrypted.
	String string
	// Array is an array object.
	Array []any
	// Dict is a dictionary object. Its values may be references.
	Dict map[string]any
	// Reference refers to an indirect object.
	Reference struct{ Number, Generation int }
)

// Stream is a stream object. Raw is a part of the file, still encrypted and encoded, and not a copy.
type Stream struct {
	Dict  Dict
	Raw   []byte
	Owner Reference // the object that the stream is, which determines its decryption key
	// Truncated means that the file ends within the stream.
	Truncated bool
}

// Loader reads an indirect object by its number. It returns nil for a missing object.
type Loader interface {
	Object(number int) any
}

// Resolver follows references and converts objects to Go types.
type Resolver struct{ Loader Loader }

// Resolve returns the object that o refers to, or o if it is not a reference. It returns nil for a
// missing object and for a long chain of references.
func (r Resolver) Resolve(o any) any {
	const maxChain = 8
	for range maxChain {
		ref, ok := o.(Reference)
		if !ok {
			return o
		}
		o = r.Loader.Object(ref.Number)
	}
	return nil
}

// Dict returns a dictionary, or the dictionary of a stream.
func (r Resolver) Dict(o any) Dict {
	switch o := r.Resolve(o).(type) {
	case Dict:
		return o
	case *Stream:
		return o.Dict
	}
	return nil
}

// Array returns an array.
func (r Resolver) Array(o any) Array {
	a, _ := r.Resolve(o).(Array)
	return a
}

// Name returns a name.
func (r Resolver) Name(o any) string {
	n, _ := r.Resolve(o).(Name)
	return string(n)
}

// Number returns a number, or fallback for an object that is not a number.
func (r Resolver) Number(o any, fallback float64) float64 {
	if n, ok := r.Resolve(o).(float64); ok {
		return n
	}
	return fallback
}

// Int returns the integer part of a number, or fallback for an object that is not a number.
func (r Resolver) Int(o any, fallback int) int { return int(r.Number(o, float64(fallback))) }

// IsTrue reports whether an object is the boolean true.
func (r Resolver) IsTrue(o any) bool { return r.Resolve(o) == true }

// Stream returns a stream.
func (r Resolver) Stream(o any) *Stream {
	s, _ := r.Resolve(o).(*Stream)
	return s
}

// Bytes returns the bytes of a string.
func (r Resolver) Bytes(o any) []byte {
	s, _ := r.Resolve(o).(String)
	return []byte(s)
}

// Text returns a text string, decoded.
func (r Resolver) Text(o any) string { return DecodeText(r.Bytes(o)) }

// ObjectNumber returns the number of the object that o refers to, or 0 if o is not a reference.
func ObjectNumber(o any) int {
	r, _ := o.(Reference)
	return r.Number
}
