package lambda

// Processes returns the number of processes whose exit the Runtime has not noticed.
func (r *Runtime) Processes() int { return len(r.running()) }
