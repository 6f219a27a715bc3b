// Does it work on this machine? A server that listens on all addresses tells where it listens.
package main

import (
	"fmt"
	"net/netip"
	"syscall"
)

func tryToListen(pod address) {
	port, err := freePort(pod)
	if err != nil {
		fail(1, err)
	}
	for _, all := range []syscall.Sockaddr{&syscall.SockaddrInet4{Port: port}, &syscall.SockaddrInet6{Port: port}} {
		if err := tryAddress(netip.AddrPortFrom(netip.AddrFrom4(pod), uint16(port)), all); err != nil {
			fail(1, err)
		}
	}
}

func freePort(pod address) (int, error) {
	at, err := listeningAt(&syscall.SockaddrInet4{Addr: pod})
	return int(at.Port()), err
}

func tryAddress(wanted netip.AddrPort, all syscall.Sockaddr) error {
	at, err := listeningAt(all)
	if err == syscall.EAFNOSUPPORT {
		// A machine without IPv6.
		return nil
	}
	if err != nil {
		return err
	}
	if at != wanted {
		return fmt.Errorf("a server that listens on all addresses listens at %v, not at %v", at, wanted)
	}
	return nil
}

// Where a server that asks for this address listens; it ends at once.
func listeningAt(asked syscall.Sockaddr) (at netip.AddrPort, err error) {
	family := syscall.AF_INET
	if _, is6 := asked.(*syscall.SockaddrInet6); is6 {
		family = syscall.AF_INET6
	}
	socket, err := syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return at, err
	}
	defer syscall.Close(socket)
	if err := syscall.Bind(socket, asked); err != nil {
		return at, err
	}
	bound, err := syscall.Getsockname(socket)
	switch bound := bound.(type) {
	case *syscall.SockaddrInet4:
		at = netip.AddrPortFrom(netip.AddrFrom4(bound.Addr), uint16(bound.Port))
	case *syscall.SockaddrInet6:
		at = netip.AddrPortFrom(netip.AddrFrom16(bound.Addr).Unmap(), uint16(bound.Port))
	}
	return at, err
}
