// An operator that watches a few namespaces loses its permissions in one of them, or the namespace
// itself. Does it go on in all others, and in this one when it can read it again?
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { request } from 'undici';
import { asList, dig } from '../../src/api/objects.ts';
import type { OperatorProcess } from '../../src/playground/operator-process.ts';
import { eventually } from '../support/processes.ts';
import { makeJob, makeQueue } from './support/job.ts';
import { makePool, type Pool } from './support/pool.ts';
import { Swarm } from './support/swarm.ts';

const KINDS = ['pools', 'groups', 'queues', 'jobs'];

let swarm: Swarm;
let operator: OperatorProcess;
const pools = new Map<string, Pool>();

beforeAll(async () => {
  // Refused on purpose: the comparison of permissions must not count it.
  swarm = await Swarm.start({ controlPlane: {}, keepsAudit: false });
  for (const kind of KINDS)
    await swarm.kubectl('delete', 'clusterrolebinding', `swarm-operator-${kind}`);
  for (const name of ['team-a', 'team-b', 'team-c']) {
    pools.set(name, await makePool(swarm, name, { streams: ['one'], workers: 1 }));
    await permit(name);
  }
  await makeQueue(swarm, 'team-d');
  await permit('team-d');
  operator = await swarm.operator('--namespaces', 'team-a,team-b,team-c,team-d');
  for (const pool of pools.values()) await pool.converged(['one'], 1);
});

afterAll(() => swarm?.stop());

/** As deploy/watched-namespace does. */
async function permit(namespace: string): Promise<void> {
  for (const kind of KINDS)
    await swarm.kubectl(
      ...['-n', namespace, 'create', 'rolebinding', `swarm-operator-${kind}`],
      `--clusterrole=swarm-operator-${kind}`,
      '--serviceaccount=swarm-operator:swarm-operator',
    );
}

async function forbid(namespace: string): Promise<void> {
  const names = KINDS.map((kind) => `swarm-operator-${kind}`);
  await swarm.kubectl('-n', namespace, 'delete', 'rolebinding', ...names);
}

/** Namespaces in which the operator cannot work for SwarmPools, as /readyz has them. */
async function unreadable(): Promise<readonly unknown[]> {
  const { statusCode, body } = await request(`http://127.0.0.1:${operator.healthPort}/readyz`);
  expect(statusCode).toBe(200);
  const { kinds } = Object(await body.json());
  const report = asList(kinds).find((it) => dig(it, 'kind') === 'SwarmPool');
  return asList(dig(report, 'unreadable', 'first')).map((it) => dig(it, 'namespace'));
}

const isUnreadable = (namespace: string): Promise<void> =>
  eventually(`${namespace} is unreadable`, async () => (await unreadable()).includes(namespace));

async function edit(namespace: string, ...streams: readonly string[]): Promise<void> {
  const spec = { streams: streams.map((name) => ({ name })) };
  const patch = JSON.stringify({ spec });
  await swarm.kubectl('-n', namespace, 'patch', 'swarmpool', 'tv', '--type=merge', '-p', patch);
}

async function follows(namespace: string, ...streams: readonly string[]): Promise<void> {
  await edit(namespace, ...streams);
  await pools.get(namespace)?.converged(streams, 1);
}

const runs = async (name: string): Promise<void> => {
  const job = await makeJob(swarm, 'team-d', name, { size: 1, command: ['true'] });
  await job.is('Succeeded');
};

it('an operator without permissions in one namespace goes on in all others', async () => {
  await forbid('team-a');
  // The first refused write shows it, minutes before its watches end.
  await edit('team-a', 'one', 'two');
  await isUnreadable('team-a');
  await follows('team-b', 'one', 'three');
  await runs('while-team-a-is-closed');
  expect((await pools.get('team-a')?.status())?.streams?.total).toBe(1);
  expect(swarm.logs()).toContain('SwarmPool rests in a namespace that cannot be read');
});

it('the operator goes on in a namespace when its permissions are back, without a restart', async () => {
  await permit('team-a');
  await pools.get('team-a')?.converged(['one', 'two'], 1);
  await eventually('every namespace is readable', async () => (await unreadable()).length === 0);
  expect(operator.hasEnded).toBe(false);
});

it('an operator whose namespace is deleted goes on in all others, and in a new one of its name', async () => {
  await swarm.kubectl('delete', 'namespace', 'team-c', '--wait');
  await isUnreadable('team-c');
  await follows('team-b', 'one', 'four');
  await runs('while-team-c-is-gone');
  const pool = await makePool(swarm, 'team-c', { streams: ['new'], workers: 1 });
  await permit('team-c');
  await pool.converged(['new'], 1);
});
