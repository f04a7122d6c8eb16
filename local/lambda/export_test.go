package lambda

// Processes is how many processes the Runtime has not yet seen ending.
func (r *Runtime) Processes() int { return len(r.running()) }
