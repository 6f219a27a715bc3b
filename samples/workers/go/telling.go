// Reports the streams that are not simply running: promise 17 of docs/worker-contract.md.
package main

import (
	"net/url"
	"regexp"
	"sort"
	"strings"
	"sync"
	"time"
	"unicode"
)

const wellAfter = time.Minute // of running
const endsCountFor = 5 * time.Minute

// The health of one stream. It fails after it has ended by itself three times in five minutes, until it has run for a minute.
type health struct {
	lock          sync.Mutex
	ends          []time.Time // the last three
	since         time.Time   // since when it runs, or waits for its next start
	runs          bool
	failing       bool
	troubledSince time.Time // its first end since it ran well
	restarts      int
	failed        bool // the worker has given up on it
	message       string
}

type told struct {
	State    string `json:"state"`
	Restarts int    `json:"restarts"`
	Since    string `json:"since,omitempty"`
	Message  string `json:"message,omitempty"`
}

func (h *health) started() {
	h.lock.Lock()
	defer h.lock.Unlock()
	if !h.troubledSince.IsZero() {
		h.restarts++
	}
	h.since, h.runs = time.Now(), true
}

func (h *health) ended(message string) {
	h.lock.Lock()
	defer h.lock.Unlock()
	now := time.Now()
	if now.Sub(h.since) >= wellAfter {
		h.failing, h.restarts, h.troubledSince = false, 0, time.Time{}
	}
	h.ends = append(h.ends, now)
	if len(h.ends) >= 3 {
		h.ends = h.ends[len(h.ends)-3:]
		h.failing = h.failing || now.Sub(h.ends[0]) <= endsCountFor
	}
	if h.troubledSince.IsZero() {
		h.troubledSince = now
	}
	h.message, h.since, h.runs = message, now, false
}

// giveUp reports whether it has reached its maximum of restarts without running well: then it is Failed. 0: no limit.
func (h *health) giveUp(most int) bool {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.failed = most > 0 && h.restarts >= most
	return h.failed
}

func (h *health) told() told {
	h.lock.Lock()
	defer h.lock.Unlock()
	state, since := "Starting", h.since
	if h.runs {
		state = "Running"
	}
	if h.failed {
		state = "Failed"
	} else if h.failing && !(h.runs && time.Since(h.since) >= wellAfter) {
		state, since = "Restarting", h.troubledSince
	}
	return told{state, h.restarts, since.UTC().Format(time.RFC3339), h.message}
}

// The members streams and states of an answer.
func streamsTold(all map[string]told) (worst map[string]told, states map[string]int) {
	order := map[string]int{"Failed": 0, "Restarting": 1, "Starting": 2, "Stopping": 3}
	worst, states = map[string]told{}, map[string]int{}
	names := []string{}
	for name, it := range all {
		states[it.State]++
		if it.State != "Running" {
			names = append(names, name)
		}
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := all[names[i]], all[names[j]]
		return order[a.State] < order[b.State] || a.State == b.State && a.Since < b.Since
	})
	for _, name := range names[:min(len(names), 100)] {
		worst[name] = all[name]
	}
	return worst, states
}

var breaks = regexp.MustCompile(`[\s\p{Cc}\p{Z}]+`)

// The part of a message that may leave the pod: one line without values of parameters, short because an answer has up to a hundred.
func oneLine(text string, parameters map[string]string) string {
	line := []rune(strings.TrimSpace(breaks.ReplaceAllString(strings.ToValidUTF8(text, "�"), " ")))
	line = line[:min(len(line), 1000)]
	hidden := make([]bool, len(line))
	for _, value := range parameters {
		for _, spelling := range []string{value, unescaped(value)} {
			hide(line, hidden, spelling)
		}
	}
	shown := []rune{}
	for at, character := range line {
		if !hidden[at] {
			shown = append(shown, character)
		} else if at == 0 || !hidden[at-1] {
			shown = append(shown, '…')
		}
	}
	return string(shown[:min(len(shown), 120)])
}

// Five characters of a value give it away; of a shorter one, a whole word.
func hide(line []rune, hidden []bool, value string) {
	size := min(5, len([]rune(value)))
	for at := 0; size > 0 && at+size <= len(line); at++ {
		part := string(line[at : at+size])
		isWord := !(at > 0 && isWordPart(line[at-1]) || at+size < len(line) && isWordPart(line[at+size]))
		if size == 5 && strings.Contains(value, part) || part == value && isWord {
			for i := at; i < at+size; i++ {
				hidden[i] = true
			}
		}
	}
}

func isWordPart(character rune) bool {
	return character == '_' || unicode.IsLetter(character) || unicode.IsDigit(character)
}

func unescaped(value string) string {
	if plain, err := url.PathUnescape(value); err == nil {
		return plain
	}
	return value
}
