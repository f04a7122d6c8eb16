// Package usage is what operations use of AWS, as `bench -only costs` measures it and cmd/capacity prices it.
package usage

// Measurement is the result of one run.
type Measurement struct {
	Date       string      `json:"date"`
	Machine    string      `json:"machine"`
	Operations []Operation `json:"operations"`
	// Background are the functions that work after an operation: its average per unit of work, such as a line of the
	// log.
	Background []Operation `json:"background"`
}

// Operation is what one run of an operation uses on average.
type Operation struct {
	Name string `json:"name"`
	// Requests of the API.
	Requests  float64             `json:"requests"`
	Functions map[string]Function `json:"functions"`
	// ReadUnits and WriteUnits of DynamoDB, by table.
	ReadUnits  map[string]float64 `json:"readUnits,omitempty"`
	WriteUnits map[string]float64 `json:"writeUnits,omitempty"`
	// Calls of other services by action, such as s3:GetObject.
	Calls      map[string]float64 `json:"calls,omitempty"`
	LogRecords float64            `json:"logRecords"`
	LogBytes   float64            `json:"logBytes"`
}

// Function is the work of a function.
type Function struct {
	Invocations float64 `json:"invocations"`
	// CPUMs is the CPU time in milliseconds.
	CPUMs float64 `json:"cpuMs"`
	// Trips are calls of DynamoDB that wait for each other, and Waits are those of other services.
	Trips float64 `json:"trips"`
	Waits float64 `json:"waits"`
}
