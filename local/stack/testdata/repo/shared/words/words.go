// Package words is the package that tests change.
package words

// Greeting is part of the response of /hello.
const Greeting = "hello"
