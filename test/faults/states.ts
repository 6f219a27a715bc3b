// What is happening to a pool when the fault is injected? Each state begins with a pool at rest (or
// none), and names the state that it must reach.
import { kinds } from '../../src/api/kinds.ts';
import { names } from '../integration/support/shape.ts';
import { eventually } from '../support/processes.ts';
import type { Cell } from './cell.ts';
import type { Goal } from './checks.ts';

export type State = {
  readonly workers: number;
  /** The state begins without a pool. */
  readonly isFromNothing?: boolean;
  /** Merged into the pool's spec. */
  readonly spec?: object;
  readonly act: (cell: Cell) => Promise<Goal>;
};

export const base = names(6);

const rolled = (text: string): object => ({
  spec: { template: { metadata: { annotations: { rolled: text } } } },
});

const uidOf = async (cell: Cell, name: string): Promise<string | undefined> =>
  (await cell.pool.pods()).find(({ metadata }) => metadata.name === name)?.metadata.uid;

async function create(cell: Cell): Promise<Goal> {
  await cell.create({ streams: base, workers: 2 });
  return { streams: base, workers: 2, kept: base };
}

/** Worker 0 loses all its streams, so that worker 1 has to give it some of its own. */
async function changeStreams(cell: Cell): Promise<Goal> {
  const streams = [...base.slice(3), 'new'];
  await cell.pool.streams(streams);
  return { streams, workers: 2, kept: base.slice(3) };
}

async function editStream(cell: Cell): Promise<Goal> {
  await cell.pool.edit({
    streams: base.map((name) =>
      name === 's0' ? { name, parameters: { QUALITY: 'high' } } : { name },
    ),
  });
  return { streams: base, workers: 2, kept: base };
}

const scaleTo =
  (workers: number) =>
  async (cell: Cell): Promise<Goal> => {
    await cell.pool.scale(workers);
    return { streams: base, workers, kept: base };
  };

async function toNothingAndBack(cell: Cell): Promise<Goal> {
  await cell.pool.scale(0);
  await eventually('the pods are gone', async () => (await cell.pool.pods()).length === 0);
  await cell.pool.scale(2);
  return { streams: base, workers: 2, kept: [] };
}

async function changeTemplate(cell: Cell): Promise<Goal> {
  const before = await uidOf(cell, 'worker-0');
  await cell.patch('statefulset/worker', rolled('once'));
  await eventually(
    'all pods are new',
    async () => ![undefined, before].includes(await uidOf(cell, 'worker-0')),
    60,
  );
  return { streams: base, workers: 2, kept: base };
}

/** Worker 1 is new when the change is rolled back; worker 0 never was. */
async function rollBack(cell: Cell): Promise<Goal> {
  const before = await uidOf(cell, 'worker-1');
  await cell.patch('statefulset/worker', rolled('once'));
  await eventually(
    'the first pod is new',
    async () => ![undefined, before].includes(await uidOf(cell, 'worker-1')),
    60,
  );
  await cell.patch('statefulset/worker', rolled('back'));
  await cell.pool.streams([...base, 'late']);
  return { streams: [...base, 'late'], workers: 2, kept: base };
}

async function mendInvalid(cell: Cell): Promise<Goal> {
  const place = { namespace: cell.namespace, name: 'list' };
  await cell.swarm.create(kinds.ConfigMap, cell.namespace, 'list', {
    data: { streams: 'good\nbad=heavy\n' },
  });
  await cell.pool.edit({ streamsFrom: [{ configMapKeyRef: { name: 'list', key: 'streams' } }] });
  await cell.pool.scale(3);
  await eventually('there is a third pod', async () => (await cell.pool.pods()).length === 3);
  await cell.swarm.api.patch(kinds.ConfigMap, place, {
    type: 'merge',
    body: { data: { streams: 'good\nmended=0\n' } },
  });
  return { streams: [...base, 'good', 'mended'], workers: 3, kept: base };
}

async function editTwice(cell: Cell): Promise<Goal> {
  await Promise.all([cell.pool.streams([...base.slice(1), 'first']), cell.pool.scale(3)]);
  const streams = ['second', ...base.slice(1, 5)];
  await cell.pool.streams(streams);
  return { streams, workers: 3, kept: base.slice(1, 5) };
}

async function recreate(cell: Cell): Promise<Goal> {
  const { spec } = await cell.swarm.api.get(kinds.SwarmPool, {
    namespace: cell.namespace,
    name: 'tv',
  });
  await cell.kubectl('delete', 'swarmpool/tv');
  const streams = [...base.slice(1), 'anew'];
  const object = { ...(spec as object), streams: streams.map((name) => ({ name })) };
  await cell.swarm.create(kinds.SwarmPool, cell.namespace, 'tv', { spec: object });
  return { streams, workers: 2, kept: base.slice(1) };
}

export const states = {
  create: { workers: 0, isFromNothing: true, act: create },
  'streams changed': { workers: 2, act: changeStreams },
  'stream edited': { workers: 2, act: editStream },
  'scale up': { workers: 2, act: scaleTo(4) },
  'scale down': { workers: 3, act: scaleTo(1) },
  'to 0 and back': { workers: 2, act: toNothingAndBack },
  'template change': { workers: 2, act: changeTemplate },
  'rollback in a rollout': { workers: 2, act: rollBack },
  'restarting workers': { workers: 2, spec: { refresh: { mode: 'Restart' } }, act: changeStreams },
  'invalid, then mended': { workers: 2, act: mendInvalid },
  'two edits at once': { workers: 2, act: editTwice },
  'deleted and re-created': { workers: 2, act: recreate },
} as const satisfies Readonly<Record<string, State>>;

export type StateName = keyof typeof states;
