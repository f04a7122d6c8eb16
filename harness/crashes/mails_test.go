package crashes

import (
	"net/mail"
	"os"
	"path/filepath"
)

// mails are the mails to an address that only one trial uses.
type mails struct {
	to    string
	count int
	why   string
}

// awaitMails waits until the schedule has sent the mails that crashes have delayed. A crash after SES has accepted a
// mail, and before that is stored, sends the mail again.
func (s *service) awaitMails() {
	s.t.Helper()
	var counts map[string]int
	s.await("the mails", func() bool {
		counts = s.countMails()
		for _, p := range s.promised {
			if counts[p.to] < p.count {
				return false
			}
		}
		return true
	})
	for _, p := range s.promised {
		switch counts[p.to] - p.count {
		case 0:
		case 1:
			s.repeatedMails++
		default:
			s.t.Errorf("%s: %d mails to %s, want %d, and at most one again", p.why, counts[p.to], p.to, p.count)
		}
	}
}

// countMails counts the mails in the outbox by their recipient. Its page shows only the newest mails.
func (s *service) countMails() map[string]int {
	s.t.Helper()
	paths, err := filepath.Glob(filepath.Join(s.data, "outbox", "*.eml"))
	if err != nil {
		s.t.Fatal(err)
	}
	counts := map[string]int{}
	for _, path := range paths {
		if s.arrived[path] == "" {
			s.arrived[path] = recipient(path)
		}
		counts[s.arrived[path]]++
	}
	return counts
}

// recipient returns the address in a file, or "" if the file is not complete yet.
func recipient(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	message, err := mail.ReadMessage(file)
	if err != nil {
		return ""
	}
	to, err := mail.ParseAddress(message.Header.Get("To"))
	if err != nil {
		return ""
	}
	return to.Address
}
