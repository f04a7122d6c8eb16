package documents

import "bytes"

// FromBytes returns a Source of a file that is in memory. The bytes must not change while the file is read.
func FromBytes(data []byte) Source {
	return Source{ReaderAt: bytes.NewReader(data), Size: int64(len(data))}
}
