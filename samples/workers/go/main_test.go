package main

import (
	"testing"
	"time"
)

// What is given back while it still stops is not confirmed: it ends first, and runs anew.
func TestGivenBackWhileItStops(t *testing.T) {
	told := make(chan struct{})
	slow := &stream{parameters: map[string]string{}, stop: func() { close(told) }, ended: make(chan struct{})}
	w := &worker{streams: map[string]*stream{"a": slow}, confirmed: 1}
	follow := func(version int, jobs ...string) {
		w.wanted = &slice{jobs: jobs, version: version, parameters: map[string]map[string]string{}}
		w.step()
	}
	follow(2)
	<-told
	slow.stop = func() {}
	follow(3, "a")
	if w.confirmed != 1 {
		t.Fatalf("version %d is confirmed while what it gives back still stops", w.confirmed)
	}
	close(slow.ended)
	follow(3, "a")
	if again := w.streams["a"]; again == nil || again == slow {
		t.Fatal("it has ended, but was not restarted")
	}
	follow(3, "a")
	if w.confirmed != 3 {
		t.Fatalf("it was restarted, and version %d is confirmed", w.confirmed)
	}
	w.drain()
}

// Another token restarts the stream that it is for; one that vanishes restarts nothing.
func TestRestart(t *testing.T) {
	w := &worker{streams: map[string]*stream{}}
	follow := func(version int, restarts map[string]string) *stream {
		w.wanted = &slice{jobs: []string{"a"}, version: version, restarts: restarts}
		w.step()
		return w.streams["a"]
	}
	first := follow(1, nil)
	follow(2, map[string]string{"a": "t1"})
	if w.confirmed == 2 {
		t.Fatal("the restart is confirmed before it has happened")
	}
	<-first.ended
	again := follow(2, map[string]string{"a": "t1"})
	if again == first {
		t.Fatal("it was not restarted")
	}
	if follow(3, nil) != again || follow(4, map[string]string{"a": "t1"}) != again || w.confirmed != 4 {
		t.Fatal("it is restarted although its token is not new")
	}
	w.drain()
}

// A stream that ends whenever it is started is given up after maxRestarts, and started again with another token or weight.
func TestGivesUp(t *testing.T) {
	w := &worker{streams: map[string]*stream{}}
	nowhere := map[string]map[string]string{"a": {"url": "tcp://127.0.0.1:1"}}
	follow := func(version int, restarts map[string]string, weight int) (*stream, told) {
		w.wanted = &slice{jobs: []string{"a"}, version: version, parameters: nowhere, restarts: restarts, weights: map[string]int{"a": weight}, maxRestarts: 1}
		for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
			w.step()
			if it := w.streams["a"].health.told(); w.confirmed == version && it.State == "Failed" {
				return w.streams["a"], it
			}
		}
		t.Fatalf("version %d: the worker did not give up; it reports %v", version, w.streams["a"].health.told())
		return nil, told{}
	}
	first, it := follow(1, nil, 0)
	if it.Restarts != 1 || it.Message == "" {
		t.Fatalf("it reports %v", it)
	}
	if same, _ := follow(2, nil, 0); same != first {
		t.Fatal("it is started again though nothing has changed")
	}
	restarted, _ := follow(3, map[string]string{"a": "t1"}, 0)
	changed, _ := follow(4, map[string]string{"a": "t1"}, 2)
	if restarted == first || changed == restarted {
		t.Fatal("it was not restarted by a new token or weight")
	}
	w.drain()
}
