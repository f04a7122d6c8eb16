package mail

// MaxWaiting limits how many waiting mails are read to send some of them in turns.
const MaxWaiting = 10_000

// InTurns returns up to limit of the waiting mails in the order in which they are sent: one of each sender, then the second of each, and so
// on. So nobody waits for more than a mail of each other sender, however many these have. A sender's own mails keep their order.
func InTurns[M any](waiting []M, limit int, sender func(M) string) []M {
	var senders []string // in the order of their first mails
	of := map[string][]M{}
	for _, message := range waiting {
		name := sender(message)
		if of[name] == nil {
			senders = append(senders, name)
		}
		of[name] = append(of[name], message)
	}
	var turns []M
	for round := 0; len(turns) < min(limit, len(waiting)); round++ {
		for _, name := range senders {
			if round < len(of[name]) && len(turns) < limit {
				turns = append(turns, of[name][round])
			}
		}
	}
	return turns
}
