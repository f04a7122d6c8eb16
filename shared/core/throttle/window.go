package throttle

import "time"

// Window limits how often something may happen in a fixed period of time, such as mails on a day.
type Window struct {
	Name    string // of the limit; part of a stored key
	Subject string // who is counted; part of a stored key
	Length  time.Duration
	Limit   int
}
