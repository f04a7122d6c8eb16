package pdf

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"

	"portside/documents"
)

// repair looks for the objects of a file whose tables are broken. Of several with a number the last one is the newest.
func (f *file) repair() error {
	f.repaired, f.damaged = true, true
	f.entries = map[int]entry{}
	clear(f.known)
	clear(f.packs)
	if err := f.findObjects(); err != nil {
		return err
	}
	for _, at := range occurrences(f.data, "trailer") {
		if made, _, err := f.parse(f.parser(f.data, at+len("trailer"))); err == nil {
			if d, ok := made.(dict); ok {
				f.replace(d)
			}
		}
	}
	packs, err := f.sort()
	if err != nil {
		return err
	}
	if err := f.unlock(); err != nil {
		return err
	}
	return f.findPacked(packs)
}

// replace takes over what a newer trailer says.
func (f *file) replace(trailer dict) {
	newer := f.trailer
	f.trailer = dict{}
	f.adopt(trailer)
	f.adopt(newer)
}

// findObjects notes every "12 0 obj".
func (f *file) findObjects() error {
	for i, at := range occurrences(f.data, "obj") {
		if i%4096 == 0 && f.ctx.Err() != nil {
			return fmt.Errorf("look for objects: %w", f.ctx.Err())
		}
		rest := f.data[max(0, at-24):at]
		rest, generation := lastNumber(rest)
		rest, number := lastNumber(rest)
		if len(generation) == 0 || len(number) == 0 || len(number) > 8 {
			continue
		}
		if len(f.entries) >= f.limits.Objects {
			f.tooMuch = true
			return nil
		}
		value, _ := parseNumber(number)
		f.entries[int(value)] = entry{offset: max(0, at-24) + len(rest)}
	}
	return nil
}

// lastNumber takes blanks and the digits before them off the end.
func lastNumber(data []byte) (rest, number []byte) {
	data = bytes.TrimRight(data, " \r\n\t\x00\f")
	rest = bytes.TrimRight(data, "0123456789")
	return rest, data[len(rest):]
}

// sort looks what the objects are, in the order of the file, and returns the object streams.
func (f *file) sort() (packs []int, err error) {
	numbers := slices.Collect(maps.Keys(f.entries))
	slices.SortFunc(numbers, func(a, b int) int { return cmp.Compare(f.entries[a].offset, f.entries[b].offset) })
	for i, number := range numbers {
		if i%1024 == 0 && f.ctx.Err() != nil {
			return nil, fmt.Errorf("look at the objects: %w", f.ctx.Err())
		}
		if f.work < 0 {
			return nil, documents.ErrTooMuch
		}
		object := f.object(number)
		d := f.dict(object)
		switch f.name(d["Type"]) {
		case "ObjStm":
			packs = append(packs, number)
		case "XRef":
			f.replace(d)
		default:
			f.classify(number, d)
		}
	}
	return packs, nil
}

func (f *file) classify(number int, d dict) {
	switch f.name(d["Type"]) {
	case "Catalog":
		if f.dict(f.trailer["Root"])["Pages"] == nil {
			f.trailer["Root"] = reference{number: number}
		}
	case "Page":
		f.strays = append(f.strays, number)
	}
}

// findPacked notes the objects of object streams, which lie where their stream does.
func (f *file) findPacked(packs []int) error {
	for _, number := range packs {
		if err := f.ctx.Err(); err != nil {
			return fmt.Errorf("unpack the objects: %w", err)
		}
		from, err := f.pack(number)
		if settled(err) {
			return err
		}
		if err != nil {
			f.lost = true
			continue // as damaged as its file
		}
		found := slices.Sorted(maps.Keys(from.at))
		for _, n := range found {
			if known, ok := f.entries[n]; (!ok || known.offset < f.entries[number].offset) && len(f.entries) < f.limits.Objects {
				f.entries[n] = entry{offset: f.entries[number].offset, pack: number}
				delete(f.known, n)
			}
		}
		for _, n := range found {
			if f.entries[n].pack == number {
				f.classify(n, f.dict(reference{number: n}))
			}
		}
	}
	return nil
}
