package main

import "testing"

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
		t.Fatal("it has ended, and is not started anew")
	}
	follow(3, "a")
	if w.confirmed != 3 {
		t.Fatalf("it runs anew, and version %d is confirmed", w.confirmed)
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
		t.Fatal("it is not started anew")
	}
	if follow(3, nil) != again || follow(4, map[string]string{"a": "t1"}) != again || w.confirmed != 4 {
		t.Fatal("it is restarted although its token is not new")
	}
	w.drain()
}
