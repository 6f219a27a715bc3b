// Runs a program whose servers, where they listen on all addresses, listen on one address instead.
//
//	bind ADDRESS PROGRAM [ARGUMENT…]   runs the program
//	bind --trial ADDRESS               says whether that works on this machine
//
// Pods of the playground are processes of one machine, each with an address of the loopback
// network. Two replicas that listen on all addresses would want the same port of all of them.
//
// This process starts itself a second time. The second one installs a filter of system calls that
// reports each bind(2), hands the reports over to the first one, and becomes the program. The first
// one answers the reports, and ends as the program ends.
package main

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"unsafe"
)

const (
	// The second process's end of the connection to the first.
	connection = 3
	inside     = "--inside"
	trial      = "--trial"
	listen     = "--listen"
)

func main() {
	switch given := os.Args[1:]; {
	case len(given) > 1 && given[0] == inside:
		become(given[1:])
	case len(given) == 2 && given[0] == trial:
		supervise(addressFrom(given[1]), []string{"/proc/self/exe", listen, given[1]})
	case len(given) == 2 && given[0] == listen:
		tryToListen(addressFrom(given[1]))
	case len(given) > 1:
		supervise(addressFrom(given[0]), given[1:])
	default:
		fail(2, errors.New("usage: bind ADDRESS PROGRAM [ARGUMENT…]"))
	}
}

func addressFrom(text string) address {
	ip, err := netip.ParseAddr(text)
	if err != nil || !ip.Is4() {
		fail(2, fmt.Errorf("%q is not an IPv4 address", text))
	}
	return ip.As4()
}

func fail(code int, err error) {
	fmt.Fprintf(os.Stderr, "bind: %v\n", err)
	os.Exit(code)
}

// The first process.
func supervise(pod address, command []string) {
	passOnNone()
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		fail(125, err)
	}
	// A signal goes to the whole group, and so to the program: nothing is done here. A handler, since
	// the program would inherit that signals are ignored.
	signal.Notify(make(chan os.Signal, 1))
	child, err := syscall.ForkExec("/proc/self/exe", append([]string{"bind", inside}, command...), &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{0, 1, 2, uintptr(ends[1])},
	})
	if err != nil {
		fail(125, err)
	}
	syscall.Close(ends[1])
	// Without a listener the second process says why, and ends.
	if listener, err := receiveDescriptor(ends[0]); err == nil {
		go answerAll(listener, pod)
	}
	syscall.Close(ends[0])
	endAs(waitFor(child))
}

// No descriptor that is open now is passed on: a shell that starts this program may have left some.
func passOnNone() {
	const closeRange, onExec = 436, 4
	syscall.RawSyscall(closeRange, connection, math.MaxUint32, onExec)
}

func receiveDescriptor(from int) (int, error) {
	text, control := make([]byte, 1), make([]byte, syscall.CmsgSpace(4))
	for {
		_, size, _, _, err := syscall.Recvmsg(from, text, control, syscall.MSG_CMSG_CLOEXEC)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return 0, err
		}
		messages, err := syscall.ParseSocketControlMessage(control[:size])
		if err != nil || len(messages) != 1 {
			return 0, errors.New("no descriptor came")
		}
		descriptors, err := syscall.ParseUnixRights(&messages[0])
		if err != nil || len(descriptors) != 1 {
			return 0, errors.New("no descriptor came")
		}
		return descriptors[0], nil
	}
}

func waitFor(child int) (status syscall.WaitStatus) {
	for {
		if _, err := syscall.Wait4(child, &status, 0, nil); err == nil {
			return status
		} else if err != syscall.EINTR {
			fail(125, err)
		}
	}
}

func endAs(status syscall.WaitStatus) {
	if !status.Signaled() {
		os.Exit(status.ExitStatus())
	}
	// The program has written its core, if any.
	syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	// Not by the runtime's own handler, which writes a trace for some signals.
	var byDefault [4]uintptr
	number := uintptr(status.Signal())
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, number, uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0)
	// Sent to this thread, it comes before anything else.
	runtime.LockOSThread()
	syscall.Tgkill(os.Getpid(), syscall.Gettid(), status.Signal())
	os.Exit(128 + int(status.Signal()))
}

// The second process. The filter holds for this thread, which becomes the program, and for all that
// the program starts.
func become(command []string) {
	runtime.LockOSThread()
	listener, err := installFilter()
	if err != nil {
		fail(125, fmt.Errorf("the calls of bind cannot be reported: %w", err))
	}
	if err := syscall.Sendmsg(connection, []byte{0}, syscall.UnixRights(listener), nil, 0); err != nil {
		fail(125, err)
	}
	passOnNone()
	err = execute(command)
	fmt.Fprintf(os.Stderr, "exec: %q: %v\n", command[0], err)
	if err == syscall.ENOENT {
		os.Exit(127)
	}
	os.Exit(126)
}

// As execvp(3) searches the program.
func execute(command []string) error {
	if strings.Contains(command[0], "/") {
		return syscall.Exec(command[0], command, os.Environ())
	}
	found := error(syscall.ENOENT)
	for _, folder := range strings.Split(os.Getenv("PATH"), ":") {
		err := syscall.Exec(folder+"/"+command[0], command, os.Environ())
		if err != syscall.ENOENT && err != syscall.ENOTDIR {
			found = err
		}
	}
	return found
}
