//go:build unix

package main

import (
	"syscall"
	"time"
)

// processorTime is how long this process has had a processor, in user and kernel mode. Unlike the time on the wall it does
// not grow while others have the processor; work of the garbage collector beside a call is in it.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it fails only for other arguments
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
