#!/usr/bin/env python3
"""Stands in for flux: reads what a broker gets by other libraries than Flux, and greets the others.

flux broker --config-path=FOLDER ... [PROGRAM...]   The brokers greet each other by CURVE, in both
    directions. Then rank 0 runs the program, or waits for SIGTERM, and ends the others.
flux run WORD... -- COMMAND...   Tells its words, and becomes the command.
flux greet ADDRESS   Greets the broker at the address with the certificate of this rank.
Other words of flux do nothing.
"""
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tomllib

import zmq
import zmq.auth
from ClusterShell.NodeSet import NodeSet

CERTIFICATE = "/run/swarm/curve.cert"
context = zmq.Context()


def curve(kind, path, is_server):
    mode = os.stat(path).st_mode & 0o777
    if mode != 0o600:
        sys.exit(f"{path} has the mode {mode:o}")
    public, secret = zmq.auth.load_certificate(path)
    one = context.socket(kind)
    one.curve_publickey, one.curve_secretkey = public, secret
    if is_server:
        one.curve_server = True
    else:
        # All brokers have the same certificate.
        one.curve_serverkey = public
    one.linger = 0
    return one


def ask(connection, text):
    connection.send_string(text)
    return connection.recv_string()


def broker(words):
    given = list(itertools.takewhile(lambda it: it.startswith("-"), words))
    options = dict(it.split("=", 1) for it in given)
    program = words[len(given):]
    with open(options["--config-path"] + "/k8slab.toml", "rb") as file:
        config = tomllib.load(file)
    boot = config["bootstrap"]
    hosts = boot["hosts"]
    rank = [it["host"] for it in hosts].index(socket.gethostname())

    def address(number, field):
        return hosts[number][field].replace("%p", str(boot["default_port"]))

    def greets(number):
        one = curve(zmq.REQ, boot["curve_cert"], False)
        one.connect(address(number, "connect"))
        return one, ask(one, str(rank))

    server = curve(zmq.REP, boot["curve_cert"], True)
    server.bind(address(rank, "bind"))
    if rank > 0:
        _, answer = greets(0)
        while answer != "end":
            answer = server.recv_string()
            server.send_string(str(rank))
        return 0

    heard = []
    while len(heard) < len(hosts) - 1:
        heard.append(int(server.recv_string()))
        server.send_string("0")
    others = [greets(number) for number in range(1, len(hosts))]
    resources = config["resource"]["config"][0]
    first, _, last = resources["cores"].partition("-")
    if first == last:
        sys.exit(f"Flux refuses {resources['cores']!r} as a range")
    told = {
        "heard": sorted(heard),
        "answered": [int(answer) for _, answer in others],
        "hosts": str(NodeSet.fromlist([it["host"] for it in hosts])),
        "resources": sorted(NodeSet(resources["hosts"])),
        "cores": resources["cores"],
        "kill-timeout": config["exec"]["kill-timeout"],
        "options": sorted(options),
    }
    print(json.dumps(told), flush=True)
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    code = subprocess.run(program).returncode if program else 0
    while not program and not ended:
        if server.poll(100):
            server.recv_string()
            server.send_string("0")
    for connection, _ in others:
        # It may have been told to end, too.
        connection.rcvtimeo = 1000
        try:
            ask(connection, "end")
        except zmq.Again:
            pass
    return code


def run(words):
    at = words.index("--")
    print(json.dumps(words[:at]), flush=True)
    os.execvp(words[at + 1], words[at + 1:])


def greet(address):
    one = curve(zmq.REQ, CERTIFICATE, False)
    one.connect(address)
    one.send_string("a visitor")
    return 0 if one.poll(3000) else 1


command, *rest = sys.argv[1:]
if command == "broker":
    sys.exit(broker(rest))
if command == "run":
    run(rest)
sys.exit(greet(rest[0]) if command == "greet" else 0)
