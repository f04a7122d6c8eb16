package documents

import (
	"fmt"
	"strconv"
	"strings"
)

// LeaveOutComments adds a warning that the file has comments, which its readers see beside the text.
func (b *Builder) LeaveOutComments(n int) {
	if n > 0 {
		b.Warn(fmt.Sprintf("Comments (%d) were left out.", n))
	}
}

// LeaveOutObjects adds a warning that documents of other programs are embedded in the file.
func (b *Builder) LeaveOutObjects(n int) {
	if n > 0 {
		b.Warn(fmt.Sprintf("Embedded objects (%d), such as a sheet in a letter, were not read. Save each as a file and send it by itself.", n))
	}
}

// LeaveOutFiles adds a warning with the names of the files that are attached to the file.
func (b *Builder) LeaveOutFiles(names []string) {
	const maxNames, maxName = 10, 100
	var quoted []string
	for _, name := range names[:min(len(names), maxNames)] {
		name = Clean(name)
		if runes := []rune(name); len(runes) > maxName {
			name = string(runes[:maxName]) + "…"
		}
		quoted = append(quoted, strconv.Quote(name))
	}
	if len(names) > maxNames {
		quoted = append(quoted, "…")
	}
	switch all := strings.Join(quoted, ", "); len(names) {
	case 0:
	case 1:
		b.Warn("The attachment " + all + " was not read; send it by itself.")
	default:
		b.Warn(fmt.Sprintf("The %d attachments were not read; send each by itself: %s.", len(names), all))
	}
}
