package services

import (
	"context"
	"path/filepath"
	"time"

	"portside/local/ses"
)

// mail is SES.
type mail struct {
	Config
	outbox   *ses.Outbox
	endpoint string
}

func (m *mail) start(context.Context) error {
	outbox, err := ses.NewOutbox(filepath.Join(m.Folder.Path, "outbox"), time.Now)
	if err != nil {
		return err
	}
	m.outbox = outbox
	m.endpoint, err = m.Lifetime.Serve("SES", m.Access.GuardSES(outbox.API()))
	return err
}
