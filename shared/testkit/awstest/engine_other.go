//go:build !linux

package awstest

import "os/exec"

// boundToParent returns a command under a shell that kills it when standard input ends, which happens when this process
// ends, even by kill -9. The shell's watcher does not keep the output open, so the end of the engine can be detected.
func boundToParent(name string, args ...string) *exec.Cmd {
	const script = `exec 3<&0; "$0" "$@" </dev/null & engine=$!
		{ cat; kill "$engine"; } <&3 >/dev/null 2>&1 &
		wait "$engine"`
	cmd := exec.Command("sh", append([]string{"-c", script, name}, args...)...)
	if _, err := cmd.StdinPipe(); err != nil { // kept open by cmd until the engine ends
		cmd.Err = err
	}
	return cmd
}
