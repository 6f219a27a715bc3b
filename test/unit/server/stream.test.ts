// Does every client learn what changes, and is one that does not read disconnected?
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { asString, dig } from '../../../src/api/objects.ts';
import type { GroupWorld } from '../../../src/group/world.ts';
import type { Served } from '../../../src/http/bounded-server.ts';
import { decidePool } from '../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import { decideQueues } from '../../../src/queue/decide.ts';
import type { QueueWorld } from '../../../src/queue/world.ts';
import { type AllSnapshots, noSnapshots } from '../../../src/server/introspection/kinds.ts';
import { serveIntrospection } from '../../../src/server/introspection/serve.ts';
import type { StreamLimits } from '../../../src/server/introspection/stream.ts';
import * as groups from '../../support/group-worlds.ts';
import { settled } from '../../support/pool-decisions.ts';
import { NOW, scaled, world } from '../../support/pool-worlds.ts';
import { eventually } from '../../support/processes.ts';
import * as queues from '../../support/queue-worlds.ts';

let served: Served;
let snapshots: AllSnapshots;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await served.close();
});

async function serve(limits: Partial<StreamLimits>): Promise<void> {
  snapshots = noSnapshots();
  served = await serveIntrospection(
    0,
    { snapshots, isLeading: () => true },
    { gatherMs: 5, ...limits },
  );
}

/** Follows over a socket of its own, and keeps the events. */
async function follow(): Promise<{ readonly socket: Socket; readonly told: () => string }> {
  const socket = connect(served.port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.setEncoding('utf8');
  socket.on('error', () => undefined);
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  socket.write('GET /api/v1/stream HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await eventually(
    'it is answered',
    () => text.includes('\r\n\r\n') && (text.includes('changes follow') || text.includes('error')),
  );
  return { socket, told: () => text };
}

type Event = { readonly event: string; readonly data: unknown };

const eventsIn = (text: string): readonly Event[] =>
  [...text.matchAll(/event: ([\w-]+)\ndata: (.*)\n\n/g)].map(([, event = '', data = '']) => ({
    event,
    data: JSON.parse(data),
  }));

function see(at: PoolWorld, name = 'tv'): void {
  const named = { ...at, pool: { ...at.pool, meta: { ...at.pool.meta, name } } };
  snapshots.pools.decided(`swarm/${name}`, {
    world: named,
    decision: decidePool(named, NOW),
    now: NOW,
  });
}

function seeGroup(at: GroupWorld, name = 'tv'): void {
  const { group } = at;
  const named = { ...at, group: { ...group, meta: { ...group.meta, name } } };
  const report = { world: named, decision: groups.decide(named), now: NOW };
  snapshots.groups.decided(`swarm/${name}`, report);
}

describe('a client that follows', () => {
  it('a following client gets an event for each change of a pool, once, and for its deletion', async () => {
    await serve({});
    const { told } = await follow();
    const at = settled(world({ streams: 4, workers: 2 }));
    see(at);
    await eventually('the pool is told', () => eventsIn(told()).length === 1);
    see(at);
    see(scaled(at, 3));
    await eventually('the change is told', () => eventsIn(told()).length === 2);
    snapshots.pools.forgotten('swarm/tv');
    await eventually('the end is told', () => eventsIn(told()).length === 3);
    expect(
      eventsIn(told()).map(({ event, data }) => [event, dig(data, 'name'), dig(data, 'desired')]),
    ).toEqual([
      ['pool', 'tv', 2],
      ['pool', 'tv', 3],
      ['gone', 'tv', undefined],
    ]);
  });

  it('a following client gets events of groups, apart from those of a pool of the same name', async () => {
    await serve({});
    const { told } = await follow();
    see(settled(world({ streams: 4, workers: 2 })));
    const at = groups.settled(groups.groupWorld());
    seeGroup(at);
    await eventually('both are told', () => eventsIn(told()).length === 2);
    const scaling = groups.next(groups.withSpec(at, { replicas: 3 }));
    seeGroup(scaling);
    await eventually('the new size is told', () => eventsIn(told()).length === 3);
    seeGroup(groups.later(groups.ready(scaling, 'a'), 100));
    await eventually('progress is told', () => eventsIn(told()).length === 4);
    snapshots.groups.forgotten('swarm/tv');
    await eventually('the end is told', () => eventsIn(told()).length === 5);
    const events = eventsIn(told()).filter(({ event }) => event !== 'pool');
    expect(
      events.map(({ event, data }) => [event, dig(data, 'desiredSize'), dig(data, 'readyMembers')]),
    ).toEqual([
      ['group', 1, 2],
      ['group', 3, 0],
      ['group', 3, 1],
      ['group-gone', undefined, undefined],
    ]);
    expect(events.at(-1)?.data).toEqual({ namespace: 'swarm', name: 'tv' });
  });

  it('a following client gets events of each queue that changes, and of its deletion', async () => {
    await serve({});
    const { told } = await follow();
    const decide = (world: QueueWorld) => {
      const decision = decideQueues(world, queues.NOW);
      snapshots.queues.decided('hpc/(all)', { world, decision, now: queues.NOW });
    };
    const [batch, night] = ['batch', 'night'].map((name) =>
      queues.queueOf({ pods: '2' }, {}, name),
    );
    const both = queues.atRest(
      queues.worldOf({ queues: [batch, night].flatMap((it) => it ?? []) }),
    );
    decide(both);
    await eventually('both are told', () => eventsIn(told()).length === 2);
    decide(queues.atRest({ ...both, jobs: [queues.jobOf('a')] }));
    await eventually('the job is told', () => eventsIn(told()).length === 3);
    decide({ ...both, queues: both.queues.slice(0, 1) });
    await eventually('the end is told', () => eventsIn(told()).length === 5);
    expect(
      eventsIn(told()).map(({ event, data }) => [event, dig(data, 'name'), dig(data, 'admitted')]),
    ).toEqual([
      ['queue', 'batch', 0],
      ['queue', 'night', 0],
      ['queue', 'batch', 1],
      ['queue-gone', 'night', undefined],
      ['queue', 'batch', 0],
    ]);
  });

  it('a following client gets one event for changes at the same time', async () => {
    await serve({ gatherMs: 50 });
    const { told } = await follow();
    const at = settled(world({ streams: 4, workers: 2 }));
    for (let workers = 1; workers <= 40; workers += 1) see(scaled(at, workers));
    await eventually('the last is told', () =>
      eventsIn(told()).some(({ data }) => dig(data, 'desired') === 40),
    );
    expect(eventsIn(told())).toHaveLength(1);
  });

  it('a following client gets a heartbeat', async () => {
    await serve({ heartbeatMs: 10 });
    const { told } = await follow();
    await eventually('three signs of life', () => told().split(': alive').length > 3);
  });

  it('a following client that does not read is disconnected, and others are not', async () => {
    await serve({ mostUnreadBytes: 64 * 1024, gatherMs: 1 });
    const deaf = await follow();
    deaf.socket.pause();
    const { told } = await follow();
    let isLetGo = false;
    deaf.socket.on('close', () => {
      isLetGo = true;
    });
    const at = settled(world({ streams: 4, workers: 2 }));
    // More than the kernel buffers for a client that does not read: 100 kB at a time, 15 MB in all.
    for (let round = 1; round <= 150; round += 1) {
      const { length } = told();
      see({ ...at, rival: `${round}${'x'.repeat(100_000)}` });
      await eventually('the other is told', () => told().length > length + 100_000);
    }
    deaf.socket.resume();
    await eventually('it is let go', () => isLetGo);
    see(scaled(at, 9), 'last');
    await eventually('the other is told on', () =>
      eventsIn(told()).some(({ data }) => asString(dig(data, 'name')) === 'last'),
    );
  });

  it('a following client is refused if there are too many', async () => {
    await serve({ mostClients: 2 });
    const first = await follow();
    await follow();
    expect((await follow()).told()).toMatch(/^HTTP\/1\.1 503 /);
    first.socket.destroy();
    await eventually('there is room again', async () =>
      (await follow()).told().startsWith('HTTP/1.1 200 '),
    );
  });
});
