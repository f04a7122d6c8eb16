//go:build unix && !linux

package process

import "syscall"

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// wait reaps first, because not every system can wait without reaping. Only if all process IDs were
// used up meanwhile could the group's ID belong to other processes.
func (p *Process) wait() error {
	err := p.cmd.Wait()
	_ = p.reap() // kills the group; err has the child's state already
	return err
}
