package callsites

import (
	"net/http"
	"path"
	"runtime"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
)

// Unknown is the place of a call that no listed function makes, such as one of a test.
const Unknown = "unknown"

// signedRequest is the operation of requests that do not come from a client of the SDK.
const signedRequest = "signed request"

// maxDepth is more than the depth of a call below a handler, with the middleware of the SDK.
const maxDepth = 256

// listed are all places.
var listed = sync.OnceValue(func() map[string]bool {
	places := map[string]bool{}
	for _, place := range All() {
		places[place] = true
	}
	return places
})

// Client is an HTTP client that reports each request and its place before it sends it. A retry of the SDK is a request,
// too. Called may add headers, which the signature does not cover.
type Client struct {
	Next   aws.HTTPClient
	Called func(r *http.Request, place string)
}

// Do implements aws.HTTPClient.
func (c Client) Do(r *http.Request) (*http.Response, error) {
	operation := awsmiddleware.GetOperationName(r.Context())
	if operation == "" {
		operation = signedRequest
	}
	c.Called(r, running(operation))
	return c.Next.Do(r)
}

// running returns the place in the running goroutine from which an operation is called: the innermost listed one.
func running(operation string) string {
	callers := make([]uintptr, maxDepth)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for {
		frame, more := frames.Next()
		for _, place := range placesOf(frame, operation) {
			if listed()[place] {
				return place
			}
		}
		if !more {
			return Unknown
		}
	}
}

// placesOf returns the places that a frame may stand for. The runtime writes pkg.(*Type[...]).Method.func1 and
// pkg.Function.func1 for functions inside of others.
func placesOf(frame runtime.Frame, operation string) []string {
	function, isOurs := strings.CutPrefix(frame.Function, "portside/")
	if !isOurs {
		return nil
	}
	folder, last := path.Split(function)
	pkg, name, _ := strings.Cut(last, ".")
	for _, mark := range []string{"(", "*", ")", "[...]", "-fm"} {
		name = strings.ReplaceAll(name, mark, "")
	}
	parts := strings.Split(name, ".")
	file := folder + pkg + "/" + path.Base(frame.File) + ":"
	places := []string{file + parts[0] + " " + operation}
	if len(parts) > 1 {
		places = append(places, file+parts[0]+"."+parts[1]+" "+operation)
	}
	return places
}
