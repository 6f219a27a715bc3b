// A filter of system calls that reports each bind(2) and allows everything else.

//go:build linux && (amd64 || arm64)

package main

import (
	"runtime"
	"syscall"
	"unsafe"
)

// By processor: the number of seccomp(2), and the architecture in a report.
var processors = map[string]struct {
	seccomp      uintptr
	architecture uint32
}{
	"amd64": {317, 0xc000003e},
	"arm64": {277, 0xc00000b7},
}

const (
	setFilter      = 1
	newListener    = 1 << 3
	waitKillable   = 1 << 5
	actionReport   = 0x7fc00000
	actionAllow    = 0x7fff0000
	noNewPrivilege = 38

	// The words of struct seccomp_data.
	offsetNumber       = 0
	offsetArchitecture = 4
)

// Returns the descriptor of the reports.
func installFilter() (int, error) {
	processor := processors[runtime.GOARCH]
	load := func(offset uint32) syscall.SockFilter {
		return syscall.SockFilter{Code: syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS, K: offset}
	}
	// Goes on if equal, else past that many.
	equal := func(value uint32, past uint8) syscall.SockFilter {
		return syscall.SockFilter{Code: syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K, Jf: past, K: value}
	}
	answer := func(action uint32) syscall.SockFilter {
		return syscall.SockFilter{Code: syscall.BPF_RET | syscall.BPF_K, K: action}
	}
	filter := []syscall.SockFilter{
		load(offsetArchitecture),
		equal(processor.architecture, 3),
		load(offsetNumber),
		equal(syscall.SYS_BIND, 1),
		answer(actionReport),
		answer(actionAllow),
	}
	program := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	install := func(flags uintptr) (int, syscall.Errno) {
		fd, _, errno := syscall.RawSyscall(processor.seccomp, setFilter, flags, uintptr(unsafe.Pointer(&program)))
		return int(fd), errno
	}
	// A signal must not repeat a bind that was done already; kernels before 5.19 do not have the flag.
	flags := uintptr(newListener | waitKillable)
	fd, errno := install(flags)
	if errno == syscall.EACCES {
		// Only who may administer the machine can keep programs that change the user.
		if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, noNewPrivilege, 1, 0, 0, 0, 0); errno != 0 {
			return 0, errno
		}
		fd, errno = install(flags)
	}
	if errno == syscall.EINVAL {
		fd, errno = install(newListener)
	}
	if errno != 0 {
		return 0, errno
	}
	return fd, nil
}
