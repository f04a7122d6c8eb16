package mailses

// WithoutWaits makes the Mailer repeat requests at once.
func (m *Mailer) WithoutWaits() *Mailer {
	m.client.WithoutWaits()
	return m
}
