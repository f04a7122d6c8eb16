package web

// BaseURL returns the address that links in mails begin with: the configured one, or the host of the request if none is
// configured.
func BaseURL(configured, host string) string {
	if configured != "" {
		return configured
	}
	return "https://" + host
}
