package pdf

import (
	"cmp"
	"context"

	"portside/documents"
)

// page is what a page says, before it is known how large the text of the document is.
type page struct {
	blocks   []block
	pictures []shown // where the page is a scan
}

// leaf is a page's dictionary with what it inherits.
type leaf struct {
	dict      dict
	resources any
	box       any
	rotate    any
}

// readPages runs every page. The pages read before an error are returned with it.
func (f *file) readPages(ctx context.Context) ([]page, error) {
	var pages []page
	size, parts := 0, 0
	w := f.leaves(f.limits.Pages + 1)
	f.lost = f.lost || w.missing
	for _, l := range w.found {
		if err := ctx.Err(); err != nil {
			return pages, err
		}
		if len(pages) == f.limits.Pages {
			return append(pages, page{}), nil // one more than the Builder takes, so that it says so
		}
		p, err := f.runPage(ctx, l)
		for _, b := range p.blocks {
			size += b.size()
			parts += 1 + len(b.cells)
		}
		pages = append(pages, p)
		if err == nil && (size > f.limits.Text || parts > f.limits.Blocks) {
			err = documents.ErrTooMuch
		}
		if err != nil {
			return pages, err
		}
	}
	return pages, nil
}

func (f *file) hasPages() bool { return len(f.leaves(1).found) > 0 }

// leaves walks the page tree, which may be a graph with cycles.
func (f *file) leaves(limit int) *walk {
	w := &walk{f: f, limit: limit, visited: map[int]bool{}}
	w.push(f.dict(f.trailer["Root"])["Pages"], leaf{})
	w.run()
	for _, number := range f.strays {
		w.push(reference{number: number}, leaf{})
		w.run()
	}
	return w
}

type walk struct {
	f       *file
	limit   int
	steps   int
	visited map[int]bool
	stack   []node
	found   []leaf
	missing bool // pages, or nodes with pages below
}

type node struct {
	object    any
	inherited leaf
}

func (w *walk) push(o any, inherited leaf) { w.stack = append(w.stack, node{o, inherited}) }

func (w *walk) run() {
	for len(w.stack) > 0 && len(w.found) < w.limit && w.steps < w.f.limits.Objects {
		w.steps++
		top := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if number := id(top.object); number != 0 {
			if w.visited[number] {
				continue
			}
			w.visited[number] = true
		}
		w.visit(top)
	}
}

func (w *walk) visit(n node) {
	d := w.f.dict(n.object)
	if d == nil {
		w.missing = w.missing || w.f.work >= 0
		return
	}
	l := n.inherited
	l.dict = d
	for key, field := range map[string]*any{"Resources": &l.resources, "MediaBox": &l.box, "CropBox": &l.box, "Rotate": &l.rotate} {
		if own, ok := d[key]; ok && (key != "MediaBox" || d["CropBox"] == nil) {
			*field = own
		}
	}
	kids := w.f.array(d["Kids"])
	if kids == nil && w.f.name(d["Type"]) != "Pages" {
		w.found = append(w.found, w.f.completed(l))
	}
	for i := len(kids) - 1; i >= 0 && len(w.stack) < w.f.limits.Objects; i-- {
		w.push(kids[i], l)
	}
}

// completed looks up what a page lacks in its parents, for pages that were not found through them.
func (f *file) completed(l leaf) leaf {
	parent := f.dict(l.dict["Parent"])
	for depth := 0; depth < 32 && parent != nil && (l.resources == nil || l.box == nil); depth++ {
		if l.resources == nil {
			l.resources = parent["Resources"]
		}
		if l.box == nil {
			l.box = parent["MediaBox"]
		}
		parent = f.dict(parent["Parent"])
	}
	return l
}

// frame returns the matrix from the page's user space to points from its top left corner, as it is shown, and its size.
func (f *file) frame(l leaf) (m matrix, width, height float64) {
	corners := [4]float64{0, 0, 612, 792}
	if box := f.array(l.box); len(box) == 4 {
		for i := range corners {
			corners[i] = f.number(box[i], corners[i])
		}
	}
	left, right := min(corners[0], corners[2]), max(corners[0], corners[2])
	bottom, top := min(corners[1], corners[3]), max(corners[1], corners[3])
	width, height = right-left, top-bottom
	switch turn := int(f.number(l.rotate, 0)) % 360; (turn + 360) % 360 {
	case 90:
		return matrix{0, 1, 1, 0, -bottom, -left}, height, width
	case 180:
		return matrix{-1, 0, 0, 1, right, -bottom}, width, height
	case 270:
		return matrix{0, -1, -1, 0, top, right}, height, width
	}
	return matrix{1, 0, 0, -1, -left, top}, width, height
}

// runPage reads a page, and with an error what is in front of it.
func (f *file) runPage(ctx context.Context, l leaf) (page, error) {
	frame, width, height := f.frame(l)
	content, err := f.content(l.dict["Contents"])
	if err != nil {
		return page{}, err
	}
	m := &machine{ctx: ctx, f: f, state: newState(frame), width: width, height: height}
	f.need(l.resources)
	err = m.run(content, f.dict(l.resources))
	if err == nil {
		err = m.annotate(f.array(l.dict["Annots"]), frame)
	}
	blocks, late := layOut(ctx, m.glyphs)
	return page{blocks, scanned(m.glyphs, m.images, width, height)}, cmp.Or(err, late)
}

// content joins the content streams of a page: operators may not be cut between them, but operands are.
func (f *file) content(o any) ([]byte, error) {
	if sd := f.stream(o); sd != nil {
		return f.decode(sd)
	}
	f.miss(o)
	var all []byte
	parts := f.array(o)
	const most = 10_000
	for _, part := range parts[:min(len(parts), most)] {
		sd := f.stream(part)
		if sd == nil {
			f.miss(part)
			continue
		}
		data, err := f.decode(sd)
		if err != nil {
			return all, err
		}
		if all = append(append(all, data...), '\n'); len(all) > maxStream {
			return all, documents.ErrTooMuch
		}
	}
	return all, nil
}

// miss notes that content is not where it should be.
func (f *file) miss(o any) {
	switch f.resolve(o).(type) {
	case nil:
		f.need(o)
	case array:
	default:
		f.lost = true
	}
}

// need notes that something is lost if one of these is a reference to nothing. That is allowed, and is no loss, unless objects may
// have gone with a part of the file.
func (f *file) need(objects ...any) {
	for _, o := range objects {
		f.lost = f.lost || f.repaired && id(o) != 0 && f.work >= 0 && f.resolve(o) == nil
	}
}
