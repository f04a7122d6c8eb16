package awstest

import (
	"os/exec"
	"syscall"
)

// boundToParent returns a command that the kernel kills when the thread that started it ends, even if that is killed by
// kill -9.
func boundToParent(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}
