package ses

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"
)

//go:embed pages
var pageFiles embed.FS

const (
	// maxListed bounds the list, because the page reloads every few seconds.
	maxListed = 200
	// maxHeadBytes is enough for the header fields in the list.
	maxHeadBytes = 64 << 10

	pagePolicy = "default-src 'none'; style-src 'self'; frame-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	// mailPolicy allows a mail's styles and inline images, but no scripts and no requests. Links
	// open in a new tab.
	mailPolicy = "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; " +
		"style-src 'unsafe-inline'; img-src data:; form-action 'none'; frame-ancestors 'self'"
)

// Pages returns the handler of the pages below /_local/outbox. The list and the messages are JSON
// for clients whose Accept header prefers it.
func (o *Outbox) Pages() http.Handler {
	p := pages{Outbox: o, templates: template.Must(template.ParseFS(pageFiles, "pages/*.html"))}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_local/outbox", p.serve(p.list))
	mux.HandleFunc("GET /_local/outbox/{$}", p.serve(p.list))
	mux.HandleFunc("GET /_local/outbox/style.css", p.style)
	mux.HandleFunc("GET /_local/outbox/{id}", p.serve(p.message))
	mux.HandleFunc("GET /_local/outbox/{id}/html", p.serve(p.html))
	mux.HandleFunc("GET /_local/outbox/{id}/raw", p.serve(p.raw))
	return mux
}

type pages struct {
	*Outbox
	templates *template.Template
}

func (p pages) serve(show func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", pagePolicy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Vary", "Accept")
		h.Set("X-Content-Type-Options", "nosniff")
		switch err := show(w, r); {
		case errors.Is(err, errMessageNotFound):
			http.Error(w, "Message not found. The outbox is at /_local/outbox.", http.StatusNotFound)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}
}

func (p pages) style(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, pageFiles, "pages/style.css")
}

func (p pages) list(w http.ResponseWriter, r *http.Request) error {
	ids, err := p.ids()
	if err != nil {
		return err
	}
	data := struct {
		Messages []summary
		Older    int
	}{Messages: []summary{}, Older: max(0, len(ids)-maxListed)}
	for _, id := range ids[:min(len(ids), maxListed)] {
		s, err := p.head(id)
		if errors.Is(err, errMessageNotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return err
		}
		data.Messages = append(data.Messages, s)
	}
	if wantsJSON(r) {
		writeJSON(w, http.StatusOK, data.Messages)
		return nil
	}
	return p.page(w, "list.html", data)
}

// head returns a message's summary. If the message is unreadable, the summary has only the ID and
// the date.
func (p pages) head(id string) (summary, error) {
	text, err := p.readMessage(id, maxHeadBytes)
	if err != nil {
		return summary{}, err
	}
	m, err := parse(id, text)
	if err != nil {
		return summarize(id, nil), nil //nolint:nilerr // the message's page shows the error
	}
	return m.summary, nil
}

func (p pages) load(r *http.Request) (*message, error) {
	id := r.PathValue("id")
	text, err := p.readMessage(id, maxFileBytes)
	if err != nil {
		return nil, err
	}
	return parse(id, text)
}

func (p pages) message(w http.ResponseWriter, r *http.Request) error {
	m, err := p.load(r)
	if err != nil {
		return err
	}
	if wantsJSON(r) {
		writeJSON(w, http.StatusOK, m)
		return nil
	}
	return p.page(w, "message.html", struct {
		*message
		Spans []span
	}{m, spans(m.Text)})
}

func (p pages) html(w http.ResponseWriter, r *http.Request) error {
	m, err := p.load(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", mailPolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprint(w, `<!DOCTYPE html><base target="_blank">`+"\n", m.HTML) // fails if the client is gone
	return nil
}

func (p pages) raw(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	text, err := p.readMessage(id, maxFileBytes)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "message/rfc822")
	w.Header().Set("Content-Disposition", `attachment; filename="`+id+extension+`"`)
	_, _ = w.Write(text) //nolint:gosec // a download, which no browser shows
	return nil
}

// page renders the complete page before it writes anything, so that an error can still set the
// status.
func (p pages) page(w http.ResponseWriter, name string, data any) error {
	var page bytes.Buffer
	if err := p.templates.ExecuteTemplate(&page, name, data); err != nil {
		return fmt.Errorf("show the page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = page.WriteTo(w)
	return nil
}

// wantsJSON reports whether JSON comes before HTML in the Accept header. It ignores quality values.
func wantsJSON(r *http.Request) bool {
	for wanted := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		mediaType, _, _ := strings.Cut(strings.TrimSpace(wanted), ";")
		switch strings.ToLower(mediaType) {
		case "application/json":
			return true
		case "text/html":
			return false
		}
	}
	return false
}
