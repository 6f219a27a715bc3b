// Which assignment does a pool continue from, when its ConfigMap was restored from an older copy,
// written by a user, or created as a placeholder?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { kinds } from '../../../src/api/kinds.ts';
import { asString, dig } from '../../../src/api/objects.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { eventually } from '../../support/processes.ts';
import type { Pool } from '../support/pool.ts';
import { names } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;
let operator: OperatorProcess;
let pool: Pool;
const namespace = 'records';
const streams = names(4);
const ref = { namespace, name: 'tv-assignments' };

beforeAll(async () => {
  swarm = await Swarm.start();
  operator = await swarm.operator('--leader-election', 'false');
  pool = await swarm.pool(namespace, { streams, workers: 2 });
  await pool.converged(streams, 2);
});

afterAll(() => swarm.stop());

const configMap = (metadata: object, data: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...ref, ...metadata },
  data,
});

async function figures(): Promise<string> {
  const { body } = await request(`http://127.0.0.1:${operator.metricsPort}/metrics`);
  return body.text();
}

/**
 * As if the pool were new: the pool and its ConfigMap are deleted, this ConfigMap takes its place,
 * and the pool is created again.
 */
async function startedFrom(record: object): Promise<void> {
  const object = await swarm.api.get(kinds.SwarmPool, { namespace, name: 'tv' });
  await swarm.kubectl('-n', namespace, 'delete', 'swarmpool/tv');
  // The operator would overwrite the ConfigMap of a pool that it still knows.
  await eventually(
    'the operator has seen the deletion',
    async () => !(await figures()).includes(`namespace="${namespace}"`),
  );
  await swarm.kubectl('-n', namespace, 'delete', 'configmap/tv-assignments');
  await swarm.apply(record);
  await swarm.create(kinds.SwarmPool, namespace, 'tv', { spec: dig(object, 'spec') });
}

describe('an assignment', () => {
  it('an assignment that is restored from an older copy is published above all versions that workers saw', async () => {
    const old = await pool.published();
    await pool.streams([...streams, 'late']);
    await pool.converged([...streams, 'late'], 2);
    const text = asString(dig(old.object, 'data', 'config.yml'));
    await swarm.api.patch(kinds.ConfigMap, ref, {
      type: 'merge',
      body: { data: { 'config.yml': text } },
    });
    const status = await pool.until(
      'publishes again',
      ({ version = 0, convergedReplicas }) => version > 2 && convergedReplicas === 2,
    );
    expect(status.history?.[0]).toMatchObject({ reason: 'AssignmentRestored', version: 3 });
    await pool.converged([...streams, 'late'], 2);
  });

  it('an assignment that a user wrote is the starting point: no stream moves', async () => {
    await pool.streams(streams);
    await pool.converged(streams, 2);
    const entry = (...jobs: readonly string[]): string =>
      `{ jobs: [${jobs.join(', ')}], version: 41 }`;
    const text = `format: 1\nworkloads:\n  worker-0: ${entry('s1', 's3')}\n  worker-1: ${entry('s0', 's2')}\nversion: 41\n`;
    await startedFrom(configMap({ labels: { 'k8slab.info/pool': 'tv' } }, { 'config.yml': text }));
    await pool.converged(streams, 2);
    const { version, slices } = await pool.published();
    expect(version).toBe(41);
    expect([...slices.values()].map(({ jobs }) => [...jobs].sort().join())).toEqual([
      's1,s3',
      's0,s2',
    ]);
  });

  it('a placeholder with the name of the pool is filled, and its other keys stay', async () => {
    await startedFrom(
      configMap({ annotations: { 'k8slab.info/pool': 'tv' } }, { note: 'from Git' }),
    );
    await pool.converged(streams, 2);
    const { object, version } = await pool.published();
    expect(dig(object, 'data', 'note')).toBe('from Git');
    expect(version).toBeGreaterThan(41);
  });
});

describe('an event that occurs again', () => {
  /** The count of each Event with this reason, from kubectl's own column. */
  async function counts(reason: string): Promise<ReadonlyMap<string, number>> {
    const columns = 'custom-columns=NAME:.metadata.name,COUNT:.series.count,ABOUT:.regarding.uid';
    const { metadata } = await swarm.api.get(kinds.SwarmPool, { namespace, name: 'tv' });
    const which = ['--field-selector', `reason=${reason}`, '--no-headers', '-o', columns];
    const lines = (await swarm.kubectl('-n', namespace, 'get', 'events.events.k8s.io', ...which))
      .trim()
      .split('\n');
    const rows = lines.map((line) => line.split(/\s+/)).filter(([, , uid]) => uid === metadata.uid);
    return new Map(
      rows.map(([name = '', count]) => [name, count === '<none>' ? 1 : Number(count)]),
    );
  }

  it('an event that occurs again is counted, and kubectl shows the count', async () => {
    await eventually('the same event is counted', async () => {
      await swarm.kubectl('-n', namespace, 'delete', 'pod', 'worker-1');
      await pool.converged(streams, 2);
      return [...(await counts('Converged')).values()].some((count) => count > 1);
    });
    const [[name = ''] = []] = [...(await counts('Converged'))].filter(([, it]) => it > 1);
    const listed = await swarm.kubectl(
      '-n',
      namespace,
      'get',
      'events',
      '-o',
      'wide',
      '--no-headers',
    );
    expect(listed.split('\n').filter((line) => line.includes(name))).toEqual([
      expect.stringMatching(new RegExp(` [2-9] +${name}`)),
    ]);
    expect(await swarm.kubectl('-n', namespace, 'describe', 'swarmpool/tv')).toMatch(
      /Converged\s+\S+ \(x\d+ over/,
    );
  });

  it('an event with a different text each time becomes ten events, and then a count', async () => {
    for (let edit = 0; edit < 12; edit += 1) {
      await pool.streams([...streams, `edit-${edit}`]);
      await pool.converged([...streams, `edit-${edit}`], 2);
    }
    const published = await counts('Published');
    expect(published.size).toBe(10);
    expect([...published.values()].filter((count) => count > 1)).toHaveLength(1);
  });

  it('kubectl describes a pool with its events in the order in which they last occurred', async () => {
    const { metadata } = await swarm.api.get(kinds.SwarmPool, { namespace, name: 'tv' });
    const described = await swarm.kubectl('-n', namespace, 'describe', 'swarmpool/tv');
    const [, text = ''] = described.split(/^Events:$/m);
    const lines = text
      .split('\n')
      .map((line) => /^ {2}(?:Normal|Warning) +(\S+) +(\S+).*? k8slab\S+ +(.*)$/.exec(line))
      .filter((it) => it !== null);
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter(([, , age]) => !/^\d/.test(age ?? ''))).toEqual([]);
    const { items } = await swarm.api.list(kinds.Event, namespace);
    const own = items.filter((it) => dig(it, 'involvedObject', 'uid') === metadata.uid);
    expect(lines.length).toBe(own.length);
    const times = lines.map(([, reason, , message]) =>
      asString(
        own.find((it) => it['reason'] === reason && it['message'] === message)?.['lastTimestamp'],
      ),
    );
    expect(times).not.toContain(undefined);
    expect(times).toEqual([...times].sort());
  });
});
