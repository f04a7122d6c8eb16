package build

import (
	"context"
	"fmt"
	"time"
)

// enginesTurn is the name of the turn in which all engines are built.
const enginesTurn = "engines"

// Engines builds the programs with the Makefile's targets engine-NAME, one after the other, and calls start with each.
// All of them share one turn, so that the other one stays free for functions. Make knows which of them have changed,
// because it also builds them for the tests.
func (b *Builder) Engines(ctx context.Context, names []string, start func(ctx context.Context, name string) error) error {
	if err := b.turns.take(ctx, enginesTurn); err != nil {
		return err
	}
	defer b.turns.done()
	for _, name := range names {
		if err := b.engine(ctx, name); err != nil {
			return err
		}
		if err := start(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (b *Builder) engine(ctx context.Context, name string) error {
	started := time.Now()
	b.config.Log("building " + name + " …")
	command := func(string) []string { return []string{b.makePath, "-s", "engine-" + name} }
	if err := b.run(ctx, target{name: name, command: command}, ""); err != nil {
		return err
	}
	b.config.Log(fmt.Sprintf("built %s in %.1f s", name, time.Since(started).Seconds()))
	return nil
}

// PutEnginesFirst moves the engines to the front of the queue, because a request waits for one.
func (b *Builder) PutEnginesFirst() { b.turns.putFirst(enginesTurn) }
