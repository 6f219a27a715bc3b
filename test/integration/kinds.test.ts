// Does the operator handle a kind whose CRD or permissions are missing, on a real API server?
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { request } from 'undici';
import { asList, dig } from '../../src/api/objects.ts';
import type { OperatorProcess } from '../../src/playground/operator-process.ts';
import { eventually } from '../support/processes.ts';
import { makePool } from './support/pool.ts';
import { Swarm } from './support/swarm.ts';

const repository = new URL('../../', import.meta.url).pathname;
const rights = `${repository}deploy/rights/pools.yaml`;
const definition = `${repository}crds/swarmpool.yaml`;

let swarm: Swarm;
let operator: OperatorProcess;

beforeAll(async () => {
  // Refused on purpose: the comparison of permissions must not count it.
  swarm = await Swarm.start({ keepsAudit: false });
  await swarm.kubectl('delete', '-f', definition, '--wait');
  operator = await swarm.operator();
});

afterAll(() => swarm?.stop());

async function askedAt(port: number, path: string): Promise<readonly [number, string]> {
  const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`);
  return [statusCode, await body.text()];
}

/** What /readyz reports about SwarmPools. */
async function pools(): Promise<unknown> {
  const [status, text] = await askedAt(operator.healthPort, '/readyz');
  expect(status).toBe(200);
  return asList(dig(JSON.parse(text), 'kinds'))[0];
}

const isOn = async (): Promise<boolean> => dig(await pools(), 'state') === 'On';

const metric = async (): Promise<string | undefined> => {
  const [, text] = await askedAt(operator.metricsPort, '/metrics');
  return text.split('\n').find((line) => line.startsWith('swarm_operator_kind_on{'));
};

it('the operator is ready without the CRD, reports it, and works once the CRD is installed', async () => {
  expect(await pools()).toEqual({
    kind: 'SwarmPool',
    state: 'Off',
    reason: 'NotInstalled',
    message: 'the cluster does not serve swarmpools.k8slab.info',
  });
  expect(await metric()).toBe('swarm_operator_kind_on{kind="SwarmPool",reason="NotInstalled"} 0');
  expect(swarm.logs()).toContain('SwarmPool is off');
  await swarm.kubectl('apply', '-f', definition);
  await eventually('SwarmPools are on', isOn);
  expect(await metric()).toBe('swarm_operator_kind_on{kind="SwarmPool",reason=""} 1');
  const pool = await makePool(swarm, 'later', { streams: ['a', 'b'], workers: 0 });
  await eventually('its status is written', async () => (await pool.status()) !== undefined);
});

it('a kind stops when its CRD is deleted, and works when it is installed again', async () => {
  await swarm.kubectl('delete', '-f', definition, '--wait');
  await eventually('SwarmPools are off', async () => !(await isOn()));
  expect(await pools()).toMatchObject({ state: 'Off', reason: 'NotInstalled' });
  await swarm.kubectl('apply', '-f', definition);
  await eventually('SwarmPools are on', isOn);
  const pool = await makePool(swarm, 'anew', { streams: ['a', 'b'], workers: 0 });
  await eventually('its status is written', async () => (await pool.status()) !== undefined);
  expect(operator.hasEnded).toBe(false);
});

it('a kind stops when a permission is removed, affects nothing else, and works again when it is granted', async () => {
  const pool = await makePool(swarm, 'rights', { streams: ['a', 'b'], workers: 0 });
  await eventually('its status is written', async () => (await pool.status()) !== undefined);
  await swarm.kubectl('delete', '-f', rights);
  await eventually('SwarmPools are off', async () => !(await isOn()));
  expect(await pools()).toMatchObject({ state: 'Off', reason: 'Forbidden' });
  await swarm.kubectl('-n', 'rights', 'delete', 'swarmpool', 'tv');
  const other = await makePool(swarm, 'meanwhile', { streams: ['a', 'b'], workers: 0 });
  await swarm.kubectl('apply', '-f', rights);
  await eventually('SwarmPools are on', isOn);
  await eventually(
    'the operator has seen the other pool',
    async () => (await other.status()) !== undefined,
  );
  expect(operator.hasEnded).toBe(false);
});
