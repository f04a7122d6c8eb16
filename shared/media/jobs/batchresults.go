package jobs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"portside/shared/core/text"
	"portside/shared/media"
)

// fetchWorkers is how many lines are fetched at the same time.
const fetchWorkers = 16

// saveResults stores the files with the results of all documents.
func (r *Runner) saveResults(ctx context.Context, job Job) error {
	if err := r.saveFile(ctx, job, JSONLines, r.writeJSONLines); err != nil {
		return fmt.Errorf("%s: %w", JSONLines, err)
	}
	if err := r.saveFile(ctx, job, CSV, r.writeCSV); err != nil {
		return fmt.Errorf("%s: %w", CSV, err)
	}
	return nil
}

// saveFile writes a file to the disk, because its size is unknown before, and stores it.
func (r *Runner) saveFile(
	ctx context.Context, job Job, format ResultsFormat, write func(context.Context, io.Writer, Job) error,
) error {
	reader, writer := io.Pipe()
	go func() {
		out := bufio.NewWriter(writer)
		err := write(ctx, out, job)
		writer.CloseWithError(errors.Join(err, out.Flush()))
	}()
	file, closeFile, err := media.Spool(reader)
	if err != nil {
		return err
	}
	defer closeFile()
	return r.Batches.SaveResults(ctx, job, format, file)
}

// writeJSONLines writes one line of JSON for each document (jsonlines.org).
func (r *Runner) writeJSONLines(ctx context.Context, out io.Writer, job Job) error {
	return r.eachLine(ctx, job, func(line []byte) error {
		_, err := out.Write(append(line, '\n'))
		return err
	})
}

// writeCSV writes a table with one row for each document (RFC 4180).
func (r *Runner) writeCSV(ctx context.Context, out io.Writer, job Job) error {
	columns := job.Question.Columns()
	table := csv.NewWriter(out)
	table.UseCRLF = true
	if err := table.Write(csvHeader(columns)); err != nil {
		return err
	}
	err := r.eachLine(ctx, job, func(line []byte) error {
		row, err := csvRow(line, columns)
		if err != nil {
			return err
		}
		return table.Write(row)
	})
	table.Flush()
	return errors.Join(err, table.Error())
}

// csvHeader returns the titles of all columns. The requester chooses the names of the values.
func csvHeader(columns []string) []string {
	header := []string{"name", "uploadId", "status", "error"}
	for _, name := range columns {
		header = append(header, text.CSVCell(name))
	}
	return header
}

// csvRow returns the row of a document's line.
func csvRow(encoded []byte, columns []string) ([]string, error) {
	var line struct {
		BatchLine
		Result struct {
			Summary   string                     `json:"summary"`
			Extracted map[string]json.RawMessage `json:"extracted_data"`
		} `json:"result"`
	}
	if err := json.Unmarshal(encoded, &line); err != nil {
		return nil, fmt.Errorf("decode a line: %w", err)
	}
	row := []string{text.CSVCell(line.Name), line.UploadID, string(line.Status), ""}
	if line.Error != nil {
		row[3] = text.CSVCell(line.Error.Detail)
	}
	for _, name := range columns {
		cell := csvCell(line.Result.Extracted[name])
		if line.Result.Extracted == nil {
			cell = text.CSVCell(line.Result.Summary)
		}
		row = append(row, cell)
	}
	return row, nil
}

// csvCell returns a value as text: a string without quotes, null as nothing, and objects and arrays as JSON.
func csvCell(value json.RawMessage) string {
	var decoded string
	switch {
	case len(value) == 0 || bytes.Equal(value, []byte("null")):
		return ""
	case value[0] == '"' && json.Unmarshal(value, &decoded) == nil:
		return text.CSVCell(decoded)
	}
	return string(value)
}

// eachLine calls use with the line of each document, in the order of the documents.
func (r *Runner) eachLine(ctx context.Context, job Job, use func(line []byte) error) error {
	total := len(job.Batch.Documents)
	for from := 0; from < total; from += fetchWorkers {
		lines, err := r.fetchLines(ctx, job, from, min(from+fetchWorkers, total))
		if err != nil {
			return err
		}
		for _, line := range lines {
			if err := use(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// fetchLines returns the lines of the documents from index from up to, but not including, index to.
func (r *Runner) fetchLines(ctx context.Context, job Job, from, to int) ([][]byte, error) {
	lines, failures := make([][]byte, to-from), make([]error, to-from)
	var workers sync.WaitGroup
	for i := range lines {
		workers.Go(func() { lines[i], failures[i] = r.line(ctx, job, from+i) })
	}
	workers.Wait()
	return lines, errors.Join(failures...)
}

// line returns the line of a document that has ended.
func (r *Runner) line(ctx context.Context, job Job, index int) ([]byte, error) {
	d := job.Batch.Documents[index]
	if d.Status == Succeeded {
		return r.Batches.Line(ctx, job, index)
	}
	return json.Marshal(BatchLine{Name: d.Name, UploadID: job.Uploads[index], Status: Failed, Error: d.Failure.Problem()})
}
