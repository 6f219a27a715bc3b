// How is a cell of jobs run, and what must hold?
import { kinds } from '../../../src/api/kinds.ts';
import { hasEnded } from '../../support/pod-witness.ts';
import { Figures } from '../figures.ts';
import type { Arena } from '../operated-namespace.ts';
import { playIn } from '../play.ts';
import { untilQuiet } from '../quiet.ts';
import { JobCell } from './job-cell.ts';
import { type JobCellRow, jobNamespaceOf } from './job-cells.ts';

const FAULT_SECONDS = 180;

/** Writes by the operators until all jobs have ended. */
export const jobFigures = new Figures('writes');

export function playJob(arena: Arena, row: JobCellRow): Promise<void> {
  const { replicas, quota, inject, settle } = row.fault;
  const cell = new JobCell(arena, jobNamespaceOf(row), quota);
  return playIn(cell, FAULT_SECONDS, async (within) => {
    await cell.createNamespace();
    for (const options of replicas) await cell.addReplica(options);
    await cell.createQueue();
    const askedAt = performance.now();
    await within(inject(cell));
    const overAt = performance.now();
    await settle(cell);
    const settledAt = performance.now();
    jobFigures.note(row.id, overAt - askedAt, settledAt - overAt, cell.writes().length);
    await untilQuiet(cell);
    await check(cell);
  });
}

/** All jobs have ended, or are gone. */
async function check(cell: JobCell): Promise<void> {
  const entries = (await cell.ledger())?.entries ?? [];
  const { usage, running, held } = Object(await cell.status(kinds.SwarmQueue, 'batch'));
  const living = (await cell.pods()).filter((pod) => !hasEnded(pod));
  const isFree = usage?.pods === '0' && running === 0 && held === undefined;
  const problems = [
    ...(await cell.witnessed()),
    ...entries.map(({ name }) => `${name} has ended, and is still in the ledger`),
    ...(isFree ? [] : [`the queue has ${JSON.stringify({ usage, running, held })}`]),
    ...living.map(({ metadata }) => `pod ${metadata.name} has not ended`),
    ...(await leftOver(cell)),
    ...cell.replicas.flatMap((replica) => replica.complaints()),
  ];
  if (problems.length > 0) throw new Error(`${cell.namespace}:\n  ${problems.join('\n  ')}`);
}

/** What was made for a job that is gone. */
async function leftOver({ swarm: { api }, namespace }: JobCell): Promise<readonly string[]> {
  const made = [kinds.Job, kinds.Service, kinds.ConfigMap, kinds.Pod];
  const lists = await Promise.all(
    [kinds.SwarmJob, ...made].map((kind) => api.list(kind, namespace)),
  );
  const objects = lists.flatMap(({ items }) => items);
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  return objects
    .filter(({ metadata: { ownerReferences = [] } }) =>
      ownerReferences.some((owner) => !uids.has(owner.uid)),
    )
    .map(({ kind, metadata }) => `the owner of ${kind} ${metadata.name} is gone`);
}
