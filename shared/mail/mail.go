// Package mail defines the messages that domains send to people.
//
// A domain composes a Message, usually from a Content, and passes it to a one-method interface of
// its own. mailses implements that with Amazon SES. A message contains one-time links, so it prints
// and logs without its text.
package mail

import "log/slog"

// Message is a mail to one person, with the same content as plain text and as HTML.
type Message struct {
	To      string // bare address
	Subject string
	Text    string
	HTML    string
}

// LogValue keeps addresses, and bodies with one-time links, out of the logs.
func (m Message) LogValue() slog.Value { return slog.StringValue(m.Subject) }

// String returns only the subject, for the same reason.
func (m Message) String() string { return m.Subject }
