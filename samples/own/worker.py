"""A worker of a SwarmPool. Put your own work into `start` and `stop`."""
import json, os, re, signal, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FILE, NAME, UID = (os.environ[name] for name in ("SWARM_CONFIG_FILE", "POD_NAME", "POD_UID"))
state = {"version": 0, "jobs": [], "podUid": UID}

def start(stream): print("starting", stream, flush=True)
def stop(stream): print("stopping", stream, flush=True)

def my_entry(text):
    """This worker's entry. Names with special characters are quoted: use a YAML library for those."""
    entry = re.search(rf"^  {NAME}:\n((?:    .*\n)+)", text, re.M)
    version = re.search(r"^    version: (\d+)$" if entry else r"^version: (\d+)$", entry[1] if entry else text, re.M)
    return int(version[1]), re.findall(r"^      - (.+)$", entry[1].split("    parameters:")[0] if entry else "", re.M)

def follow():
    global state
    while True:
        try:
            version, jobs = my_entry(open(FILE).read())
            if version > state["version"]:
                for stream in set(state["jobs"]) - set(jobs): stop(stream)
                for stream in set(jobs) - set(state["jobs"]): start(stream)
                state = {**state, "version": version, "jobs": jobs}
        except (OSError, TypeError):
            pass  # missing or broken: keep the last assignment
        time.sleep(0.2)

class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path in ("/internal/version", "/internal/health") else 404)
        self.end_headers()
        self.wfile.write(json.dumps(state).encode())

    def log_message(self, *_): pass  # no log line for each probe

signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
threading.Thread(target=follow, daemon=True).start()
ThreadingHTTPServer(("0.0.0.0", int(os.environ.get("SWARM_PORT", "9090"))), Answer).serve_forever()
