// Package patterns keeps regular expressions out of the start of a function.
package patterns

import (
	"regexp"
	"sync"
)

// Later returns an expression that is compiled when it is first needed. The readers of files have dozens; those that
// repeat things hundreds of times take milliseconds, for which every cold start would wait. It panics there, as
// [regexp.MustCompile] does, if the expression is wrong.
func Later(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
