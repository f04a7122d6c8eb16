//go:build unix && !linux

package process

import "syscall"

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// wait reaps first, since not every system can wait without it. The group's number could be a
// stranger's by then only if all process IDs had been used up in between.
func (p *Process) wait() error {
	err := p.cmd.Wait()
	_ = p.reap() // kills the group; the child's own state is err already
	return err
}
