package media

// CopyToDisk is the part of Spool that copies, so that tests can choose the disk.
var CopyToDisk = copyToDisk

// Parts of the results of batches.
var (
	EncodeLine = encodeLine
	CSVHeader  = csvHeader
	CSVRow     = csvRow
)
