package tesseract

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental/table"
)

// modelName is the name of the only model that the module sees, in the file /model.traineddata.
const modelName = "model"

// modelDescriptor is the number of that file when it is open.
const modelDescriptor = 3

// host is what a module sees of the world: one file, which it can read.
type host struct {
	model    []byte
	position int64 // in the model
}

// hostKey is the key of a host in the context of an instance.
type hostKey struct{}

// hostFunction is a function that the module imports. The results replace the arguments on the stack.
type hostFunction func(h *host, ctx context.Context, m api.Module, stack []uint64)

// imports returns the imported functions that Tesseract calls, by their minified names.
func imports() map[string]hostFunction {
	return map[string]hostFunction{
		"n": (*host).open, "o": (*host).read, "E": (*host).seek, "m": (*host).succeed, "l": (*host).write,
		"u": (*host).growMemory, "s": (*host).reportProgress, "L": (*host).readClock, "M": (*host).readTime,
		"F": (*host).succeed, "G": (*host).countNoVariables, "t": (*host).throwLongjmp, "Q": (*host).ignoreFiles,
	}
}

// provideImports defines all functions that the module imports.
func provideImports(ctx context.Context, r wazero.Runtime, module wazero.CompiledModule) error {
	known := imports()
	builders := map[string]wazero.HostModuleBuilder{}
	for _, imported := range module.ImportedFunctions() {
		from, name, _ := imported.Import()
		if builders[from] == nil {
			builders[from] = r.NewHostModuleBuilder(from)
		}
		parameters, results := imported.ParamTypes(), imported.ResultTypes()
		var function api.GoModuleFunc
		switch do := known[name]; {
		case isInvoke[name]:
			function = invoke(parameters[1:], results)
		case do != nil:
			function = func(ctx context.Context, m api.Module, stack []uint64) {
				h, _ := ctx.Value(hostKey{}).(*host)
				do(h, ctx, m, stack)
			}
		case len(results) > 0:
			function = func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = errorNumber(unsupported) }
		default:
			function = func(context.Context, api.Module, []uint64) { panic(fmt.Errorf("it calls its import %s", name)) }
		}
		builders[from].NewFunctionBuilder().WithGoModuleFunction(function, parameters, results).Export(name)
	}
	for _, b := range builders {
		if _, err := b.Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Numbers of errors in Emscripten's system calls.
const (
	notFound    = 44
	unsupported = 52
)

func errorNumber(n int32) uint64 { return uint64(uint32(-n)) }

// isInvoke has the imports that call a function of the module's table. The module catches exceptions with them.
var isInvoke = map[string]bool{
	"b": true, "c": true, "d": true, "e": true, "f": true, "g": true, "h": true, "i": true, "j": true, "q": true, "r": true,
}

// errLongjmp is the panic of a longjmp of C, which the nearest invoke catches.
var errLongjmp = errors.New("longjmp")

func (*host) throwLongjmp(context.Context, api.Module, []uint64) { panic(errLongjmp) }

// invoke returns an import that calls the function with the number in its first argument, and passes on the others.
func invoke(parameters, results []api.ValueType) api.GoModuleFunc {
	return func(ctx context.Context, m api.Module, stack []uint64) {
		position, err := m.ExportedFunction(exportStackPosition).Call(ctx)
		if err != nil {
			panic(err)
		}
		function := table.LookupFunction(m, 0, uint32(stack[0]), parameters, results)
		values, err := function.Call(ctx, stack[1:1+len(parameters)]...)
		if err == nil {
			copy(stack, values)
			return
		}
		if !errors.Is(err, errLongjmp) {
			panic(err)
		}
		if _, err := m.ExportedFunction(exportRestoreStack).Call(ctx, position[0]); err != nil {
			panic(err)
		}
		if _, err := m.ExportedFunction(exportSetThrew).Call(ctx, 1, 0); err != nil {
			panic(err)
		}
		stack[0] = 0
	}
}

func (*host) succeed(_ context.Context, _ api.Module, stack []uint64) { stack[0] = 0 }

// open implements openat(folder, path, flags, mode).
func (h *host) open(_ context.Context, m api.Module, stack []uint64) {
	const path = "/" + modelName + ".traineddata\x00"
	if name, ok := m.Memory().Read(uint32(stack[1]), uint32(len(path))); !ok || string(name) != path {
		stack[0] = errorNumber(notFound)
		return
	}
	h.position = 0
	stack[0] = modelDescriptor
}

// read implements fd_read(file, buffers, count, result).
func (h *host) read(_ context.Context, m api.Module, stack []uint64) {
	total := eachBuffer(m, stack, func(address, length uint32) uint32 {
		rest := h.model[min(max(h.position, 0), int64(len(h.model))):]
		chunk := rest[:min(int(length), len(rest))]
		mustBeTrue(m.Memory().Write(address, chunk))
		h.position += int64(len(chunk))
		return uint32(len(chunk))
	})
	mustBeTrue(m.Memory().WriteUint32Le(uint32(stack[3]), total))
	stack[0] = 0
}

// write implements fd_write(file, buffers, count, result). It discards what Tesseract says about the picture.
func (*host) write(_ context.Context, m api.Module, stack []uint64) {
	total := eachBuffer(m, stack, func(_, length uint32) uint32 { return length })
	mustBeTrue(m.Memory().WriteUint32Le(uint32(stack[3]), total))
	stack[0] = 0
}

// eachBuffer calls do with the buffers of fd_read and fd_write, and returns the sum of its results.
func eachBuffer(m api.Module, stack []uint64, do func(address, length uint32) uint32) (total uint32) {
	for k := range uint32(stack[2]) {
		const bufferBytes = 8
		address, ok := m.Memory().ReadUint32Le(uint32(stack[1]) + k*bufferBytes)
		mustBeTrue(ok)
		length, ok := m.Memory().ReadUint32Le(uint32(stack[1]) + k*bufferBytes + bufferBytes/2)
		mustBeTrue(ok)
		total += do(address, length)
	}
	return total
}

// seek implements fd_seek(file, offset, whence, result).
func (h *host) seek(_ context.Context, m api.Module, stack []uint64) {
	offset := int64(stack[1])
	const fromPosition, fromEnd = 1, 2
	switch uint32(stack[2]) {
	case fromPosition:
		offset += h.position
	case fromEnd:
		offset += int64(len(h.model))
	}
	h.position = offset
	mustBeTrue(m.Memory().WriteUint64Le(uint32(stack[3]), uint64(offset)))
	stack[0] = 0
}

// growMemory implements emscripten_resize_heap(bytes). It adds a fifth, so that the memory rarely grows.
func (*host) growMemory(_ context.Context, m api.Module, stack []uint64) {
	const pageBytes = 1 << 16
	have := uint64(m.Memory().Size()) / pageBytes
	want := (uint64(uint32(stack[0])) + pageBytes - 1) / pageBytes
	stack[0] = 1
	if want <= have {
		return
	}
	if _, ok := m.Memory().Grow(uint32(max(want, have+have/5) - have)); ok {
		return
	}
	if _, ok := m.Memory().Grow(uint32(want - have)); !ok {
		stack[0] = 0
	}
}

// reportProgress is a call of JavaScript, which Tesseract makes for every few words. It ends the work when the context
// has ended, because WebAssembly that checks the context itself is five times slower.
func (*host) reportProgress(ctx context.Context, _ api.Module, stack []uint64) {
	if err := ctx.Err(); err != nil {
		panic(err)
	}
	stack[0] = 0
}

// readClock implements emscripten_date_now(). The engine does not need the real time.
func (h *host) readClock(ctx context.Context, m api.Module, stack []uint64) {
	h.reportProgress(ctx, m, stack)
	stack[0] = math.Float64bits(0)
}

// readTime implements clock_time_get(clock, precision, result).
func (h *host) readTime(ctx context.Context, m api.Module, stack []uint64) {
	mustBeTrue(m.Memory().WriteUint64Le(uint32(stack[2]), uint64(time.Second)))
	h.reportProgress(ctx, m, stack)
}

// ignoreFiles implements _emscripten_fs_load_embedded_files(list). Tesseract does not need the configurations in them.
func (*host) ignoreFiles(context.Context, api.Module, []uint64) {}

// countNoVariables implements environ_sizes_get(count, bytes): the environment is empty.
func (*host) countNoVariables(_ context.Context, m api.Module, stack []uint64) {
	mustBeTrue(m.Memory().WriteUint32Le(uint32(stack[0]), 0))
	mustBeTrue(m.Memory().WriteUint32Le(uint32(stack[1]), 0))
	stack[0] = 0
}

// mustBeTrue ends the work if an address is outside the memory.
func mustBeTrue(ok bool) {
	if !ok {
		panic(errors.New("it uses an address outside its memory"))
	}
}
