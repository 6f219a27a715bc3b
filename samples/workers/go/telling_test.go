package main

import (
	"fmt"
	"testing"
	"time"
)

func TestAStreamFailsAndGetsWell(t *testing.T) {
	h := &health{since: time.Now()}
	expect := func(state string, restarts int) {
		t.Helper()
		if it := h.told(); it.State != state || it.Restarts != restarts {
			t.Fatalf("expected state %s and %d restarts, but it reports %v", state, restarts, it)
		}
	}
	expect("Starting", 0)
	h.started()
	expect("Running", 0)
	h.ended("one")
	expect("Starting", 0)
	h.started()
	expect("Running", 1)
	h.ended("two")
	h.started()
	h.ended("three")
	expect("Restarting", 2)
	h.started()
	expect("Restarting", 3)
	h.since = time.Now().Add(-wellAfter)
	expect("Running", 3)
	h.ends = []time.Time{time.Now().Add(-endsCountFor)}
	h.ended("four")
	expect("Starting", 0)
}

func TestAMessageShowsNoParameter(t *testing.T) {
	parameters := map[string]string{"url": "rtsp://admin:p%40ssw0rd@cam-1.example/main", "pin": "554"}
	for message, shown := range map[string]string{
		"dial tcp cam-1.example: refused": "dial tcp …: refused",
		"login p@ssw0rd failed":           "login … failed",
		"pin 554 of 5540":                 "pin … of 5540",
		"two\nlines \x1b[31mred":          "two lines [31mred",
	} {
		if line := oneLine(message, parameters); line != shown {
			t.Errorf("%q is shown as %q, and %q is expected", message, line, shown)
		}
	}
}

func TestTheHundredWorstAreTold(t *testing.T) {
	all := map[string]told{"runs": {State: "Running"}, "fails": {State: "Restarting"}}
	for n := range 150 {
		all[fmt.Sprint(n)] = told{State: "Starting"}
	}
	worst, states := streamsTold(all)
	if _, isTold := worst["fails"]; len(worst) != 100 || !isTold || states["Starting"] != 150 || states["Running"] != 1 {
		t.Fatalf("%d streams are reported, with %v", len(worst), states)
	}
}
