package web

import (
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/fault"
)

// MaxBody is how many bytes of JSON an operation takes unless its MaxBodyBytes says otherwise. A form is not bounded unless
// it does.
const MaxBody = 128 << 10

// Instead is the key of an operation's Metadata for a sentence that tells a client what to do with a body above MaxBodyBytes.
const Instead = "instead"

// tooLarge is the fault of a body above what the operation takes.
func tooLarge(op *huma.Operation) error {
	most := op.MaxBodyBytes - 1 // see Handle
	size := fmt.Sprintf("%d KB", most>>10)
	if most >= 1e6 {
		size = fmt.Sprintf("%.1f MB", float64(most)/1e6)
	}
	detail := "The body is larger than the " + size + " that this operation takes."
	if instead, told := op.Metadata[Instead].(string); told {
		detail += " " + instead
	}
	return fault.New(fault.TooLarge, detail)
}
