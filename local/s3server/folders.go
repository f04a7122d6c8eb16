package main

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/s3api/middlewares"
	"github.com/versity/versitygw/s3response"
)

// folderBackend is a storage backend in which the deletion of an object does not disturb the creation of another.
//
// S3 has no folders. versitygw creates the folders of a new object, and removes a folder with its last object. If both
// happen at the same time, it answers the creation with 409 and "Existing Object is a directory". So a deletion waits
// until running creations end, and a creation waits for deletions. Creations run at the same time. A creation takes the
// lock when its body has arrived, so that a slow client delays no deletion.
type folderBackend struct {
	backend.Backend
	folders *sync.RWMutex // locked for reading by creations, for writing by deletions
}

func withStableFolders(b backend.Backend) backend.Backend { return folderBackend{b, &sync.RWMutex{}} }

// PutObject implements backend.Backend.
func (b folderBackend) PutObject(ctx context.Context,
	in s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	body := &lockingBody{Reader: in.Body, folders: b.folders}
	defer body.unlock()
	switch checked, hasChecksum := in.Body.(middlewares.ChecksumReader); {
	case in.Body == nil:
		body.lock()
	case hasChecksum:
		in.Body = checkedBody{body, checked}
	default:
		in.Body = body
	}
	return b.Backend.PutObject(ctx, in)
}

// CopyObject implements backend.Backend.
func (b folderBackend) CopyObject(ctx context.Context,
	in s3response.CopyObjectInput) (s3response.CopyObjectOutput, error) {
	b.folders.RLock()
	defer b.folders.RUnlock()
	return b.Backend.CopyObject(ctx, in)
}

// CompleteMultipartUpload implements backend.Backend.
func (b folderBackend) CompleteMultipartUpload(
	ctx context.Context, in *s3.CompleteMultipartUploadInput,
) (result s3response.CompleteMultipartUploadResult, version string, err error) {
	b.folders.RLock()
	defer b.folders.RUnlock()
	return b.Backend.CompleteMultipartUpload(ctx, in)
}

// DeleteObject implements backend.Backend.
func (b folderBackend) DeleteObject(ctx context.Context, in *s3.DeleteObjectInput) (*s3.DeleteObjectOutput, error) {
	b.folders.Lock()
	defer b.folders.Unlock()
	return b.Backend.DeleteObject(ctx, in)
}

// DeleteObjects implements backend.Backend.
func (b folderBackend) DeleteObjects(ctx context.Context, in *s3.DeleteObjectsInput) (s3response.DeleteResult, error) {
	b.folders.Lock()
	defer b.folders.Unlock()
	return b.Backend.DeleteObjects(ctx, in)
}

// lockingBody is the body of a new object. It locks the folders for reading when it ends.
type lockingBody struct {
	io.Reader
	folders  *sync.RWMutex
	isLocked bool
}

// Read implements io.Reader.
func (l *lockingBody) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		l.lock()
	}
	return n, err
}

func (l *lockingBody) lock() {
	if !l.isLocked {
		l.folders.RLock()
		l.isLocked = true
	}
}

func (l *lockingBody) unlock() {
	if l.isLocked {
		l.folders.RUnlock()
		l.isLocked = false
	}
}

// checkedBody is a lockingBody that ends with a checksum.
type checkedBody struct {
	*lockingBody
	checksum middlewares.ChecksumReader
}

// Algorithm implements middlewares.ChecksumReader.
func (b checkedBody) Algorithm() string { return b.checksum.Algorithm() }

// Checksum implements middlewares.ChecksumReader.
func (b checkedBody) Checksum() string { return b.checksum.Checksum() }
