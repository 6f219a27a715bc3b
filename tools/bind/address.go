// The addresses that programs ask for, and the pod's address in their form.
package main

import (
	"encoding/binary"
	"errors"
	"syscall"
)

// The pod's.
type address [4]byte

// All addresses of a family.
type wish struct {
	family int
	port   uint16
}

const (
	// No errno: the kernel should do what was asked.
	notForUs = syscall.Errno(1 << 12)

	optionFreeBind6 = 78
	// An address from RFC 2133, without a scope.
	shortestInet6 = 24
)

// struct sockaddr_in or sockaddr_in6; false: it names one address, or is of another family.
func parse(given []byte) (wish, bool) {
	if len(given) < syscall.SizeofSockaddrInet4 {
		return wish{}, false
	}
	family := int(binary.NativeEndian.Uint16(given))
	asked := wish{family, binary.BigEndian.Uint16(given[2:])}
	switch {
	case family == syscall.AF_INET:
		return asked, isZero(given[4:8])
	case family == syscall.AF_INET6 && len(given) >= shortestInet6:
		mapped := given[18] == 0xff && given[19] == 0xff
		return asked, isZero(given[8:18]) && (mapped || isZero(given[18:20])) && isZero(given[20:24])
	default:
		return wish{}, false
	}
}

func isZero(part []byte) bool {
	for _, each := range part {
		if each != 0 {
			return false
		}
	}
	return true
}

// Datagrams stay as they are: such a socket calls out as well, and from an address of the loopback
// it would reach nothing else.
func (pod address) bind(socket int, asked wish) syscall.Errno {
	if option(socket, syscall.SOL_SOCKET, syscall.SO_TYPE) != syscall.SOCK_STREAM ||
		option(socket, syscall.SOL_SOCKET, syscall.SO_DOMAIN) != asked.family {
		return notForUs
	}
	if asked.family == syscall.AF_INET {
		return bindTo(socket, &syscall.SockaddrInet4{Port: int(asked.port), Addr: pod})
	}
	if option(socket, syscall.IPPROTO_IPV6, syscall.IPV6_V6ONLY) == 0 {
		mapped := syscall.SockaddrInet6{Port: int(asked.port)}
		copy(mapped.Addr[10:], []byte{0xff, 0xff, pod[0], pod[1], pod[2], pod[3]})
		return bindTo(socket, &mapped)
	}
	// IPv6 alone, beside a socket for IPv4: the pod has no such address. It gets one of its own that
	// nobody calls, 64:ff9b:1::POD_IP (RFC 8215), where two replicas do not collide.
	own := syscall.SockaddrInet6{Port: int(asked.port)}
	copy(own.Addr[:], []byte{0, 0x64, 0xff, 0x9b, 0, 1})
	copy(own.Addr[12:], pod[:])
	if syscall.SetsockoptInt(socket, syscall.IPPROTO_IPV6, optionFreeBind6, 1) != nil {
		return notForUs
	}
	defer syscall.SetsockoptInt(socket, syscall.IPPROTO_IPV6, optionFreeBind6, 0)
	return bindTo(socket, &own)
}

// -1: not a socket, or without this option.
func option(socket, level, name int) int {
	value, err := syscall.GetsockoptInt(socket, level, name)
	if err != nil {
		return -1
	}
	return value
}

func bindTo(socket int, to syscall.Sockaddr) syscall.Errno {
	var errno syscall.Errno
	errors.As(syscall.Bind(socket, to), &errno)
	return errno
}
