// How workers that do not reload come to know of a change: replaced in waves, within what budgets allow, never without need.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Kind } from '../../../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../../../src/api/objects.ts';
import { parsePod } from '../../../../src/api/observed.ts';
import { defaultImages } from '../../../../src/playground/node/images.ts';
import { eventually } from '../../../support/processes.ts';
import { names, type Pool, Swarm } from '../../support/swarm.ts';

/**
 * As the workers of the first prototype: reads the file once, at its start; answers the version of the whole pool; does not say whose
 * answer it is.
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

const budgets: Kind = { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets', namespaced: true };

let swarm: Swarm;

beforeAll(async () => {
  const images = { ...defaultImages, 'first-prototype': { command: [process.execPath, '-e', script] } };
  swarm = await Swarm.start({ node: { images } });
  await swarm.operator('--leader-election', 'false');
}, 300_000);

afterAll(() => swarm.stop());

async function uids(pool: Pool): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await pool.pods()).map(({ metadata }) => [metadata.name, metadata.uid ?? '']));
}

const old = { image: 'first-prototype' };

describe('refresh by Restart', () => {
  it('replaces only pods whose streams changed, one at a time, and all converge', async () => {
    const streams = names(4);
    const pool = await swarm.pool('restart', { streams, workers: 4, spec: { refresh: { mode: 'Restart' } }, worker: old });
    await pool.converged(streams, 4);
    const before = await uids(pool);
    let most = 0;
    const changed = [...streams.slice(0, 2), 'other', 'another'];
    await pool.streams(changed);
    await eventually(
      'it converges',
      async () => {
        const pods = await pool.pods();
        const isReady = (pod: KubeObject): boolean => parsePod(pod).isReady;
        most = Math.max(most, 4 - pods.filter(isReady).length);
        return (await pool.condition('Converged'))?.status === 'True' && (await pool.status())?.version === 2;
      },
      40,
    );
    await pool.converged(changed, 4);
    const after = await uids(pool);
    expect(Object.keys(before).filter((name) => before[name] !== after[name])).toEqual(['worker-2', 'worker-3']);
    expect(most).toBeLessThanOrEqual(1);
  });

  it('replaces half of them at a time with 50%, and a change in the middle does not begin anew with those that are right', async () => {
    const streams = names(8);
    const spec = { refresh: { mode: 'Restart', maxUnavailable: '50%' } };
    const pool = await swarm.pool('half', { streams, workers: 4, spec, worker: old });
    await pool.converged(streams, 4);
    const seen = new Map<string, Set<string>>();
    let most = 0;
    const look = async (): Promise<readonly string[]> => {
      const pods = await pool.pods();
      most = Math.max(most, 4 - pods.filter((pod) => parsePod(pod).isReady).length);
      for (const { metadata } of pods) seen.set(metadata.name, (seen.get(metadata.name) ?? new Set()).add(metadata.uid ?? ''));
      return [...seen].flatMap(([name, all]) => (all.size > 1 ? [name] : []));
    };
    await look();
    const others = names(8, 'other');
    await pool.streams(others);
    await eventually('the first of them are replaced', async () => (await look()).length >= 2);
    // The last worker's second stream: nobody else is meant.
    const last = [...others.slice(0, 7), 'late'];
    await pool.streams(last);
    await eventually(
      'all converge',
      async () => {
        await look();
        return (await pool.status())?.version === 3 && (await pool.condition('Converged'))?.status === 'True';
      },
      60,
    );
    await pool.converged(last, 4);
    expect([...seen].filter(([name]) => name !== 'worker-3').map(([, all]) => all.size)).toEqual([2, 2, 2]);
    expect(most).toBe(2);
  });

  it('asks the PodDisruptionBudget, waits while it refuses, and goes on when it allows', async () => {
    const streams = names(2);
    const pool = await swarm.pool('budget', { streams, workers: 2, spec: { refresh: { mode: 'Restart' } }, worker: old });
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
    await pool.converged(['s0', 'other'], 2, 40);
  });
});

describe('refresh by Auto', () => {
  it('replaces a worker that answers an old version for too long; one that reloads is left alone', async () => {
    const streams = names(4);
    const spec = { refresh: { mode: 'Auto', timeoutSeconds: 2, maxUnavailable: 2 } };
    const deaf = await swarm.pool('deaf', { streams, workers: 2, spec, worker: old });
    const quick = await swarm.pool('quick', { streams, workers: 2, spec });
    await deaf.converged(streams, 2, 40);
    await quick.converged(streams, 2);
    const before = await uids(quick);
    await Promise.all([deaf.streams(names(5)), quick.streams(names(5))]);
    await quick.converged(names(5), 2);
    expect(await uids(quick)).toEqual(before);
    await deaf.converged(names(5), 2, 40);
  });
});

describe('workers that cannot tell', () => {
  it('converge when their pods were replaced', async () => {
    const pool = await swarm.pool('mute', {
      streams: names(2),
      workers: 2,
      spec: { probe: { type: 'None' }, refresh: { mode: 'Restart' } },
      worker: old,
    });
    await pool.until('converges', ({ convergedReplicas, version }) => convergedReplicas === 2 && version === 1, 40);
    await pool.streams(names(3));
    await pool.until('converges again', ({ convergedReplicas, version }) => convergedReplicas === 2 && version === 2, 40);
    const jobs = (await pool.running()).flatMap((worker) => worker.jobs);
    expect([...jobs].sort()).toEqual(names(3));
  });
});

describe('a worker that never confirms', () => {
  it('is Stuck with what it says, is not replaced for it, and the others go on', async () => {
    const stubborn = { image: 'busybox', command: ['sh', '-c', 'sleep 600'], readinessProbe: undefined };
    const pool = await swarm.pool('silent', {
      streams: names(2),
      workers: 1,
      spec: { refresh: { mode: 'Auto', timeoutSeconds: 1 } },
      worker: stubborn,
    });
    const other = await swarm.pool('lively', { streams: names(2), workers: 2 });
    await other.converged(names(2), 2);
    const before = await uids(pool);
    const status = await pool.until('is stuck', ({ workers }) => workers?.[0]?.state === 'Stuck');
    expect(asString(status.workers?.[0]?.message)).toContain('version 1 is not confirmed after 1 s');
    await pool.until(
      'tells that it does not answer',
      ({ conditions }) => conditions?.some((it) => it.type === 'ProbeUnreachable' && it.status === 'True') === true,
    );
    expect(await uids(pool)).toEqual(before);
  });
});
