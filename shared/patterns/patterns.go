package mediatext

import (
	"regexp"
	"sync"
)

// later returns an expression that is compiled when it is first needed: those that repeat things hundreds of times take
// milliseconds, which every start of a function would wait for.
func later(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
