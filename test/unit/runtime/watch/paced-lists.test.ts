// Do the lists of many namespaces take turns, and does a slow namespace delay no other?
import { expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { Listing } from '../../../../src/runtime/client/api.ts';
import { pacedLists } from '../../../../src/runtime/watch/paced-lists.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

function setUp() {
  const clock = new VirtualClock();
  const waiting: { readonly namespace: string; readonly answer: () => void }[] = [];
  class SlowApi extends MemoryApi {
    override async list(_: unknown, namespace = ''): Promise<Listing> {
      await new Promise<void>((answer) => waiting.push({ namespace, answer }));
      return { items: [], resourceVersion: '1' };
    }
  }
  const stopping = new AbortController();
  const api = pacedLists(new SlowApi(clock), stopping.signal, clock);
  const settled: string[] = [];
  const list = (namespace: string): void =>
    void api.list(kinds.Pod, namespace).then(
      () => settled.push(namespace),
      (error: unknown) => settled.push(String(error)),
    );
  const answer = async (namespace: string): Promise<void> => {
    const index = waiting.findIndex((it) => it.namespace === namespace);
    waiting.splice(index, 1)[0]?.answer();
    await clock.advance(0);
  };
  return { clock, waiting, stopping, settled, list, answer };
}

const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `team-${index}`);

it('sixteen lists are under way at a time, and the next begins when one is answered', async () => {
  const { clock, waiting, list, answer } = setUp();
  for (const name of names(50)) list(name);
  await clock.advance(0);
  expect(waiting.map(({ namespace }) => namespace)).toEqual(names(16));
  await answer('team-3');
  expect(waiting.at(-1)?.namespace).toBe('team-16');
  expect(waiting).toHaveLength(16);
});

it('a namespace that answers no list delays no other', async () => {
  const { clock, settled, list, answer } = setUp();
  for (let count = 0; count < 20; count += 1) list('slow');
  list('quick');
  await clock.advance(0);
  await answer('quick');
  expect(settled).toEqual(['quick']);
});

it('a list that waits ends when the operator stops', async () => {
  const { clock, settled, stopping, list } = setUp();
  for (let count = 0; count < 2; count += 1) list('slow');
  await clock.advance(0);
  stopping.abort();
  await clock.advance(0);
  expect(settled).toEqual(['Error: the operator stops']);
});
