package build

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleTime is how long nothing may be saved before a build begins: an editor or git saves several
// files in a row.
const settleTime = 80 * time.Millisecond

// templateFile is the one watched file that no binary is made of.
const templateFile = "template.yaml"

// WatchConfig is what Watch needs besides the Builder's own configuration. The functions are called
// from one goroutine. The context that they get ends with the watching.
type WatchConfig struct {
	// Dir is a folder of the watcher's own, used to find out whether it has seen all that was saved.
	Dir string
	// Reload must make later invocations run the new binary.
	Reload func(function string)
	// Template is called after template.yaml was saved.
	Template func(ctx context.Context)
	// Lost is called when Dir has been deleted or moved, after which Wait fails; nil is nobody.
	Lost func()
}

// Watcher rebuilds functions whose sources are saved. Its promise is that after Wait has returned,
// the function is as new as what was saved before Wait was called, unless that does not compile.
type Watcher struct {
	builder *Builder
	config  WatchConfig
	files   *fsnotify.Watcher
	marker  *marker
	cancel  context.CancelFunc
	ended   chan struct{}
	results chan result

	mu        sync.Mutex
	functions map[string]*state
}

// state counts saves; a function is fresh when all of them are built.
type state struct {
	saved, built int
	building     bool
	fresh        chan struct{} // closed when fresh again
}

// result says that a build has ended that has all saves up to a count.
type result struct {
	function string
	saved    int
}

// Watch begins to watch, until ctx ends. The caller must call Close.
func (b *Builder) Watch(ctx context.Context, c WatchConfig) (*Watcher, error) {
	files, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &Watcher{
		builder:   b,
		config:    c,
		files:     files,
		ended:     make(chan struct{}),
		results:   make(chan result),
		functions: map[string]*state{},
	}
	for _, id := range b.config.Functions {
		w.functions[id] = &state{}
	}
	if err := w.addAll(); err != nil {
		return nil, errors.Join(err, files.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	w.cancel = cancel
	go w.run(ctx)
	return w, nil
}

func (w *Watcher) addAll() error {
	marker, err := newMarker(w.config.Dir)
	if err != nil {
		return err
	}
	w.marker = marker
	repo := w.builder.config.RepoDir
	return errors.Join(
		w.files.Add(w.config.Dir),
		w.files.Add(repo),
		w.addTree(filepath.Join(repo, "functions")),
		w.addTree(filepath.Join(repo, "shared")),
		w.addTree(filepath.Join(repo, "documents")),
	)
}

// addTree watches a folder and all below it, which need not exist any more.
func (w *Watcher) addTree(root string) error {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case ignoredDirectory(d.Name()):
			return filepath.SkipDir
		}
		return w.files.Add(path)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Close ends watching and any build that runs, and releases everyone who waits.
func (w *Watcher) Close() error {
	w.cancel()
	err := w.files.Close()
	<-w.ended
	return err
}

// Wait blocks while a rebuild of the function is due or running.
func (w *Watcher) Wait(ctx context.Context, function string) error {
	if err := w.marker.pass(ctx, w.ended); err != nil {
		return err
	}
	w.mu.Lock()
	s, ok := w.functions[function]
	if !ok || s.saved == s.built {
		w.mu.Unlock()
		return nil
	}
	fresh := s.fresh
	w.mu.Unlock()
	select {
	case <-fresh:
	case <-w.ended:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// run is the only goroutine that changes states.
func (w *Watcher) run(ctx context.Context) {
	defer close(w.ended)
	settled := time.NewTimer(0)
	template := false
	for {
		select {
		case <-ctx.Done():
			return
		case event, ok := <-w.files.Events:
			if !ok {
				return
			}
			if w.marker.is(event) || w.lost(event) {
				continue
			}
			stale, isTemplate := w.affected(event)
			w.markStale(stale)
			template = template || isTemplate
			if isTemplate || len(stale) > 0 {
				settled.Reset(settleTime)
			}
		case err, ok := <-w.files.Errors: // the kernel's queue ran over: what was saved is unknown
			if !ok {
				return
			}
			w.builder.config.Log("watching the sources: " + err.Error() + "; building all functions")
			w.markStale(w.builder.config.Functions)
			settled.Reset(settleTime)
		case r := <-w.results:
			w.finish(ctx, r)
		case <-settled.C:
			if template {
				template = false
				w.config.Template(ctx)
			}
			w.buildStale(ctx)
		}
	}
}

// lost tells that the watcher's own folder is gone.
func (w *Watcher) lost(event fsnotify.Event) bool {
	if event.Name != w.config.Dir || !event.Has(fsnotify.Remove) && !event.Has(fsnotify.Rename) {
		return false
	}
	if w.config.Lost != nil {
		w.config.Lost()
	}
	return true
}

// affected says which functions are made of the file, and whether it is the template.
func (w *Watcher) affected(event fsnotify.Event) (functions []string, template bool) {
	path, err := filepath.Rel(w.builder.config.RepoDir, event.Name)
	if err != nil || event.Op == fsnotify.Chmod || ignoredFile(filepath.Base(path)) {
		return nil, false
	}
	if event.Has(fsnotify.Create) {
		w.follow(event.Name)
	}
	parts := strings.Split(filepath.ToSlash(path), "/")
	switch {
	case path == templateFile:
		return nil, true
	case path == "Makefile", slices.Contains(shared, parts[0]):
		return w.builder.config.Functions, false
	case parts[0] == "functions" && len(parts) > 1:
		return slices.DeleteFunc(slices.Clone(w.builder.config.Functions), func(id string) bool {
			return directory(id) != parts[1]
		}), false
	}
	return nil, false
}

// follow watches a new folder. One that cannot be watched shows by its saves being missed, which
// is said rather than hidden.
func (w *Watcher) follow(path string) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() || filepath.Dir(path) == w.builder.config.RepoDir && !w.isRoot(path) {
		return
	}
	if err := w.addTree(path); err != nil {
		w.builder.config.Alarm("cannot watch " + path + ": " + err.Error())
	}
}

func (w *Watcher) isRoot(path string) bool {
	name := filepath.Base(path)
	return name == "functions" || slices.Contains(shared, name)
}

func (w *Watcher) markStale(functions []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range functions {
		s := w.functions[id]
		if s.saved == s.built {
			s.fresh = make(chan struct{})
		}
		s.saved++
	}
}

func (w *Watcher) buildStale(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, s := range w.functions {
		if s.saved > s.built && !s.building {
			s.building = true
			go w.build(ctx, id, s.saved)
		}
	}
}

// build runs beside the loop, since a save during a build must be seen.
func (w *Watcher) build(ctx context.Context, id string, saved int) {
	if err := w.builder.Function(ctx, id); err != nil && ctx.Err() == nil {
		w.builder.config.Alarm(err.Error() + "\n" + id + " goes on with the code before this change")
	}
	select {
	case w.results <- result{id, saved}:
	case <-ctx.Done():
	}
}

// finish releases those who wait, or builds again what was saved in the meantime.
func (w *Watcher) finish(ctx context.Context, r result) {
	w.config.Reload(r.function)
	w.mu.Lock()
	s := w.functions[r.function]
	s.building = false
	s.built = r.saved
	if s.saved == s.built {
		close(s.fresh)
	}
	w.mu.Unlock()
	w.buildStale(ctx)
}
