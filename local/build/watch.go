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

// Watcher rebuilds functions whose sources are saved. When Wait returns, the function's binary
// includes all saves from before the call, unless they do not compile.
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

// state counts the saves of a function. The function is fresh when all saves are built.
type state struct {
	saved, built int
	building     bool
	fresh        chan struct{} // closed when fresh again
}

// result reports the end of a build that includes the first saves.
type result struct {
	function string
	saved    int
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

// Wait blocks while a rebuild of the function is due or running.
func (w *Watcher) Wait(ctx context.Context, function string) error {
	if err := w.marker.wait(ctx, w.ended); err != nil {
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
			debounce.Reset(debounceDelay)
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
	parts := strings.Split(filepath.ToSlash(path), "/")
	switch {
	case path == templateFile:
		return nil, true
	case path == "Makefile", slices.Contains(commonSources, parts[0]):
		return w.builder.config.Functions, false
	case parts[0] == "functions" && len(parts) > 1:
		return slices.DeleteFunc(slices.Clone(w.builder.config.Functions), func(id string) bool {
			return directory(id) != parts[1]
		}), false
	}
	return nil, false
}

// watchNewDir watches a new folder. If that fails, saves in it have no effect, so the failure is
// logged.
func (w *Watcher) watchNewDir(path string) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() || filepath.Dir(path) == w.builder.config.RepoDir && !w.isRoot(path) {
		return
	}
	if err := w.addTree(path); err != nil {
		w.builder.config.LogError("cannot watch " + path + ": " + err.Error())
	}
}

func (w *Watcher) isRoot(path string) bool {
	name := filepath.Base(path)
	return name == "functions" || slices.Contains(commonSources, name)
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
	if err := w.builder.Function(ctx, id); err != nil && ctx.Err() == nil {
		w.builder.config.LogError(err.Error() + "\n" + id + " keeps running the code from before this change")
	}
	select {
	case w.results <- result{id, saved}:
	case <-ctx.Done():
	}
}

// finish releases the waiters, or builds again if there were saves meanwhile.
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
