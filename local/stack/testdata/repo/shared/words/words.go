// Package words is what a test changes.
package words

// Greeting is the answer of /hello.
const Greeting = "hello"
