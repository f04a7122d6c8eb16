// Package lazyregexp compiles regular expressions on first use.
//
// The readers have dozens of expressions, and those with large repeat counts take milliseconds to compile. Compiling
// them in package variables would add that time to every start of the process.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles the expression on its first call and returns the same result from then on. That
// call panics, as [regexp.MustCompile] does, if the expression is invalid.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
