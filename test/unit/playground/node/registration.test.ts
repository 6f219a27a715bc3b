// Registration at a control plane that does not answer at once.
import { expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { Registration } from '../../../../src/playground/node/registration.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const identity = { name: 'node-1', hostIP: '127.0.0.1', kubeletPort: 1, maxPods: 10, labels: {} };

function registering(refusal: (passedMs: number) => KubeError | undefined): {
  clock: VirtualClock;
  api: MemoryApi;
  done: Promise<void>;
} {
  const clock = new VirtualClock();
  const before = (): void => {
    const error = refusal(clock.monotonic());
    if (error !== undefined) throw error;
  };
  const api = new MemoryApi(clock, undefined, { before });
  return { clock, api, done: new Registration({ api }, identity, clock).register() };
}

it('a node registers as soon as the API server answers', async () => {
  const { clock, api, done } = registering((passed) =>
    passed < 20_000 ? new KubeError('Unreachable', 'nobody answers') : undefined,
  );
  await clock.advance(21_000);
  await done;
  expect(
    api.store.all({ kind: kinds.Node, namespace: undefined }).map(({ metadata }) => metadata.name),
  ).toEqual(['node-1']);
});

it.each([
  ['Registration > fails at once on a terminal error', 'Forbidden', 0],
  ['Registration > fails after a minute of retries', 'Timeout', 62_000],
] as const)("a node's registration %s", async (_, code, afterMs) => {
  const { clock, done } = registering(() => new KubeError(code, 'no'));
  const told = expect(done).rejects.toMatchObject({ code });
  await clock.advance(afterMs);
  await told;
});
