#!/usr/bin/env python3
"""A complete worker of a SwarmPool in Python, with only the standard library. Put your own work into `consume`.

It keeps every promise of docs/worker-contract.md; `swarmctl worker-check --exclusive --run 'python3 worker.py'` tries them.
"""
import json
import os
import signal
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from assignment import NOTHING, is_permitted, my_slice
from telling import Health, one_line, streams_told

CONFIG_FILE = os.environ.get("SWARM_CONFIG_FILE", "/app/config/config.yml")
ASSIGNED_FILE = os.environ.get("SWARM_ASSIGNED_FILE")
WORKER = os.environ["POD_NAME"]
POD_UID = os.environ.get("POD_UID", "")
LOOK_EVERY = 0.2  # seconds: a mounted file is read in microseconds
PAUSES = (1, 2, 4, 8, 16, 32, 60)


def consume(name, parameters, stop):
    """Consumes one stream until `stop` is set, then returns. An exception is a crash: the worker calls it again, after a pause."""
    url = urlsplit(parameters.get("url", ""))
    if not url.hostname:
        stop.wait()
        return
    with socket.create_connection((url.hostname, url.port), timeout=5) as source:
        source.settimeout(0.2)
        while not stop.is_set():
            try:
                if not source.recv(65536):
                    raise ConnectionError("the source has ended")
            except TimeoutError:
                pass


class Stream(threading.Thread):
    """One stream, while it is assigned to this worker."""

    def __init__(self, name, asked, token, max_restarts):
        super().__init__(daemon=True)
        self.stream, self.asked, self.token, self.stop = name, asked, token, threading.Event()
        self.parameters, self.max_restarts = asked[0], max_restarts
        self.health = Health()
        self.start()

    def run(self):
        failures = 0
        while not self.stop.is_set():
            began, message = time.monotonic(), "consume returned"
            self.health.started()
            try:
                consume(self.stream, self.parameters, self.stop)
            except Exception as error:  # a failing stream must not affect the others
                message = str(error) or type(error).__name__
                print(f"{self.stream!r}: {error}", flush=True)
            self.health.ended(one_line(message, self.parameters.values()))
            if self.health.give_up(self.max_restarts):
                self.stop.wait()  # it stays here until it is restarted, changed or removed
                return
            failures = 0 if time.monotonic() - began > 30 else failures + 1
            self.stop.wait(PAUSES[min(failures, len(PAUSES)) - 1])

    def told(self):
        return {"state": "Stopping", "restarts": 0} if self.stop.is_set() else self.health.told()


class Worker:
    def __init__(self):
        self.streams = {}  # name -> Stream: running, or still ending
        self.wanted = None  # the slice of the last valid file
        self.newest = 0  # the version of that file
        self.confirmed = 0  # the newest version that is applied completely
        self.draining = False

    def look(self):
        """Reads the file again, and takes the next step towards it."""
        try:
            with open(CONFIG_FILE, encoding="utf-8") as file:
                found, version = my_slice(file.read(), WORKER)
            if version >= self.newest:
                self.wanted, self.newest = found, version
        except (OSError, ValueError):
            pass  # missing or broken: the last valid one stays in force
        if self.wanted is not None:
            self.step(self.wanted)

    def step(self, wanted):
        parameters, weights, tokens = wanted["parameters"], wanted["weights"], wanted["restarts"]
        jobs = {job: (parameters.get(job, {}), weights.get(job, 0)) for job in wanted["jobs"]}
        # End streams that are no longer assigned, or that must restart because their parameters, weight or token changed.
        for name, stream in list(self.streams.items()):
            stream.max_restarts = wanted["policy"].get("maxRestarts")
            if name not in jobs or stream.asked != jobs[name] or tokens.get(name, stream.token) != stream.token:
                stream.stop.set()
            if not stream.is_alive():
                del self.streams[name]
        may_start = ASSIGNED_FILE is None or self.is_permitted(wanted)
        for name, asked in jobs.items():
            if name not in self.streams and may_start:
                self.streams[name] = Stream(name, asked, tokens.get(name), wanted["policy"].get("maxRestarts"))
        # Confirm a version only when exactly the assigned streams are running, and all others have ended.
        # A stream that is assigned again while it stops must end first, and is then restarted.
        runs = {name: stream.asked for name, stream in self.streams.items() if not stream.stop.is_set()}
        if not self.draining and len(runs) == len(self.streams) and runs == jobs:
            self.confirmed = wanted["version"]

    def is_permitted(self, wanted):
        try:
            with open(ASSIGNED_FILE, encoding="utf-8") as file:
                return is_permitted(wanted, file.read(), POD_UID)
        except OSError:
            return False

    def drain(self):
        self.draining = True
        while self.streams:
            self.step(NOTHING)
            time.sleep(0.02)

    def report(self):
        streams = dict(self.streams)
        told = streams_told({name: stream.told() for name, stream in streams.items()})
        return {"version": self.confirmed, "jobs": list(streams), "podUid": POD_UID, **told}


def server_of(worker):
    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 5

        def do_GET(self):
            if self.path == "/internal/version":
                self.answer(200, worker.report())
            elif self.path == "/internal/health":
                self.answer(503 if worker.draining else 200, {"streams": len(worker.streams)})
            else:
                self.answer(404, {"error": "ask /internal/version or /internal/health"})

        def answer(self, status, value):
            body = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    host = os.environ.get("POD_IP", "")

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

    return Server((host, int(os.environ.get("SWARM_PORT", "9090"))), Answers)


def main():
    worker, ended = Worker(), threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: ended.set())
    server = server_of(worker)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while not ended.wait(LOOK_EVERY):
        worker.look()
    worker.drain()
    return 0


if __name__ == "__main__":
    sys.exit(main())
