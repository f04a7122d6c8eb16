package process

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// wait does not reap the exited child before its group is killed, so that the group's ID cannot
// belong to other processes.
func (p *Process) wait() error {
	for {
		err := unix.Waitid(unix.P_PID, p.PID(), nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err == nil {
			return p.reap()
		}
		if !errors.Is(err, unix.EINTR) {
			return errors.Join(fmt.Errorf("wait for process %d: %w", p.PID(), err), p.reap())
		}
	}
}
