package analytics

// Usage has the resources that were used on a day.
type Usage struct {
	Storage *StorageBytes // the last measurement of the day; nil without one
	Charts  int64         // pulls of charts
	Images  int64         // pulls of images
	Checks  int64         // update checks
	Models  ModelUsage
}

// add adds the usage of another day. It leaves Storage unchanged, because a measurement cannot be
// added up.
func (u *Usage) add(other *Usage) {
	u.Charts += other.Charts
	u.Images += other.Images
	u.Checks += other.Checks
	u.Models.Calls += other.Models.Calls
	u.Models.InputTokens += other.Models.InputTokens
	u.Models.OutputTokens += other.Models.OutputTokens
	u.Models.MicroUSD += other.Models.MicroUSD
}

// ModelUsage is how often language models were called, and what the calls cost.
type ModelUsage struct {
	Calls        int64
	InputTokens  int64
	OutputTokens int64
	MicroUSD     int64 // millionths of a US dollar; calls of models without a known price add nothing
}

// USD returns the cost in US dollars.
func (m ModelUsage) USD() float64 { return float64(m.MicroUSD) / 1e6 }
