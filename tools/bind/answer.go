// The answer to each report: which address a socket is bound to.
package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

const (
	receive = 0xc0502100 // SECCOMP_IOCTL_NOTIF_RECV
	send    = 0xc0182101 // SECCOMP_IOCTL_NOTIF_SEND
	isValid = 0x40082102 // SECCOMP_IOCTL_NOTIF_ID_VALID

	goOn = 1 // SECCOMP_USER_NOTIF_FLAG_CONTINUE
)

// struct seccomp_notif
type report struct {
	id           uint64
	thread       uint32
	flags        uint32
	number       int32
	architecture uint32
	instruction  uint64
	arguments    [6]uint64
}

// struct seccomp_notif_resp
type response struct {
	id    uint64
	value int64
	error int32
	flags uint32
}

// Until no process has the filter any more.
func answerAll(listener int, pod address) {
	for {
		var asked report
		errno := control(listener, receive, unsafe.Pointer(&asked))
		if errno == syscall.EINTR || errno == syscall.ENOENT {
			continue
		}
		if errno != 0 {
			return
		}
		told := response{id: asked.id}
		if errno, isDone := bindFor(listener, asked, pod); isDone {
			told.error = -int32(errno)
		} else {
			// The kernel does what was asked.
			told.flags = goOn
		}
		control(listener, send, unsafe.Pointer(&told))
	}
}

func control(fd int, request uintptr, argument unsafe.Pointer) syscall.Errno {
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), request, uintptr(argument))
	return errno
}

// False: it is not for us.
func bindFor(listener int, asked report, pod address) (syscall.Errno, bool) {
	given, err := addressGiven(asked)
	if err != nil {
		return 0, false
	}
	wished, isAll := parse(given)
	// The kernel chooses port 0, so it cannot collide; it is usual for sockets that call out.
	if !isAll || wished.port == 0 {
		return 0, false
	}
	socket, err := copySocket(asked)
	if err != nil {
		return 0, false
	}
	defer syscall.Close(socket)
	// The process may have ended, and its number be in use again.
	if control(listener, isValid, unsafe.Pointer(&asked.id)) != 0 {
		return 0, false
	}
	errno := pod.bind(socket, wished)
	// In a network of its own the program has no such address.
	return errno, errno != notForUs && errno != syscall.EADDRNOTAVAIL
}

func addressGiven(asked report) ([]byte, error) {
	size := min(asked.arguments[2], syscall.SizeofSockaddrInet6)
	memory, err := syscall.Open(fmt.Sprintf("/proc/%d/mem", asked.thread), syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(memory)
	given := make([]byte, size)
	got, err := syscall.Pread(memory, given, int64(asked.arguments[1]))
	return given[:max(got, 0)], err
}

// The same socket, under a number of this process.
func copySocket(asked report) (int, error) {
	const pidfdOpen, pidfdGet = 434, 438
	process, err := leaderOf(asked.thread)
	if err != nil {
		return 0, err
	}
	at, _, errno := syscall.RawSyscall(pidfdOpen, uintptr(process), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	defer syscall.Close(int(at))
	socket, _, errno := syscall.RawSyscall(pidfdGet, at, uintptr(uint32(asked.arguments[0])), 0)
	if errno != 0 {
		return 0, errno
	}
	return int(socket), nil
}

// A report names a thread; only its process can be opened.
func leaderOf(thread uint32) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", thread))
	if err != nil {
		return 0, err
	}
	_, rest, _ := bytes.Cut(status, []byte("\nTgid:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return strconv.Atoi(strings.TrimSpace(string(line)))
}
