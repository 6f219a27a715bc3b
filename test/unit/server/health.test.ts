// What does the operator say of itself, and does it stay alive whatever it says?
import { afterEach, expect, it } from '@jest/globals';
import type { KindReport } from '../../../src/core/kind-report.ts';
import { serveHealth } from '../../../src/server/health.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Standing = { readonly isLeading: boolean; readonly reason?: string };

async function ask(
  path: string,
  undelivered: readonly string[],
  { isLeading, reason }: Standing = { isLeading: true },
  kinds: readonly KindReport[] = [],
) {
  const build = { version: '1', commit: 'c', date: 'd' };
  const served = await serveHealth(
    0,
    {
      isSynced: () => true,
      isLeading: () => isLeading,
      standbyReason: () => reason,
      operators: () => [{ lease: 'ops/swarm-operator', holder: 'pod-1', namespaces: 'all' }],
      kinds: () => kinds,
      undelivered: () => undelivered,
      build,
    },
    '127.0.0.1',
  );
  closing.push(served.close);
  const answer = await fetch(`http://127.0.0.1:${served.port}${path}`);
  return { status: answer.status, body: await answer.json() };
}

const names = Array.from({ length: 30 }, (_, index) => `ConfigMap n/${index}`);

it('the operator reports a few outdated objects, and is alive and ready all the same', async () => {
  expect(await ask('/internal/health', names)).toMatchObject({
    status: 200,
    body: { status: 'degraded', outdated: { count: 30, first: names.slice(0, 10) } },
  });
  expect(await ask('/healthz', names)).toEqual({ status: 200, body: { status: 'ok' } });
  expect(await ask('/readyz', names)).toMatchObject({ status: 200, body: { status: 'ok' } });
});

it('the health of the operator is ok where no object is outdated', async () => {
  expect(await ask('/internal/health', [])).toMatchObject({
    status: 200,
    body: { status: 'ok', outdated: { count: 0, first: [] } },
  });
});

it('the operator names the first namespaces that it cannot read, and is ready all the same', async () => {
  const unreadable = Array.from({ length: 30 }, (_, index) => ({
    namespace: `team-${index}`,
    reason: 'Forbidden' as const,
    message: 'pods is forbidden',
  }));
  const { status, body } = await ask('/readyz', [], undefined, [
    { kind: 'SwarmPool', state: 'On', unreadable },
  ]);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    kinds: [
      { kind: 'SwarmPool', state: 'On', unreadable: { count: 30, first: unreadable.slice(0, 10) } },
    ],
  });
});

it('a standby says in its health why it does not lead, and which operators it knows', async () => {
  const reason = 'another operator leads: pod-1 (Lease ops/swarm-operator, namespaces: all)';
  const operators = [{ lease: 'ops/swarm-operator', holder: 'pod-1', namespaces: 'all' }];
  for (const path of ['/readyz', '/internal/health'])
    expect(await ask(path, [], { isLeading: false, reason })).toMatchObject({
      status: 200,
      body: { leading: false, standby: reason, operators },
    });
});

it('a leader has no reason to stand by in its health', async () => {
  expect((await ask('/readyz', [])).body).not.toHaveProperty('standby');
});
