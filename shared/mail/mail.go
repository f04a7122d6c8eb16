// Package mail is the letter that a domain writes and a mailer carries.
//
// A domain composes a Message, by hand or from a Letter, and hands it to the one-method interface that it declares itself;
// mailses sends it with Amazon SES. A message holds one-time links, so it prints and logs without its text.
package mail

import "log/slog"

// Message is one letter to one person, always with a plain text and an HTML form of the same content.
type Message struct {
	To      string // bare address
	Subject string
	Text    string
	HTML    string
}

// LogValue keeps bodies, which carry one-time links, and addresses out of the logs.
func (m Message) LogValue() slog.Value { return slog.StringValue(m.Subject) }

// String is the subject alone, for the same reason.
func (m Message) String() string { return m.Subject }
