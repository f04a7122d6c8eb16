package resources

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"portside/client"
	"portside/cmd/portside/cli"
)

// upload posts a large file to the storage and returns the ID of the upload.
func upload(ctx context.Context, api *client.Client, path string, shown *cli.Progress) (id string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // closing after reading loses nothing
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	size := info.Size()
	place, err := api.CreateUpload(ctx, &client.CreateUploadParams{MaxBytes: &size})
	if err != nil {
		return "", err
	}
	begin, end, contentType, err := formAround(place.Fields, filepath.Base(path))
	if err != nil {
		return "", err
	}
	body := io.MultiReader(bytes.NewReader(begin), &shownReader{from: file, size: size, shown: shown}, bytes.NewReader(end))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, place.URL, body)
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", contentType)
	request.ContentLength = int64(len(begin)) + size + int64(len(end)) // the storage takes no chunks
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusMultipleChoices {
		return "", fmt.Errorf("the storage refused the file with the status %d: try again", response.StatusCode)
	}
	return place.UploadID, nil
}

// formAround returns the parts of a form before and after the file, so that the file need not fit into memory.
func formAround(fields map[string]string, fileName string) (begin, end []byte, contentType string, err error) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if err := form.WriteField(name, fields[name]); err != nil {
			return nil, nil, "", err
		}
	}
	if _, err := form.CreateFormFile("file", fileName); err != nil {
		return nil, nil, "", err
	}
	length := b.Len()
	err = form.Close()
	return b.Bytes()[:length], b.Bytes()[length:], form.FormDataContentType(), err
}

// shownReader shows how much of a file was read.
type shownReader struct {
	from       io.Reader
	size, read int64
	shown      *cli.Progress
}

func (r *shownReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.read += int64(n)
	r.shown.Show("uploading: %d %%", 100*r.read/max(r.size, 1))
	return n, err
}
