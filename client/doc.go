// Package client calls the API of a Portside service.
//
//	c, err := client.New("https://portal.example.com", os.Getenv("PORTSIDE_KEY"))
//	…
//	for user, err := range c.AllUsers(ctx, nil) {
//		…
//	}
//
// Each operation of openapi.yaml is a method of [Client], except those that only browsers and Helm use. The methods and
// the types are generated. Optional fields and parameters are pointers; new(value) makes one.
//
// # Retries
//
// A call is repeated if a later attempt can succeed and cannot do anything twice. The limits are those of
// [WithRetries]:
//
//   - After a 429, when the time in Retry-After has passed.
//   - After a 500, 502, 503, 504 or a lost connection, if the call is a GET, PUT or DELETE, or a POST with an Idempotency-Key. A wait
//     is random and doubles, or is the time in Retry-After.
//
// [WithWaitNotice] tells your program about each wait. An answer with the header X-Should-Retry: false is final. A
// DELETE whose answer was lost may get a 404 when it is repeated.
//
// # Idempotency keys
//
// Methods that create something send a new Idempotency-Key, the same in all attempts, so that nothing is created twice.
// To repeat a call in another run of a program, store a key before the first call and pass it with [IdempotencyKey].
//
// # Errors
//
// A refusal by the service is an [*Error], with a code, the failed fields, and the request ID to quote when you ask for
// help.
package client

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../openapi.yaml
