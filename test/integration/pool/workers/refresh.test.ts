// How do workers that do not reload learn of a change? The operator replaces them in batches,
// within their budgets, and never without need.
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Kind, kinds } from '../../../../src/api/kinds.ts';
import { asString, dig } from '../../../../src/api/objects.ts';
import { parsePod } from '../../../../src/api/observed.ts';
import { defaultImages } from '../../../../src/playground/node/images.ts';
import type { Change } from '../../../../src/runtime/client/api.ts';
import { systemClock } from '../../../../src/runtime/clock.ts';
import { Watcher } from '../../../../src/runtime/watch/watcher.ts';
import { eventually } from '../../../support/processes.ts';
import type { Pool } from '../../support/pool.ts';
import { names } from '../../support/shape.ts';
import { Swarm } from '../../support/swarm.ts';

/**
 * Like the workers of the first prototype: reads the file once, at its start; answers the version
 * of the whole pool, without its own UID.
 */
const script = `
const { readFileSync } = require('fs');
const { load } = require(${JSON.stringify(new URL('../../../../node_modules/js-yaml', import.meta.url).pathname)});
let config = { workloads: {}, version: 0 };
try { config = load(readFileSync('/app/config/config.yml', 'utf8')); } catch {}
const jobs = (config.workloads[process.env.POD_NAME] ?? { jobs: [] }).jobs;
require('http').createServer((request, response) => {
  response.end(request.url === '/internal/version' ? JSON.stringify({ jobs, version: config.version }) : 'ok');
}).listen(9090, process.env.POD_IP);
process.on('SIGTERM', () => process.exit(0));
`;

const budgets: Kind = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
};

let swarm: Swarm;

beforeAll(async () => {
  const images = {
    ...defaultImages,
    'first-prototype': { command: [process.execPath, '-e', script] },
  };
  swarm = await Swarm.start({ node: { images } });
  await swarm.operator('--leader-election', 'false');
});

afterAll(() => swarm.stop());

/**
 * Which pods have existed, and how many of the wanted ones were missing at a time: from a watch,
 * since polling could miss one.
 */
class PodRecord {
  readonly uids = new Map<string, Set<string>>();
  mostAway = 0;
  readonly #present = new Set<string>();
  readonly #ending = new AbortController();

  static async of({ namespace }: Pool): Promise<PodRecord> {
    const record = new PodRecord();
    const pods = new Watcher(
      swarm.api,
      { kind: kinds.Pod, namespace },
      { clock: systemClock },
      (change) => record.#see(change),
    );
    void pods.run(record.#ending.signal);
    await pods.synced;
    return record;
  }

  end(): void {
    this.#ending.abort();
  }

  #see({ type, object }: Change): void {
    const { name, isReady, isTerminating, uid } = parsePod(object);
    this.uids.set(name, (this.uids.get(name) ?? new Set()).add(uid));
    if (type !== 'DELETED' && isReady && !isTerminating) this.#present.add(name);
    else if (this.#present.delete(name))
      this.mostAway = Math.max(this.mostAway, this.uids.size - this.#present.size);
  }
}

async function uids(pool: Pool): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(
    (await pool.pods()).map(({ metadata }) => [metadata.name, metadata.uid ?? '']),
  );
}

const old = { image: 'first-prototype' };

describe('refresh by Restart', () => {
  it('refresh Restart replaces only pods whose streams changed, one at a time, and all converge', async () => {
    const streams = names(4);
    const pool = await swarm.pool('restart', {
      streams,
      workers: 4,
      spec: { refresh: { mode: 'Restart' } },
      worker: old,
    });
    await pool.converged(streams, 4);
    const before = await uids(pool);
    const record = await PodRecord.of(pool);
    const changed = [...streams.slice(0, 2), 'other', 'another'];
    await pool.streams(changed);
    await pool.converged(changed, 4);
    record.end();
    const after = await uids(pool);
    expect(Object.keys(before).filter((name) => before[name] !== after[name])).toEqual([
      'worker-2',
      'worker-3',
    ]);
    expect(record.mostAway).toBe(1);
  });

  it('with 50% half of the pods are replaced at a time, and none again that a second change does not concern', async () => {
    const streams = names(8);
    const spec = {
      refresh: { mode: 'Restart', maxUnavailable: '50%' },
      removal: { allowEmpty: true },
    };
    const pool = await swarm.pool('half', { streams, workers: 4, spec, worker: old });
    await pool.converged(streams, 4);
    const record = await PodRecord.of(pool);
    const others = names(8, 'other');
    await pool.streams(others);
    await eventually(
      'the first pods are replaced',
      () => [...record.uids.values()].filter(({ size }) => size > 1).length >= 2,
    );
    // The last worker's second stream: the change concerns no other worker.
    const last = [...others.slice(0, 7), 'late'];
    await pool.streams(last);
    expect((await pool.converged(last, 4)).version).toBe(3);
    record.end();
    expect(
      [...record.uids].filter(([name]) => name !== 'worker-3').map(([, all]) => all.size),
    ).toEqual([2, 2, 2]);
    expect(record.mostAway).toBe(2);
  });

  it('refresh Restart waits while a PodDisruptionBudget refuses, and goes on when it allows', async () => {
    const streams = names(2);
    const pool = await swarm.pool('budget', {
      streams,
      workers: 2,
      spec: { refresh: { mode: 'Restart' } },
      worker: old,
    });
    await pool.converged(streams, 2);
    const selector = { matchLabels: { app: 'worker' } };
    await swarm.create(budgets, 'budget', 'all-of-them', { spec: { minAvailable: 2, selector } });
    await eventually('the budget is known', async () => {
      const budget = await swarm.api.get(budgets, { namespace: 'budget', name: 'all-of-them' });
      return dig(budget, 'status', 'expectedPods') === 2;
    });
    const before = await uids(pool);
    await pool.streams(['s0', 'other']);
    await eventually('an eviction was refused', async () =>
      swarm.logs().includes("Cannot evict pod as it would violate the pod's disruption budget"),
    );
    expect(await uids(pool)).toEqual(before);
    await swarm.api.delete(budgets, { namespace: 'budget', name: 'all-of-them' });
    await pool.converged(['s0', 'other'], 2);
  });
});

describe('refresh by Auto', () => {
  it('refresh Auto replaces a worker that answers an old version for too long, and none that reloads', async () => {
    const streams = names(4);
    const spec = { refresh: { mode: 'Auto', timeoutSeconds: 2, maxUnavailable: 2 } };
    const deaf = await swarm.pool('deaf', { streams, workers: 2, spec, worker: old });
    const quick = await swarm.pool('quick', { streams, workers: 2, spec });
    await deaf.converged(streams, 2);
    await quick.converged(streams, 2);
    const before = await uids(quick);
    // Long enough for a worker that reloads, however busy the machine is.
    const change = { streams: names(5).map((name) => ({ name })), refresh: { timeoutSeconds: 15 } };
    await Promise.all([deaf.edit(change), quick.edit(change)]);
    await quick.converged(names(5), 2);
    await deaf.converged(names(5), 2);
    expect(await uids(quick)).toEqual(before);
  });
});

describe('workers that do not report', () => {
  it('workers that are not probed converge when their pods were replaced', async () => {
    const pool = await swarm.pool('mute', {
      streams: names(2),
      workers: 2,
      spec: { probe: { type: 'None' }, refresh: { mode: 'Restart' } },
      worker: old,
    });
    await pool.until(
      'converges',
      ({ convergedReplicas, version }) => convergedReplicas === 2 && version === 1,
    );
    await pool.streams(names(3));
    await pool.until(
      'converges again',
      ({ convergedReplicas, version }) => convergedReplicas === 2 && version === 2,
    );
    // That its pod is Ready is all that the operator knows of such a worker.
    await eventually('they run what they have', async () => {
      const jobs = (await pool.running()).flatMap((worker) => worker.jobs);
      return isDeepStrictEqual(jobs.sort(), names(3));
    });
  });
});

describe('a worker that never confirms', () => {
  it('a worker that never confirms is Stuck, and is not replaced for it', async () => {
    const stubborn = {
      image: 'busybox',
      command: ['sh', '-c', 'sleep 600'],
      readinessProbe: undefined,
    };
    const pool = await swarm.pool('silent', {
      streams: names(2),
      workers: 1,
      spec: { refresh: { mode: 'Auto', timeoutSeconds: 1 } },
      worker: stubborn,
    });
    const other = await swarm.pool('lively', { streams: names(2), workers: 2 });
    await other.converged(names(2), 2);
    await pool.until('has its pod', ({ readyReplicas }) => readyReplicas === 1);
    const before = await uids(pool);
    const status = await pool.until('is stuck', ({ workers }) => workers?.[0]?.state === 'Stuck');
    expect(asString(status.workers?.[0]?.message)).toContain(
      'version 1 is not confirmed after 1 s',
    );
    await pool.until(
      'shows that it does not answer',
      ({ conditions }) =>
        conditions?.some((it) => it.type === 'ProbeUnreachable' && it.status === 'True') === true,
    );
    expect(await uids(pool)).toEqual(before);
  });
});
