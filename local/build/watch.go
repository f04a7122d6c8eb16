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

// debounceDelay is the time without a save after which a build begins. Editors and git save several
// files in a row.
const debounceDelay = 80 * time.Millisecond

// templateFile is the only watched file that is not a source of a binary.
const templateFile = "template.yaml"

// WatchConfig holds the parameters of Watch. Its functions are called from one goroutine. Their
// context ends when watching ends.
type WatchConfig struct {
	// Dir is a folder for the watcher's exclusive use. The watcher touches a file in it to find out
	// whether it has seen all earlier saves.
	Dir string
	// Reload must make later invocations run the new binary.
	Reload func(function string)
	// Template is called after a save of template.yaml.
	Template func(ctx context.Context)
	// DirLost is called when Dir is deleted or moved. After that, Wait fails. It may be nil.
	DirLost func()
}

// Watcher rebuilds functions whose sources are saved. When Wait returns without an error, the function's binary
// includes all saves from before the call.
type Watcher struct {
	builder *Builder
	config  WatchConfig
	files   *fsnotify.Watcher
	marker  *marker
	cancel  context.CancelFunc
	ended   chan struct{}
	results chan result
	all     chan struct{} // receives a value to build all functions

	mu         sync.Mutex
	functions  map[string]*state
	lastOutput string // of the last build that failed
}

// state counts the saves of a function. The function is fresh when all saves are built.
type state struct {
	saved, built int
	building     bool
	failed       error         // of the last build
	fresh        chan struct{} // closed when fresh again
	folders      []string      // whose files the function uses
}

// result reports the end of a build that includes the first saves.
type result struct {
	function string
	saved    int
	err      error
	folders  []string // nil if they are unknown
}

// Watch starts watching. It stops when ctx ends. The caller must call Close.
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
		all:       make(chan struct{}),
		functions: map[string]*state{},
	}
	for _, id := range b.config.Functions {
		folders, err := b.imports.folders(sourceDir(id))
		if err != nil {
			return nil, errors.Join(err, files.Close())
		}
		w.functions[id] = &state{folders: folders}
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
	failed := []error{w.files.Add(w.config.Dir), w.files.Add(repo)}
	for root := range w.roots() {
		failed = append(failed, w.addTree(filepath.Join(repo, root)))
	}
	return errors.Join(failed...)
}

// roots returns the folders of the repository that have sources of functions, such as shared.
func (w *Watcher) roots() map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	found := map[string]bool{}
	for _, s := range w.functions {
		for _, folder := range s.folders {
			root, _, _ := strings.Cut(filepath.ToSlash(folder), "/")
			found[root] = true
		}
	}
	return found
}

// addTree watches a folder and all folders below it. They may disappear meanwhile.
func (w *Watcher) addTree(root string) error {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case isIgnoredDir(d.Name()):
			return filepath.SkipDir
		}
		return w.files.Add(path)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Close stops watching, cancels running builds and releases all waiters.
func (w *Watcher) Close() error {
	w.cancel()
	err := w.files.Close()
	<-w.ended
	return err
}

// BuildAll begins to build all functions whose sources have changed since their last build. It does not wait for the
// builds.
func (w *Watcher) BuildAll() {
	select {
	case w.all <- struct{}{}:
	case <-w.ended:
	}
}

// Wait blocks while a rebuild of the function is due or running, and lets that go before other builds. It returns an
// *[Error] if the function does not build.
func (w *Watcher) Wait(ctx context.Context, function string) error {
	if err := w.marker.wait(ctx, w.ended); err != nil {
		return err
	}
	w.mu.Lock()
	s, ok := w.functions[function]
	if !ok || s.saved == s.built {
		defer w.mu.Unlock()
		return w.failure(function)
	}
	fresh := s.fresh
	w.mu.Unlock()
	w.builder.turns.putFirst(function)
	select {
	case <-fresh:
	case <-w.ended:
	case <-ctx.Done():
		return ctx.Err()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failure(function)
}

// failure returns the error of the function's last build. The caller holds the lock.
func (w *Watcher) failure(function string) error {
	if s, ok := w.functions[function]; ok {
		return s.failed
	}
	return nil
}

// run is the only goroutine that changes states.
func (w *Watcher) run(ctx context.Context) {
	defer close(w.ended)
	debounce := time.NewTimer(0)
	template := false
	for {
		select {
		case <-ctx.Done():
			return
		case event, ok := <-w.files.Events:
			if !ok {
				return
			}
			if w.marker.handle(event) || w.checkDirLost(event) {
				continue
			}
			stale, isTemplate := w.affected(event)
			w.markStale(stale)
			template = template || isTemplate
			if isTemplate || len(stale) > 0 {
				debounce.Reset(debounceDelay)
			}
		case err, ok := <-w.files.Errors: // the kernel's queue overflowed, so some saves are unknown
			if !ok {
				return
			}
			w.builder.config.Log("watching the sources: " + err.Error() + "; building all functions")
			w.markStale(w.builder.config.Functions)
			w.marker.release() // the notification of the touch may be lost, too
			debounce.Reset(debounceDelay)
		case <-w.all:
			w.markStale(w.builder.config.Functions)
			w.buildStale(ctx)
		case r := <-w.results:
			w.finish(ctx, r)
		case <-debounce.C:
			if template {
				template = false
				w.config.Template(ctx)
			}
			w.buildStale(ctx)
		}
	}
}

// checkDirLost reports whether the event is the loss of Dir, and calls DirLost if so.
func (w *Watcher) checkDirLost(event fsnotify.Event) bool {
	if event.Name != w.config.Dir || !event.Has(fsnotify.Remove) && !event.Has(fsnotify.Rename) {
		return false
	}
	if w.config.DirLost != nil {
		w.config.DirLost()
	}
	return true
}

// affected returns the functions that use the event's file, and whether the file is the template.
func (w *Watcher) affected(event fsnotify.Event) (functions []string, template bool) {
	path, err := filepath.Rel(w.builder.config.RepoDir, event.Name)
	if err != nil || event.Op == fsnotify.Chmod || isIgnoredFile(filepath.Base(path)) {
		return nil, false
	}
	if event.Has(fsnotify.Create) {
		w.watchNewDir(event.Name)
	}
	switch {
	case path == templateFile:
		return nil, true
	case slices.Contains(commonSources, path):
		return w.builder.config.Functions, false
	}
	return w.usersOf(path), false
}

// usersOf returns the functions that use a file, or a folder that was created or deleted.
func (w *Watcher) usersOf(path string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, id := range w.builder.config.Functions {
		folders := w.functions[id].folders
		if slices.Contains(folders, filepath.Dir(path)) || slices.Contains(folders, path) {
			all = append(all, id)
		}
	}
	return all
}

// watchNewDir watches a new folder. If that fails, saves in it have no effect, so the failure is
// logged.
func (w *Watcher) watchNewDir(path string) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() || filepath.Dir(path) == w.builder.config.RepoDir && !w.roots()[filepath.Base(path)] {
		return
	}
	w.watchTree(path)
}

func (w *Watcher) watchTree(path string) {
	if err := w.addTree(path); err != nil {
		w.builder.config.LogError("cannot watch " + path + ": " + err.Error())
	}
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

// build runs in its own goroutine, because the loop must notice saves during a build.
func (w *Watcher) build(ctx context.Context, id string, saved int) {
	err := w.builder.Function(ctx, id)
	if err != nil && ctx.Err() == nil {
		w.logFailure(id, err)
	}
	folders, unknown := w.builder.imports.folders(sourceDir(id))
	if unknown != nil {
		folders = nil
	}
	select {
	case w.results <- result{id, saved, err, folders}:
	case <-ctx.Done():
	}
}

// logFailure logs why a function does not build. A mistake in a shared package fails many functions, so it logs the
// compiler's lines once.
func (w *Watcher) logFailure(id string, err error) {
	failed, isBuild := errors.AsType[*Error](err)
	w.mu.Lock()
	defer w.mu.Unlock()
	if isBuild && failed.Output == w.lastOutput && failed.Output != "" {
		w.builder.config.LogError(id + " does not build for the same reason")
		return
	}
	if isBuild {
		w.lastOutput = failed.Output
	}
	w.builder.config.LogError(err.Error())
}

// finish releases the waiters, or builds again if there were saves meanwhile.
func (w *Watcher) finish(ctx context.Context, r result) {
	w.config.Reload(r.function)
	roots := w.roots()
	w.mu.Lock()
	s := w.functions[r.function]
	s.building = false
	s.built, s.failed = r.saved, r.err
	if r.folders != nil {
		isNew := func(folder string) bool { return !slices.Contains(s.folders, folder) }
		if slices.ContainsFunc(r.folders, isNew) {
			s.saved++ // a file in the new folder may have been saved during the build
		}
		s.folders = r.folders
	}
	if s.saved == s.built {
		close(s.fresh)
	}
	w.mu.Unlock()
	for root := range w.roots() {
		if !roots[root] {
			w.watchTree(filepath.Join(w.builder.config.RepoDir, root))
		}
	}
	w.buildStale(ctx)
}
