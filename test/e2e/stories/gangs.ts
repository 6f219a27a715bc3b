// Do the ranks of a gang start together on real nodes, how long does that take, and does a job end
// with its leader?
import { expect, it } from '@jest/globals';
import { quantile, secondsSince } from '../../../bench/instruments/measure.ts';
import { asString, dig } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import { note, seconds } from '../figures.ts';
import { Jobs } from '../jobs.ts';
import type { World } from '../world.ts';

const namespace = 'gangs';
const IMAGE = 'python:3.13-slim';
const TIMES = 20;

/** Each rank tells when its first process was started and when it is past a barrier. */
const MEASURES = `
import os, socket, time
def read(path):
    with open(path) as file:
        return file.read()
addresses = read("/etc/swarm/addresses").split()
rank, size = int(os.environ["SWARM_RANK"]), int(os.environ["SWARM_SIZE"])
ticks = int(read("/proc/1/stat").rsplit(")", 1)[1].split()[19])
started = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + ticks / os.sysconf("SC_CLK_TCK")
where = (addresses[0], 29500)
if rank == 0:
    with socket.create_server(where) as server:
        others = [server.accept()[0] for _ in range(size - 1)]
        for other in others:
            other.sendall(b"go")
else:
    while True:
        try:
            with socket.create_connection(where) as leader:
                leader.recv(2)
            break
        except ConnectionRefusedError:
            time.sleep(0.005)
print(started, time.time(), flush=True)
`;

export function gangs(world: () => World): void {
  const jobs = new Jobs(world, namespace, { image: IMAGE });
  const { kubectl, is } = jobs;

  it('the ranks of samples/rendezvous are on two nodes, and meet', async () => {
    await jobs.queueOf('rendezvous');
    await world().kubectl('apply', '-f', 'samples/rendezvous/job.yaml');
    await is('meeting', 'Finished');
    expect(await jobs.logsOf('meeting')).toEqual([
      'rank 0 met ranks [1, 2, 3]\n',
      ...[1, 2, 3].map((rank) => `rank ${rank} hears: all are here\n`),
    ]);
    const nodes = (await jobs.podsOf('meeting')).map((pod) =>
      asString(dig(pod, 'spec', 'nodeName')),
    );
    expect(new Set(nodes).size).toBe(2);
  });

  it(`four ranks start together ${TIMES} times, and each is past a barrier`, async () => {
    const whole: number[] = [];
    const together: number[] = [];
    for (let time = 0; time < TIMES; time += 1) {
      const name = `barrier-${time}`;
      const created = Date.now() / 1_000;
      await jobs.create(name, {
        launcher: { start: 'Together' },
        command: ['python3', '-c', MEASURES],
      });
      await is(name, 'Finished');
      const told = (await jobs.logsOf(name)).map((line) => line.split(' ').map(Number));
      const [started, past] = [0, 1].map((at) => Math.max(...told.map((it) => it[at] ?? 0)));
      whole.push((past ?? 0) - created);
      together.push((past ?? 0) - (started ?? 0));
      await kubectl('delete', 'swarmjob', name, '--wait=false');
    }
    expect(together.every((it) => it > 0)).toBe(true);
    for (const [name, all] of [
      ['4 ranks start together: created until all are past a barrier', whole],
      ['the same, from the start of the last container', together],
    ] as const)
      note({
        name,
        value: `p99 ${seconds(quantile(all, 0.99))}, median ${seconds(quantile(all, 0.5))}`,
        note: `${TIMES} times, ${seconds(Math.min(...all))} to ${seconds(Math.max(...all))}`,
      });
  });

  it.each([
    ['root, whose hosts file has them', {}],
    ['another user, by DNS', { securityContext: { runAsUser: 1000 } }],
  ])('a rank finds all others by their names: %s', async (who, spec) => {
    const name = who.startsWith('root') ? 'by-file' : 'by-dns';
    // The hosts file has them at once, DNS a moment later.
    const asks = `
import socket, sys, time
for line in open("/etc/swarm/hosts"):
    while True:
        try:
            print(socket.gethostbyname(line.strip()), flush=True)
            break
        except socket.gaierror:
            if sys.argv[1] == "at once":
                raise
            time.sleep(0.1)
`;
    await jobs.create(name, {
      launcher: { start: 'Together' },
      command: ['python3', '-c', asks, name === 'by-file' ? 'at once' : 'soon'],
      template: { spec },
    });
    await is(name, 'Finished');
    const addresses = (await jobs.podsOf(name)).map(
      (pod) => `${asString(dig(pod, 'status', 'podIP'))}\n`,
    );
    expect(await jobs.logsOf(name)).toEqual([0, 1, 2, 3].map(() => addresses.join('')));
  });

  it('a job ends with its leader: the others get SIGTERM, and nothing is left', async () => {
    const waits = 'trap "echo told; exit 0" TERM; echo up; while :; do sleep 0.1; done';
    await jobs.create('led', {
      launcher: { type: 'Leader', workerCommand: ['sh', '-c', waits] },
      command: ['sh', '-c', 'sleep 2; date +%s.%N'],
    });
    await is('led', 'Complete');
    const ended = performance.timeOrigin + performance.now();
    const [pod] = await jobs.podsOf('led');
    const leader = await kubectl('logs', pod?.metadata.name ?? '');
    note({
      name: 'a job of 4 ranks: its leader has ended until it has succeeded',
      value: seconds(ended / 1_000 - Number(leader)),
    });
    expect(await jobs.statusOf('led')).toMatchObject({ message: 'rank 0 ended well', exitCode: 0 });
    await eventually('no pod of it lives', async () =>
      (await jobs.podsOf('led')).every((pod) =>
        ['Succeeded', 'Failed'].includes(asString(dig(pod, 'status', 'phase')) ?? ''),
      ),
    );
  });

  it('an evicted leader has not succeeded, though it ends with exit code 0', async () => {
    const start = performance.now();
    await jobs.create('evicted', {
      launcher: { type: 'Leader' },
      command: ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.1; done'],
      backoffSeconds: 1,
    });
    await is('evicted', 'Running');
    const [leader] = await jobs.podsOf('evicted');
    const { name = '', uid = '' } = leader?.metadata ?? {};
    await world().api.evict({ namespace, name, uid });
    await kubectl(
      ...['wait', '--for=jsonpath={.status.attempt}=2', 'swarmjob/evicted', '--timeout=120s'],
    );
    await is('evicted', 'Running');
    note({
      name: 'a leader is evicted: created until the second attempt runs',
      value: seconds(secondsSince(start)),
      note: 'backoffSeconds 1',
    });
    expect(await jobs.statusOf('evicted')).toMatchObject({ failures: { disruption: 1 } });
    await jobs.delete('evicted');
  });

  it.each([
    ['a shell', { image: 'registry.k8s.io/etcd:3.6.8-0', command: ['etcd'] }, '/bin/sh'],
    ['the program', { command: ['lmp', '-in', 'in.lj'] }, '(the image has no program lmp)'],
  ])('an image without %s is named after the first attempt', async (what, spec, says) => {
    const name = what === 'a shell' ? 'no-shell' : 'no-program';
    await jobs.create(name, { launcher: { type: 'Leader' }, ...spec });
    await is(name, 'Finished');
    const { state, message } = Object(await jobs.statusOf(name));
    expect(state).toBe('Failed');
    expect(message).toContain(says);
  });

  it('the namespace of the gangs is deleted', () => jobs.deleteNamespace());
}
