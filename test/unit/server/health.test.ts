// What does the operator say of itself, and does it stay alive whatever it says?
import { afterEach, expect, it } from '@jest/globals';
import { serveHealth } from '../../../src/server/health.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function ask(path: string, outdated: readonly string[]) {
  const build = { version: '1', commit: 'c', date: 'd' };
  const served = await serveHealth(
    0,
    {
      isSynced: () => true,
      isLeading: () => true,
      kinds: () => [],
      outdated: () => outdated,
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
