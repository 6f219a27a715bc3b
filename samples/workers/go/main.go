// A complete worker of a SwarmPool in Go, with only the standard library. Put your own work into consume.
//
// It keeps every promise of docs/worker-contract.md; `swarmctl worker-check --exclusive --run ./worker` tests them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A mounted file is read in microseconds.
const lookEvery = 200 * time.Millisecond
const longestPause = time.Minute

// consume consumes one stream until the context ends, then returns. An error is a crash: the worker calls it again, after a pause.
func consume(ctx context.Context, name string, parameters map[string]string) error {
	from, err := url.Parse(parameters["url"])
	if err != nil || from.Host == "" {
		<-ctx.Done()
		return nil
	}
	var dialer net.Dialer
	source, err := dialer.DialContext(ctx, "tcp", from.Host)
	if err != nil {
		return err
	}
	defer source.Close()
	defer context.AfterFunc(ctx, func() { source.Close() })()
	if _, err = io.Copy(io.Discard, source); ctx.Err() == nil {
		return errors.Join(err, errors.New("the source has ended"))
	}
	return nil
}

// One stream, while it is assigned to this worker.
type stream struct {
	parameters  map[string]string
	weight      int
	token       string       // with another one it is restarted
	maxRestarts atomic.Int64 // the maximum of restarts without running well; 0: no limit
	stop        context.CancelFunc
	ended       chan struct{}
	health      health
	isLeaving   bool // it is stopping; if assigned again, it must end first, and is then restarted
}

func startStream(name string, from slice) *stream {
	ctx, stop := context.WithCancel(context.Background())
	parameters := from.parameters[name]
	s := &stream{parameters: parameters, weight: from.weights[name], token: from.restarts[name], stop: stop, ended: make(chan struct{}), health: health{since: time.Now()}}
	s.maxRestarts.Store(int64(from.maxRestarts))
	go func() {
		defer close(s.ended)
		for pause := time.Second; ctx.Err() == nil; pause = min(2*pause, longestPause) {
			began, message := time.Now(), "consume returned"
			s.health.started()
			if err := guarded(ctx, name, parameters); err != nil {
				fmt.Printf("%q: %v\n", name, err)
				message = err.Error()
			}
			s.health.ended(oneLine(message, parameters))
			if s.health.giveUp(int(s.maxRestarts.Load())) {
				<-ctx.Done() // it stays here until it is restarted, changed or removed
				return
			}
			if time.Since(began) > 30*time.Second {
				pause = time.Second
			}
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	}()
	return s
}

// A failing stream must not affect the others.
func guarded(ctx context.Context, name string, parameters map[string]string) (err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("panic: %v", problem)
		}
	}()
	return consume(ctx, name, parameters)
}

func (s *stream) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

type worker struct {
	name, podUid, configFile, assignedFile string

	lock      sync.Mutex
	streams   map[string]*stream // running, or still ending
	wanted    *slice             // of the last valid file
	newest    int                // the version of that file
	confirmed int                // the newest version that is applied completely
	draining  bool
}

// look reads the file again, and takes the next step towards it.
func (w *worker) look() {
	w.lock.Lock()
	defer w.lock.Unlock()
	if text, err := os.ReadFile(w.configFile); err == nil {
		// If the file is missing, broken or older, the last valid one stays in force.
		if found, version, err := mySlice(string(text), w.name); err == nil && version >= w.newest {
			w.wanted, w.newest = &found, version
		}
	}
	if w.wanted != nil {
		w.step()
	}
}

func (w *worker) step() {
	jobs := map[string]map[string]string{}
	for _, job := range w.wanted.jobs {
		jobs[job] = w.wanted.parameters[job]
	}
	// End streams that are no longer assigned, or that must restart because their parameters, weight or token changed.
	for name, s := range w.streams {
		parameters, isWanted := jobs[name]
		token := w.wanted.restarts[name]
		s.maxRestarts.Store(int64(w.wanted.maxRestarts))
		if !isWanted || !maps.Equal(parameters, s.parameters) || w.wanted.weights[name] != s.weight || (token != "" && token != s.token) {
			s.isLeaving = true
			s.stop()
		}
		if s.hasEnded() {
			delete(w.streams, name)
		}
	}
	mayStart := w.mayStart()
	isTrue := len(w.streams) <= len(jobs)
	for name := range jobs {
		s, runs := w.streams[name]
		if !runs && mayStart {
			w.streams[name] = startStream(name, *w.wanted)
		}
		isTrue = isTrue && (runs || mayStart) && (!runs || !s.isLeaving)
	}
	// Confirm a version only when exactly the assigned streams are running, and all others have ended.
	if isTrue && len(w.streams) == len(jobs) {
		w.confirmed = w.wanted.version
	}
}

func (w *worker) mayStart() bool {
	if w.assignedFile == "" {
		return true
	}
	annotation, err := os.ReadFile(w.assignedFile)
	return err == nil && isPermitted(*w.wanted, annotation, w.podUid)
}

func (w *worker) drain() {
	w.lock.Lock()
	w.draining = true
	streams := maps.Clone(w.streams)
	w.lock.Unlock()
	for _, s := range streams {
		s.stop()
	}
	for name, s := range streams {
		<-s.ended
		w.lock.Lock()
		delete(w.streams, name)
		w.lock.Unlock()
	}
}

func (w *worker) answer(out http.ResponseWriter, status int, value any) {
	out.Header().Set("content-type", "application/json")
	out.WriteHeader(status)
	_ = json.NewEncoder(out).Encode(value)
}

func (w *worker) version(out http.ResponseWriter, _ *http.Request) {
	w.lock.Lock()
	jobs, all := []string{}, map[string]told{}
	for name, s := range w.streams {
		jobs = append(jobs, name)
		if all[name] = s.health.told(); s.isLeaving || w.draining {
			all[name] = told{State: "Stopping"}
		}
	}
	confirmed := w.confirmed
	w.lock.Unlock()
	streams, states := streamsTold(all)
	answer := map[string]any{"version": confirmed, "jobs": jobs, "podUid": w.podUid, "streams": streams}
	if len(streams) > 0 {
		answer["states"] = states
	}
	w.answer(out, 200, answer)
}

func (w *worker) health(out http.ResponseWriter, _ *http.Request) {
	w.lock.Lock()
	status := map[bool]int{false: 200, true: 503}[w.draining]
	w.lock.Unlock()
	w.answer(out, status, map[string]any{"draining": status != 200})
}

func environment(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	w := &worker{
		name:         os.Getenv("POD_NAME"),
		podUid:       os.Getenv("POD_UID"),
		configFile:   environment("SWARM_CONFIG_FILE", "/app/config/config.yml"),
		assignedFile: os.Getenv("SWARM_ASSIGNED_FILE"),
		streams:      map[string]*stream{},
	}
	paths := http.NewServeMux()
	paths.HandleFunc("GET /internal/version", w.version)
	paths.HandleFunc("GET /internal/health", w.health)
	server := &http.Server{Addr: net.JoinHostPort(os.Getenv("POD_IP"), environment("SWARM_PORT", "9090")), Handler: paths, ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second}
	go func() {
		fmt.Println(server.ListenAndServe())
		os.Exit(1)
	}()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	for ctx.Err() == nil {
		w.look()
		select {
		case <-ctx.Done():
		case <-time.After(lookEvery):
		}
	}
	w.drain()
}
