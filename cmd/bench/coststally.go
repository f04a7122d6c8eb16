package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"portside/cmd/bench/processes"
	"portside/cmd/capacity/usage"
)

// localUse is a use as the stack reports it.
type localUse struct {
	Caller, Kind string
	Amount       float64
}

// The kinds of uses that are not calls.
const (
	kindInvocations = "invocations"
	kindRecords     = "log records"
	kindBytes       = "log bytes"
	// askedIfMissing is not a call, but the permission that S3 also checks if an object is missing.
	askedIfMissing = "s3:ListBucket"
)

// tally adds up what functions use.
type tally struct {
	functions map[string]*functionUse
}

type functionUse struct {
	usage.Function
	reads, writes  map[string]float64 // by table
	calls          map[string]float64
	records, bytes float64
}

func newTally() *tally { return &tally{functions: map[string]*functionUse{}} }

func (t *tally) of(function string) *functionUse {
	if t.functions[function] == nil {
		t.functions[function] = &functionUse{
			reads: map[string]float64{}, writes: map[string]float64{}, calls: map[string]float64{},
		}
	}
	return t.functions[function]
}

func (t *tally) addCalls(function string, calls []call) {
	f := t.of(function)
	f.Trips += float64(chain(calls))
	for _, c := range calls {
		addAll(f.reads, c.Units.Read)
		addAll(f.writes, c.Units.Write)
	}
}

func addAll(sum, more map[string]float64) {
	for key, value := range more {
		sum[key[strings.LastIndexByte(key, '-')+1:]] += value // without the name of the stack
	}
}

func (t *tally) addUse(u localUse) {
	f := t.of(functionOf(u.Caller))
	switch {
	case u.Kind == kindInvocations:
		f.Invocations += u.Amount
	case u.Kind == kindRecords:
		f.records += u.Amount
	case u.Kind == kindBytes:
		f.bytes += u.Amount
	case u.Kind != askedIfMissing && !strings.HasPrefix(u.Kind, "dynamodb:"):
		f.calls[u.Kind] += u.Amount
		f.Waits += u.Amount
	}
}

// addCPU adds the difference of CPU times to the functions that were invoked.
func (t *tally) addCPU(before, after map[string]float64) {
	for name, f := range t.functions {
		f.CPUMs += after[name] - before[name]
	}
}

func (t *tally) invocations() float64 {
	sum := 0.0
	for _, f := range t.functions {
		sum += f.Invocations
	}
	return sum
}

// only returns the tally of one function.
func (t *tally) only(function string) *tally {
	one := newTally()
	if f := t.functions[function]; f != nil {
		one.functions[function] = f
	}
	return one
}

// operation returns the average of n runs.
func (t *tally) operation(name string, n float64) usage.Operation {
	o := usage.Operation{
		Name: name, Functions: map[string]usage.Function{}, Calls: map[string]float64{},
		ReadUnits: map[string]float64{}, WriteUnits: map[string]float64{},
	}
	for _, function := range slices.Sorted(maps.Keys(t.functions)) { // in order, because the sums of fractions depend on it
		f := t.functions[function]
		if f.Invocations > 0 {
			o.Functions[function] = usage.Function{
				Invocations: rounded(f.Invocations / n), CPUMs: rounded(f.CPUMs / n), Trips: rounded(f.Trips / n), Waits: rounded(f.Waits / n),
			}
		}
		for _, add := range []struct{ sum, more map[string]float64 }{{o.ReadUnits, f.reads}, {o.WriteUnits, f.writes}, {o.Calls, f.calls}} {
			for key, value := range add.more {
				add.sum[key] = rounded(add.sum[key] + value/n)
			}
		}
		o.LogRecords, o.LogBytes = rounded(o.LogRecords+f.records/n), rounded(o.LogBytes+f.bytes/n)
	}
	return o
}

// rounded keeps two digits after the point.
func rounded(value float64) float64 {
	text, err := strconv.ParseFloat(strconv.FormatFloat(value, 'f', 2, 64), 64)
	if err != nil {
		panic(err) // formatted numbers always parse
	}
	return text
}

func sortByName(operations []usage.Operation) {
	slices.SortFunc(operations, func(a, b usage.Operation) int { return cmp.Compare(a.Name, b.Name) })
}

// ticksPerMs are the clock ticks of /proc in a millisecond. Linux has 100 in a second on all machines.
const ticksPerMs = 0.1

// cpuTimes returns the CPU time of all processes of each function in milliseconds.
func (s *stack) cpuTimes() (map[string]float64, error) {
	pids, err := processes.Tree(s.Cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	times := map[string]float64{}
	for _, pid := range pids {
		binary, err := os.Readlink(processes.Path(pid, "exe"))
		if err != nil {
			continue // it has ended
		}
		ticks, err := ticksOf(pid)
		if err != nil {
			return nil, err
		}
		times[filepath.Base(filepath.Dir(binary))] += ticks / ticksPerMs
	}
	return times, nil
}

// ticksOf returns the ticks that a process has worked, in the program and for it in the kernel.
func ticksOf(pid int) (float64, error) {
	text, err := os.ReadFile(processes.Path(pid, "stat"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	const user, system = 11, 12 // fields after the name
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) <= system {
		return 0, fmt.Errorf("/proc/%d/stat is %q", pid, text)
	}
	inUser, err := strconv.ParseFloat(string(fields[user]), 64)
	inKernel, failed := strconv.ParseFloat(string(fields[system]), 64)
	return inUser + inKernel, errors.Join(err, failed)
}
