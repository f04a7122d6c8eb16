package lambda

import "strings"

// output receives the output of a sandbox's process, one line with each Write.
type output struct {
	config  Config
	sandbox *sandbox
}

// Write never fails, so that an error of Config.Log does not suppress Config.Lines.
func (o output) Write(line []byte) (int, error) {
	_, _ = o.config.Log.Write(append([]byte(o.sandbox.function.Name+" | "), line...))
	if o.config.Lines != nil {
		o.config.Lines(Line{
			Function: o.sandbox.function.Name,
			Stream:   o.sandbox.logStream(),
			Text:     strings.TrimSuffix(string(line), "\n"),
		})
	}
	return len(line), nil
}

func (s *sandbox) logStream() string { return "[$LATEST]" + s.id[:8] }
