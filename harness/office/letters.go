package office

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Letter is a mail that SES has accepted.
type Letter struct{ To, Subject, Text string }

// Letters are the mails of one test.
type Letters struct {
	mu       sync.Mutex
	accepted []Letter
}

// Receive forwards a request to SES, and keeps the mail if SES accepts it.
func (l *Letters) Receive(w http.ResponseWriter, r *http.Request, api http.Handler) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, r)
	var in struct {
		Destination struct{ ToAddresses []string }
		Content     struct {
			Simple struct {
				Subject struct{ Data string }
				Body    struct{ Text struct{ Data string } }
			}
		}
	}
	if err := json.Unmarshal(body, &in); err == nil && answer.Code == http.StatusOK {
		l.mu.Lock()
		simple := in.Content.Simple
		l.accepted = append(l.accepted, Letter{in.Destination.ToAddresses[0], simple.Subject.Data, simple.Body.Text.Data})
		l.mu.Unlock()
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// Last returns the text of the newest mail to an address, or "" if the address has no mail.
func (l *Letters) Last(to string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, letter := range slices.Backward(l.accepted) {
		if letter.To == to {
			return letter.Text
		}
	}
	return ""
}

// Count returns the number of mails to an address.
func (l *Letters) Count(to string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, letter := range l.accepted {
		if letter.To == to {
			n++
		}
	}
	return n
}

// All returns the mails in the order in which SES accepted them.
func (l *Letters) All() []Letter {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.accepted)
}

// Token returns the word that follows a path in a mail, or "" if the path is not in the mail.
func Token(text, path string) string {
	_, rest, found := strings.Cut(text, path)
	if words := strings.Fields(rest); found && len(words) > 0 {
		return words[0]
	}
	return ""
}
