// Which names does a shell get of a cluster, and what of one that does not answer?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { complete } from '../../../src/cli/complete.ts';
import { FakeCluster, metadata } from './fake-cluster.ts';

const streams = ['cars', 'cars:new', 'cnbc'].map((name) => ({ name }));
const workers = { targetRef: { name: 'worker' } };
const cluster = new FakeCluster({
  swarmpools: [{ metadata: metadata('tv'), spec: { workers, streams } }],
  swarmjobs: [{ metadata: metadata('lammps') }],
  swarmqueues: [{ metadata: metadata('batch') }],
  namespaces: [{ metadata: metadata('swarm') }],
});
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());

/** Modules are loaded slowly here. */
const LONG_MS = 60_000;

const completed = (words: readonly string[], timeoutMs = LONG_MS): Promise<string> => {
  // A name of two words stays together.
  const count = words[0] === 'job' ? 2 : 1;
  const [command, rest] = [words.slice(0, count), words.slice(count)];
  return complete([...command, '--kubeconfig', cluster.kubeconfig, ...rest], timeoutMs);
};

describe('a shell is offered', () => {
  it.each<[what: string, words: readonly string[], names: string]>([
    ['pools', ['status', ''], 'tv'],
    ['pools that begin so', ['status', 'x'], ''],
    ['pools of a namespace', ['status', '-n', 'other', ''], ''],
    ['streams of a pool', ['explain', 'tv', 'car'], 'cars\ncars:new'],
    ['streams to remove', ['plan', 'tv', '--remove', 'cn'], 'cnbc'],
    ['no streams of a pool that is not there', ['logs', 'none', ''], ''],
    ['jobs', ['job', 'why', ''], 'lammps'],
    ['queues', ['job', 'run', '-q', ''], 'batch'],
    ['namespaces', ['top', '-n', ''], 'swarm'],
  ])('a shell is offered %s, and no files', async (_, words, names) =>
    expect(await completed(words)).toBe(`${names === '' ? '' : `${names}\n`}:4\n`),
  );
});

it('a shell is offered nothing without a cluster, or when it does not answer in time', async () => {
  expect(await complete(['status', '--kubeconfig', '/none', ''])).toBe(':4\n');
  cluster.isSilent = true;
  expect(await completed(['status', ''], 100)).toBe(':4\n');
});
