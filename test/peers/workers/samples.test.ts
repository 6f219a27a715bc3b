// The sample workers in Python and Go keep their promises.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { promises } from '../../../src/conformance/promises.ts';
import { eventually } from '../../support/processes.ts';
import { check, verdicts } from '../../tools/worker-check/check.ts';
import { goSamples, python, samples } from './languages.ts';

const allKept = Object.fromEntries(promises.map(({ id }) => [id, 'kept']));
const inPython = python === undefined ? describe.skip : describe;
const inGo = goSamples === undefined ? describe.skip : describe;

/**
 * It prints what is confirmed: when the stream is taken away, when it is given back, when it has
 * ended and was started anew.
 */
const givenBack = `
from types import SimpleNamespace
from threading import Event
from worker import NOTHING, Worker
slow = SimpleNamespace(asked=({}, 0), token=None, stop=Event(), is_alive=lambda: not ended.is_set())
ended = Event()
worker = Worker()
worker.streams, worker.confirmed = {"a": slow}, 1
def follow(version, *jobs):
    worker.step({**NOTHING, "jobs": list(jobs), "version": version})
    return worker.confirmed
said = [follow(2), follow(3, "a")]
ended.set()
follow(3, "a")
print(*said, follow(3, "a"))
`;

/** It prints, for each slice, whether the stream is the one before, and what is confirmed. */
const restarting = `
from worker import NOTHING, Worker
worker, last = Worker(), None
def follow(version, restarts):
    global last
    before = worker.streams.get("a")
    worker.step({**NOTHING, "jobs": ["a"], "version": version, "restarts": restarts})
    return f"{worker.streams['a'] is before}{worker.confirmed}"
said = [follow(1, {}), follow(2, {"a": "t1"})]
worker.streams["a"].join()
said += [follow(2, {"a": "t1"}), follow(2, {"a": "t1"}), follow(3, {}), follow(4, {"a": "t1"})]
print(*said)
`;

/**
 * Its stream ends whenever it is started. It prints how often it was started, and what it tells:
 * when it has given up, when nothing has changed, with another token, and with another weight.
 */
const givingUp = `
import time
import worker as program
starts = 0
def consume(name, parameters, stop):
    global starts
    starts += 1
    raise ConnectionError("no camera")
program.consume, program.PAUSES = consume, (0.01,)
worker, policy = program.Worker(), {"maxRestarts": 2}
def follow(version, **entry):
    worker.step({**program.NOTHING, "jobs": ["a"], "version": version, "policy": policy, **entry})
    while worker.confirmed < version or worker.streams["a"].told()["state"] != "Failed":
        worker.step({**program.NOTHING, "jobs": ["a"], "version": version, "policy": policy, **entry})
        time.sleep(0.01)
    told = worker.report()["streams"]["a"]
    return f"{starts} {told['state']} {told['restarts']} {told['message']}"
t1 = {"restarts": {"a": "t1"}}
for said in (follow(1), follow(2), follow(3, **t1), follow(4, **t1, weights={"a": 2})):
    print(said)
`;

/** It prints what it tells of a stream, and of a message. */
const telling = `
import telling
now, clock = [0], [0]
telling.time = type("time", (), {
    "monotonic": lambda: now[0], "time": lambda: now[0] + clock[0], "gmtime": __import__("time").gmtime, "strftime": __import__("time").strftime,
})
health = telling.Health()
def told(): return health.told()["state"] + str(health.told()["restarts"])
said = [told()]
for end in (1, 2, 3):
    health.started()
    said.append(told())
    now[0] = end
    health.ended("end")
said.append(told())
health.started()
now[0] = 62
said.append(told())
now[0] = 63
said.append(told())
now[0] = 400
health.ended("end")
said.append(told())
print(*said)
clock[0] = 7200
health.started()
print(health.told()["state"], health.told()["since"])
values = ["rtsp://admin:p%40ssw0rd@cam-1.example/main", "554"]
for message in ("at cam-1.example: refused", "login p@ssw0rd failed", "pin 554 of 5540", "two\\nlines \\x1b[31mred"):
    print(telling.one_line(message, values))
many = {str(n): {"state": "Starting", "since": ""} for n in range(150)}
found = telling.streams_told({**many, "fails": {"state": "Restarting"}, "runs": {"state": "Running"}})
print(len(found["streams"]), "fails" in found["streams"], found["states"]["Starting"])
`;

inPython('the sample worker in Python', () => {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };

  it('the Python worker keeps all promises', async () => {
    const command = `env PYTHONDONTWRITEBYTECODE=1 ${python} '${samples}/python/worker.py'`;
    expect(verdicts(await check(command))).toEqual(allKept);
  });

  it('the Python worker confirms a stream that returns while it stops only once it runs again', () => {
    const said = execFileSync(python ?? '', ['-c', givenBack], {
      env: { ...env, PYTHONPATH: `${samples}/python`, POD_NAME: 'w' },
    });
    expect(said.toString()).toBe('1 1 3\n');
  });

  it('the Python worker restarts a stream once for each new token', () => {
    const said = execFileSync(python ?? '', ['-c', restarting], {
      env: { ...env, PYTHONPATH: `${samples}/python`, POD_NAME: 'w' },
    });
    expect(said.toString()).toBe('False1 True1 False2 True2 True3 True4\n');
  });

  it('the Python worker gives up after maxRestarts, until the stream is restarted or changed', () => {
    const said = execFileSync(python ?? '', ['-c', givingUp], {
      env: { ...env, PYTHONPATH: `${samples}/python`, POD_NAME: 'w' },
    });
    const [up, same, restarted, changed] = [3, 3, 6, 9].map(
      (starts) => `${starts} Failed 2 no camera`,
    );
    const lines = said
      .toString()
      .split('\n')
      .filter((line) => !line.startsWith("'a': "));
    expect(lines).toEqual([up, same, restarted, changed, '']);
  });

  it('the Python worker reports the state of a stream, in one line without its parameters', () => {
    const said = execFileSync(python ?? '', ['-c', telling], {
      env: { ...env, PYTHONPATH: `${samples}/python` },
    });
    expect(said.toString().trimEnd().split('\n')).toEqual([
      'Starting0 Running0 Running1 Running2 Restarting2 Restarting3 Running3 Starting0',
      'Running 1970-01-01T02:06:40Z',
      'at …: refused',
      'login … failed',
      'pin … of 5540',
      'two lines [31mred',
      '100 True 150',
    ]);
  });

  it('the Python worker binds a POD_IP of IPv6', async () => {
    const free = createServer().listen(0, '::1');
    await once(free, 'listening');
    const address = free.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    free.close();
    const worker = spawn(python ?? '', [`${samples}/python/worker.py`], {
      env: { ...env, POD_NAME: 'w', POD_IP: '::1', SWARM_PORT: String(port) },
      stdio: 'ignore',
    });
    try {
      await eventually('it answers', async () => {
        const answer = await fetch(`http://[::1]:${port}/internal/version`).catch(() => undefined);
        return answer?.status === 200;
      });
    } finally {
      worker.kill();
    }
  });
});

inGo('the sample worker in Go', () => {
  it('the Go worker keeps all promises', async () => {
    const program = path.join(goSamples ?? '', 'worker');
    expect(verdicts(await check(`'${program}'`))).toEqual(allKept);
  });

  it('the Go worker passes its own tests', () => {
    const program = path.join(goSamples ?? '', 'worker.test');
    expect(execFileSync(program, { cwd: `${samples}/go` }).toString()).toMatch(/^PASS$/m);
  });
});
