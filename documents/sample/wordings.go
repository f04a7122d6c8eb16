package sample

import (
	"fmt"
	"os"
	"strings"

	"portside/documents/answers"
	"portside/documents/offline/lexicon"
)

// Worded is a document of a file of wordings, with the questions that it answers.
type Worded struct {
	Title    string // a line in the notation of [Read]
	Concepts []Concept
}

// Concept is a line of a document, and the questions that it answers.
type Concept struct {
	Name     string
	Type     answers.Type
	Label    string // of the line in the document
	Printed  string // the value as the document prints it
	Value    string // the answer
	Wordings []answers.Variable
}

// Text returns the document in the notation of [Read].
func (w Worded) Text() string {
	var text strings.Builder
	text.WriteString(w.Title + "\n")
	for _, c := range w.Concepts {
		fmt.Fprintf(&text, "%s: %s\n", c.Label, c.Printed)
	}
	return text.String()
}

// ReadWordings reads a file of wordings. The README beside the files of package offline describes the format.
func ReadWordings(path string) (all []Worded, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	asked := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.HasPrefix(line, "# "):
			all = append(all, Worded{Title: line})
		case strings.HasPrefix(line, "["):
			c, err := readConcept(line)
			if err != nil || len(all) == 0 {
				return nil, fmt.Errorf("%s: the first line of a section is %q", path, line)
			}
			all[len(all)-1].Concepts = append(all[len(all)-1].Concepts, c)
		default:
			concepts := all[len(all)-1].Concepts
			c := &concepts[len(concepts)-1]
			c.Wordings = append(c.Wordings, readWording(line, c.Type, &asked)...)
		}
	}
	return all, nil
}

// readConcept reads the first line of a section, such as "[due_date] date | Due date | 2 April 2026 | 2026-04-02".
func readConcept(line string) (Concept, error) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(line, "["), "] ")
	parts := strings.Split(rest, " | ")
	const least = 3
	if len(parts) < least {
		return Concept{}, fmt.Errorf("%q has %d parts, want %d", line, len(parts), least)
	}
	return Concept{Name: name, Type: answers.Type(parts[0]), Label: parts[1], Printed: parts[2], Value: parts[len(parts)-1]}, nil
}

// readWording returns the questions of a line. Those with a description have a name that says nothing.
func readWording(line string, kind answers.Type, asked *int) (all []answers.Variable) {
	template, isName := strings.CutPrefix(line, "name: ")
	for _, wording := range lexicon.Alternatives(template) {
		wording = strings.Join(strings.Fields(wording), " ")
		v := answers.Variable{Name: wording, Type: kind}
		if !isName {
			*asked++
			v = answers.Variable{Name: fmt.Sprintf("q%d", *asked), Type: kind, Description: wording}
		}
		all = append(all, v)
	}
	return all
}
