package jobs

import (
	"context"
	"time"

	"github.com/google/uuid"

	"portside/shared/core/fault"
	"portside/shared/media"
)

// ErrNotUploaded means that a job cannot start, because its files were not uploaded in time.
var ErrNotUploaded = fault.New(fault.Unavailable, "The service cannot store the file at the moment. Send the request again.")

// backgroundUploads uploads the files of a request during its work.
//
// Most work ends before its files could be uploaded. So the upload only begins after a delay, or
// when a job is needed. If the work then becomes a job, the files are there already and the job
// can start at once.
type backgroundUploads struct {
	uploads Uploads
	owner   string
	ids     []string           // of all files of the work
	files   map[int]media.File // files of the request, by their index in ids

	needed chan struct{} // closed by wait: a job needs the files
	unused chan struct{} // closed by finish: the files are not needed any more
	ended  chan struct{} // closed when nothing is being uploaded any more
	cancel context.CancelFunc
	err    error // written by the uploading goroutine, and read after ended is closed
}

// startUploads starts the goroutine that uploads the files of the request. The caller must call
// finish before it closes the files.
func (r *Responder) startUploads(ctx context.Context, req Request) *backgroundUploads {
	ctx, cancel := context.WithCancel(ctx)
	u := &backgroundUploads{
		uploads: r.Uploads, owner: req.Owner, files: map[int]media.File{}, cancel: cancel,
		needed: make(chan struct{}), unused: make(chan struct{}), ended: make(chan struct{}),
	}
	for i, f := range req.Files {
		id := f.UploadID
		if f.File != nil {
			id = uuid.NewString() // of another version than offered uploads have; see medias3
			u.files[i] = *f.File
		}
		u.ids = append(u.ids, id)
	}
	go func() {
		defer close(u.ended)
		u.err = u.run(ctx, r.Timing.UploadDelay)
	}()
	return u
}

// run uploads the files after the delay, or as soon as a job needs them.
func (u *backgroundUploads) run(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-u.needed:
	case <-u.unused:
		return nil
	}
	for i, file := range u.files {
		if err := u.uploads.SaveUpload(ctx, u.owner, u.ids[i], file.Source); err != nil {
			return err
		}
	}
	return nil
}

// wait waits until all files are uploaded, and returns their IDs. It returns ErrNotUploaded if the
// context ends first. It must be called only once.
func (u *backgroundUploads) wait(ctx context.Context) ([]string, error) {
	close(u.needed)
	select {
	case <-u.ended:
		return u.ids, u.err
	case <-ctx.Done():
		u.cancel()
		return nil, ErrNotUploaded
	}
}

// finish stops uploading. Afterwards the files can be closed. The bucket's lifecycle deletes what no job needs.
func (u *backgroundUploads) finish() {
	close(u.unused)
	u.cancel()
	<-u.ended
}
