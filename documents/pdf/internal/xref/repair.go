package xref

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"

	"portside/documents"
	"portside/documents/pdf/internal/budget"
	"portside/documents/pdf/internal/syntax"
)

// Repair rebuilds the cross-reference table from the objects in the file. Of several objects with the
// same number it takes the last one, which is the newest. Errors: documents.ErrTooMuch,
// documents.ErrEncrypted, and the error of the context.
func (f *File) Repair() error {
	f.table.isRepaired, f.Damage.Found = true, true
	f.table.entries = map[int]entry{}
	f.objects.Clear()
	f.objectStreams.Clear()
	if err := f.findObjects(); err != nil {
		return err
	}
	f.findTrailers()
	objectStreams, err := f.classifyObjects()
	if err != nil {
		return err
	}
	if err := f.unlock(); err != nil {
		return err
	}
	return f.findCompressedObjects(objectStreams)
}

// findObjects adds an entry for every "12 0 obj" in the file.
func (f *File) findObjects() error {
	const (
		maxHeaderBytes  = 24 // of "12 0 " in front of obj
		maxNumberDigits = 8
	)
	for i, keyword := range occurrences(f.data, "obj") {
		if i%4096 == 0 && f.Budget.Err() != nil {
			return fmt.Errorf("search for objects: %w", f.Budget.Err())
		}
		start := max(0, keyword-maxHeaderBytes)
		rest, generation := cutLastNumber(f.data[start:keyword])
		rest, number := cutLastNumber(rest)
		if len(generation) == 0 || len(number) == 0 || len(number) > maxNumberDigits {
			continue
		}
		if len(f.table.entries) >= f.Budget.Limits.Objects {
			f.Damage.TooLarge = true
			return nil
		}
		value, _ := syntax.ParseNumber(number)
		f.table.entries[int(value)] = entry{offset: start + len(rest)}
	}
	return nil
}

// cutLastNumber removes trailing white space and the digits in front of it.
func cutLastNumber(data []byte) (rest, number []byte) {
	data = bytes.TrimRight(data, " \r\n\t\x00\f")
	rest = bytes.TrimRight(data, "0123456789")
	return rest, data[len(rest):]
}

// findTrailers merges all trailers of the file.
func (f *File) findTrailers() {
	for _, keyword := range occurrences(f.data, "trailer") {
		object, _, err := f.parse(f.parser(f.data, keyword+len("trailer")))
		if trailer, ok := object.(syntax.Dict); ok && err == nil {
			f.table.mergeNewer(trailer)
		}
	}
}

// classifyObjects reads all objects in the order of the file, and returns the numbers of the object
// streams. It notes the catalog, the pages and the dictionaries of cross-reference streams.
func (f *File) classifyObjects() (objectStreams []int, err error) {
	entries := f.table.entries
	numbers := slices.Collect(maps.Keys(entries))
	slices.SortFunc(numbers, func(a, b int) int { return cmp.Compare(entries[a].offset, entries[b].offset) })
	for i, number := range numbers {
		if i%1024 == 0 && f.Budget.Err() != nil {
			return nil, fmt.Errorf("classify the objects: %w", f.Budget.Err())
		}
		if !f.Budget.HasWork() {
			return nil, documents.ErrTooMuch
		}
		d := f.Objects.Dict(f.Object(number))
		switch f.Objects.Name(d["Type"]) {
		case "ObjStm":
			objectStreams = append(objectStreams, number)
		case "XRef":
			f.table.mergeNewer(d)
		default:
			f.classify(number, d)
		}
	}
	return objectStreams, nil
}

// classify notes an object if it is the catalog or a page.
func (f *File) classify(number int, d syntax.Dict) {
	switch f.Objects.Name(d["Type"]) {
	case "Catalog":
		if f.Catalog()["Pages"] == nil {
			f.table.trailer["Root"] = syntax.Reference{Number: number}
		}
	case "Page":
		f.table.strayPages = append(f.table.strayPages, number)
	}
}

// findCompressedObjects adds entries for the objects of object streams. An object of a stream is as
// new as its stream. Damaged streams are skipped.
func (f *File) findCompressedObjects(objectStreams []int) error {
	for _, streamNumber := range objectStreams {
		if err := f.Budget.Err(); err != nil {
			return fmt.Errorf("read the object streams: %w", err)
		}
		stream, err := f.objectStream(streamNumber)
		if budget.IsFinal(err) {
			return err
		}
		if err != nil {
			f.Damage.Lost = true
			continue
		}
		numbers := slices.Sorted(maps.Keys(stream.offsets))
		for _, number := range f.table.addCompressed(streamNumber, numbers) {
			f.objects.Delete(number)
		}
		for _, number := range numbers {
			if f.table.entries[number].objectStream == streamNumber {
				f.classify(number, f.Objects.Dict(syntax.Reference{Number: number}))
			}
		}
	}
	return nil
}

// addCompressed adds entries for the objects of a stream, unless a newer object has the same number. It
// returns the numbers that it added.
func (t *table) addCompressed(streamNumber int, numbers []int) (added []int) {
	streamOffset := t.entries[streamNumber].offset
	for _, number := range numbers {
		known, ok := t.entries[number]
		if ok && known.offset >= streamOffset || len(t.entries) >= t.maxEntries {
			continue
		}
		t.entries[number] = entry{offset: streamOffset, objectStream: streamNumber}
		added = append(added, number)
	}
	return added
}
