package fault

import (
	"cmp"

	"portside/shared/core/errorcode"
)

// codes maps each kind to the code of a fault that sets no code.
//
//exhaustive:enforce
var codes = map[Kind]errorcode.Code{
	Internal:        errorcode.InternalError,
	Validation:      errorcode.ValidationError,
	Unauthorized:    errorcode.Unauthorized,
	Forbidden:       errorcode.Forbidden,
	NotFound:        errorcode.NotFound,
	Conflict:        errorcode.Conflict,
	Precondition:    errorcode.PreconditionFailed,
	TooLarge:        errorcode.PayloadTooLarge,
	UnsupportedType: errorcode.UnsupportedMediaType,
	Unprocessable:   errorcode.Unprocessable,
	RateLimited:     errorcode.RateLimited,
	Unavailable:     errorcode.Unavailable,
	QuotaExceeded:   errorcode.QuotaExceeded,
	SignInRequired:  errorcode.SignInRequired,
}

// ProblemCode returns the code of the problem that clients get for the fault.
func (e *Error) ProblemCode() errorcode.Code { return cmp.Or(e.Code, codes[e.Kind]) }
