package jobs

// Parts of the results of batches.
var (
	EncodeLine = encodeLine
	CSVHeader  = csvHeader
	CSVRow     = csvRow
)
