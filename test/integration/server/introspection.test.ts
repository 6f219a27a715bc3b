// Does a running operator show what it observes and decides, on the loopback alone?
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { dig } from '../../../src/api/objects.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { claimPorts, type PortClaim } from '../../../src/playground/processes/ports.ts';
import { eventually } from '../../support/processes.ts';
import { makeGroup } from '../support/group.ts';
import type { Pool } from '../support/pool.ts';
import { names } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';

const streams = names(9);
let swarm: Swarm;
let operator: OperatorProcess;
let claim: PortClaim;
let pool: Pool;

beforeAll(async () => {
  swarm = await Swarm.start();
  claim = await claimPorts(1);
  operator = await swarm.operator('--introspection-port', String(claim.first));
  pool = await swarm.pool('seen', { streams, workers: 2 });
  await pool.converged(streams, 2);
});

afterAll(async () => {
  await swarm?.stop();
  await claim?.release();
});

async function ask(path: string): Promise<unknown> {
  const { body } = await request(`http://127.0.0.1:${claim.first}${path}`);
  return body.json();
}

/** Follows the stream; `told` returns what came of events of this name. */
async function follow(): Promise<{
  readonly told: (event: string) => readonly unknown[];
  readonly end: () => void;
}> {
  const { body } = await request(`http://127.0.0.1:${claim.first}/api/v1/stream`);
  let text = '';
  body.setEncoding('utf8');
  body.on('data', (chunk: string) => {
    text += chunk;
  });
  body.on('error', () => undefined);
  await eventually('it is connected', () => text.includes('changes follow'));
  const told = (event: string): readonly unknown[] =>
    [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)]
      .filter(([, name]) => name === event)
      .map(([, , data = '']): unknown => JSON.parse(data));
  return { told, end: () => body.destroy() };
}

const accepts = (host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port: claim.first, timeout: 2_000 });
    const end = (isAccepted: boolean) => (): void => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket.on('connect', end(true)).on('error', end(false)).on('timeout', end(false));
  });

describe('the operator', () => {
  it('the introspection shows pools in agreement with their status', async () => {
    const isLeading = async (): Promise<boolean> =>
      dig(await ask('/api/v1/pools'), 'leading') === true;
    const isAtRest = async (): Promise<boolean> =>
      dig(await ask('/api/v1/pools/seen/tv'), 'decision', 'steps', 'total') === 0;
    await eventually('it leads, and is at rest', async () => (await isLeading()) && isAtRest());
    const status = await pool.status();
    expect(await ask('/api/v1/pools')).toMatchObject({
      leading: true,
      total: 1,
      items: [{ namespace: 'seen', name: 'tv', isConverged: true }],
    });
    const shown = await ask('/api/v1/pools/seen/tv');
    expect(shown).toMatchObject({
      version: status?.version,
      conditions: status?.conditions,
      history: status?.history,
      target: status?.target,
    });
  });

  it('the introspection shows which worker has which stream, as the worker itself reports', async () => {
    const { slices } = await pool.published();
    for (const [worker, { jobs }] of slices) {
      const shown = await ask(`/api/v1/pools/seen/tv/workers/${worker}/streams`);
      const expected = [...jobs]
        .sort()
        .map((name) => ({ name, worker, weight: 0, isRunning: true }));
      expect(shown).toEqual({ total: jobs.length, items: expected });
    }
  });

  it('the introspection sends events for a change, up to its confirmation', async () => {
    const { told, end } = await follow();
    const isTold = (isConverged: boolean): boolean =>
      told('pool').some((it) => dig(it, 'desired') === 3 && dig(it, 'isConverged') === isConverged);
    // The third worker has no pod at first: changes at the same moment may share an event.
    await swarm.kubectl('cordon', 'node-1');
    await pool.scale(3);
    await eventually('the change is told', () => isTold(false));
    await swarm.kubectl('uncordon', 'node-1');
    await pool.converged(streams, 3);
    await eventually('the end is told', () => isTold(true));
    end();
  });

  it('the introspection shows a group in agreement with its status, and sends events while it is scaled', async () => {
    const { told, end } = await follow();
    const group = await makeGroup(swarm, 'shown', {
      members: { back: {}, front: {} },
      spec: {
        replicas: 1,
        members: [
          { kind: 'Deployment', name: 'back' },
          { kind: 'Deployment', name: 'front', ratio: 2, stage: 1 },
        ],
        transition: { order: 'Staged' },
      },
    });
    await group.atSize(1);
    await swarm.kubectl('cordon', 'node-1');
    await group.edit({ replicas: 2 });
    const path = '/api/v1/groups/shown/shop';
    await eventually('it is under way', async () => dig(await ask(path), 'state') === 'Scaling');
    await group.until('is under way', ({ transition }) => transition?.stage === 0);
    expect(await ask(path)).toMatchObject({
      size: 1,
      desiredSize: 2,
      members: [
        { name: 'back', stage: 0, desired: 2, replicas: 2, ready: 1, state: 'Scaling' },
        { name: 'front', stage: 1, desired: 4, replicas: 2, ready: 2, state: 'Waiting' },
      ],
    });
    await swarm.kubectl('uncordon', 'node-1');
    const { members, transition, history, times, conditions } = await group.atSize(2);
    await eventually('it is at rest', async () => dig(await ask(path), 'isReady') === true);
    const { before: _, attempt: __, ...shown } = transition ?? {};
    expect(await ask(path)).toMatchObject({
      ...{ members, transition: shown, times, conditions },
      history: history?.map(({ attempt: ___, ...entry }) => entry),
    });
    const isTold = (state: string, isReady: boolean): boolean =>
      told('group').some((it) => dig(it, 'state') === state && dig(it, 'isReady') === isReady);
    await eventually(
      'all of it is told',
      () => isTold('Scaling', false) && isTold('Completed', true),
    );
    await group.kubectl('delete', 'swarmgroup', 'shop');
    await eventually('the end is told', () => told('group-gone').length === 1);
    end();
  });

  it('the introspection listens on 127.0.0.1 and nowhere else', async () => {
    expect(await accepts('127.0.0.1')).toBe(true);
    const others = Object.values(networkInterfaces()).flatMap((all = []) =>
      all.filter(({ internal }) => !internal).map(({ address }) => address),
    );
    for (const host of ['127.0.0.2', '::1', ...others])
      expect({ host, isAccepted: await accepts(host) }).toEqual({ host, isAccepted: false });
  });

  it('the operator stops although a client follows its events', async () => {
    const { body } = await request(`http://127.0.0.1:${claim.first}/api/v1/stream`);
    body.on('error', () => undefined).resume();
    await operator.end();
    expect(operator.hasEnded).toBe(true);
  });
});
