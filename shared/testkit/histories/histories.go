// Package histories records what concurrent clients ask and are answered, and checks with Porcupine that the answers
// could come from a service that does one operation at a time (linearizability). A model of that service says which
// answers are right.
package histories

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"
)

// Model is a service that does one operation at a time. In is an operation, Out its answer, and State must not change
// once it is returned.
type Model[State, In, Out any] struct {
	// Begin is the state before all operations.
	Begin State
	// Step returns the state after the operation, and whether the answer is right in the state before.
	Step func(State, In, Out) (after State, isRight bool)
	// Part names what the operation is about. Operations about different things have separate states.
	Part func(In) string
}

// History has the operations of concurrent clients. Concurrent use is safe.
type History[In, Out any] struct {
	clock      atomic.Int64
	mu         sync.Mutex
	operations []porcupine.Operation
}

// Do runs an operation of a client, which runs one at a time, and records it.
func (h *History[In, Out]) Do(client int, in In, operation func() Out) Out {
	began := h.clock.Add(1)
	out := operation()
	ended := h.clock.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.operations = append(h.operations,
		porcupine.Operation{ClientId: client, Input: in, Call: began, Output: out, Return: ended})
	return out
}

// Run lets clients do steps at the same time, and returns when all are done. The seed determines the choices of each
// client, but not the order of the steps of different clients.
func Run(clients, steps int, seed uint64, step func(client int, random *rand.Rand)) {
	var running sync.WaitGroup
	for client := range clients {
		random := rand.New(rand.NewPCG(seed, uint64(client)))
		running.Go(func() {
			for range steps {
				step(client, random)
			}
		})
	}
	running.Wait()
}

// Check fails the test if no order of the operations explains all answers.
func Check[State, In, Out any](tb testing.TB, m Model[State, In, Out], h *History[In, Out]) {
	tb.Helper()
	for part, operations := range h.parts(m.Part) {
		if !m.explains(operations) {
			tb.Errorf("no order of these operations about %s explains their answers:\n%s", part, describe(operations))
		}
	}
}

// Refutes fails the test if some order of the operations explains all answers. Tests of models use it with wrong
// answers, such as those of a service that loses writes.
func Refutes[State, In, Out any](tb testing.TB, m Model[State, In, Out], h *History[In, Out]) {
	tb.Helper()
	for _, operations := range h.parts(m.Part) {
		if !m.explains(operations) {
			return
		}
	}
	tb.Errorf("the model accepts wrong answers:\n%s", describe(h.operations))
}

// Sequence returns the history of one client that did the operations and got the answers.
func Sequence[In, Out any](steps ...Step[In, Out]) *History[In, Out] {
	var h History[In, Out]
	for _, s := range steps {
		h.Do(0, s.In, func() Out { return s.Out })
	}
	return &h
}

// Step is an operation with its answer.
type Step[In, Out any] struct {
	In  In
	Out Out
}

// Did returns a step.
func Did[In, Out any](in In, out Out) Step[In, Out] { return Step[In, Out]{In: in, Out: out} }

func (h *History[In, Out]) parts(part func(In) string) map[string][]porcupine.Operation {
	parts := map[string][]porcupine.Operation{}
	for _, operation := range h.operations {
		name := part(operation.Input.(In))
		parts[name] = append(parts[name], operation)
	}
	return parts
}

func (m Model[State, In, Out]) explains(operations []porcupine.Operation) bool {
	return porcupine.CheckOperations(porcupine.Model{
		Init:  func() any { return m.Begin },
		Equal: reflect.DeepEqual,
		Step: func(state, in, out any) (bool, any) {
			after, isRight := m.Step(state.(State), in.(In), out.(Out))
			return isRight, after
		},
	}, operations)
}

func describe(operations []porcupine.Operation) string {
	var lines strings.Builder
	for _, o := range operations {
		_, _ = fmt.Fprintf(&lines, "client %d, %d to %d: %+v → %+v\n", o.ClientId, o.Call, o.Return, o.Input, o.Output)
	}
	return lines.String()
}
