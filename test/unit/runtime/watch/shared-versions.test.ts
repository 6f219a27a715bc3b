// Do hundreds of watches that break together ask for the version of etcd a few times only?
import { expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { SharedVersions } from '../../../../src/runtime/watch/shared-versions.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

function setUp() {
  const clock = new VirtualClock();
  const versions = new SharedVersions(clock);
  const asked: { readonly by: string; readonly answer: (version: string | Error) => void }[] = [];
  const told: string[] = [];
  const ask = (by: string, kind = kinds.Pod): void => {
    const answered = versions.of(kind, () => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const answer = (version: string | Error): void =>
        version instanceof Error ? reject(version) : resolve(version);
      asked.push({ by, answer });
      return promise;
    });
    void answered.then(
      (version) => told.push(`${by} ${version}`),
      (error: unknown) => told.push(`${by} ${String(error)}`),
    );
  };
  const answer = async (index: number, version: string | Error): Promise<void> => {
    asked[index]?.answer(version);
    await clock.advance(0);
  };
  const names = () => asked.map(({ by }) => by);
  return { clock, told, ask, answer, names };
}

it('those who ask while an answer is under way share the next one, which is asked after them', async () => {
  const { clock, told, ask, answer, names } = setUp();
  ask('a');
  await clock.advance(0);
  for (const name of ['b', 'c', 'd']) ask(name);
  await clock.advance(0);
  expect(names()).toEqual(['a']);
  await answer(0, '5');
  expect(names()).toEqual(['a', 'b']);
  ask('e');
  await answer(1, '7');
  expect(told).toEqual(['a 5', 'b 7', 'c 7', 'd 7']);
  expect(names()).toEqual(['a', 'b', 'e']);
});

it('each kind is asked for by itself', async () => {
  const { clock, ask, names } = setUp();
  ask('a');
  ask('b', kinds.Job);
  await clock.advance(0);
  expect(names()).toEqual(['a', 'b']);
});

it('where the shared question fails, each of the others asks by itself', async () => {
  const { clock, told, ask, answer, names } = setUp();
  for (const name of ['a', 'b', 'c']) ask(name);
  await clock.advance(0);
  expect(names()).toEqual(['a']);
  await answer(0, new Error('may not'));
  expect(told).toEqual(['a Error: may not']);
  expect(names()).toEqual(['a', 'b', 'c']);
  await answer(1, '8');
  await answer(2, '8');
  expect(told.slice(1)).toEqual(['b 8', 'c 8']);
});

it('a namespace that does not answer delays the others by a second', async () => {
  const { clock, ask, names } = setUp();
  ask('slow');
  await clock.advance(0);
  ask('b');
  await clock.advance(999);
  expect(names()).toEqual(['slow']);
  await clock.advance(1);
  expect(names()).toEqual(['slow', 'b']);
});
