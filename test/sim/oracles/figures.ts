// Does a status claim more than is true? Compares the numbers and states of one status with what
// its writer saw and with what is published.
import { asList, asNumber, asString, dig } from '../../../src/api/objects.ts';
import type { Pod } from '../../../src/api/observed.ts';
import type { Heard, Look } from './knowledge.ts';

export type StatusWorker = {
  readonly name: string;
  readonly jobs: readonly string[];
  readonly version: number;
  readonly state: string;
};

export const workersIn = (status: unknown): readonly StatusWorker[] =>
  asList(dig(status, 'workers')).map((it) => ({
    name: asString(dig(it, 'name')) ?? '',
    jobs: asList(dig(it, 'jobs')).map(String),
    version: asNumber(dig(it, 'version')) ?? 0,
    state: asString(dig(it, 'state')) ?? '',
  }));

/**
 * Pods of the targets and of earlier targets: a pod that an earlier set of the same name created is
 * the pool's worker until it is gone.
 */
const podsIn = ({ world }: Look): readonly Pod[] => [...world.pods, ...world.formerPods];

export const podOf = (look: Look, name: string): Pod | undefined =>
  podsIn(look).find((pod) => pod.name === name);

/** Did the worker report lately that it runs just these streams? */
export function isReportedBy(said: readonly Heard[], { jobs, version }: StatusWorker): boolean {
  const wanted = [...jobs].sort().join();
  return said.some(
    ({ report }) =>
      report !== undefined &&
      report.version >= version &&
      [...(report.jobs ?? [])].sort().join() === wanted,
  );
}

export type Figures = {
  readonly status: unknown;
  /** The decision that this status belongs to, where that is known. */
  readonly look: Look | undefined;
  /**
   * How many streams the publication named when the status was decided; undefined where that is not
   * checked.
   */
  readonly named: number | undefined;
  /**
   * In the list of the generation that the status observed; undefined where the streams are listed
   * elsewhere.
   */
  readonly streams: number | undefined;
  readonly isAsked: boolean;
  readonly reportsOf: (worker: StatusWorker) => readonly Heard[];
};

/** With these reasons the list cannot be used as it is. */
const COMPLAINTS: ReadonlySet<string> = new Set([
  'InvalidStreams',
  'StreamsNotFound',
  'LargeRemoval',
]);

/** Empty when no figure claims too much. */
export function overstatements({
  status,
  look,
  named,
  streams,
  isAsked,
  reportsOf,
}: Figures): readonly string[] {
  const problems: string[] = [];
  const no = (text: string): void => void problems.push(text);
  const number = (...path: readonly string[]): number | undefined => asNumber(dig(status, ...path));
  const workers = workersIn(status);
  const version = number('version') ?? 0;
  const listed = asList(dig(status, 'history')).map((it) => asNumber(dig(it, 'version')) ?? 0);
  const highest = Math.max(0, ...listed);
  if (highest > version) no(`history lists version ${highest}, status.version is ${version}`);

  const total = number('streams', 'total');
  const assigned = number('streams', 'assigned') ?? 0;
  const unassigned = number('streams', 'unassigned') ?? 0;
  // A stream that moves from one worker to another is neither.
  if (total !== undefined && assigned + unassigned > total)
    no(`${assigned} streams assigned and ${unassigned} unassigned are more than ${total}`);
  const isComplaint = asList(dig(status, 'conditions')).some((it) =>
    COMPLAINTS.has(asString(dig(it, 'reason')) ?? ''),
  );
  if (streams !== undefined && total !== undefined && !isComplaint && total !== streams)
    no(`streams.total is ${total}, generation ${number('observedGeneration')} lists ${streams}`);
  if (named !== undefined && assigned > named)
    no(`status counts ${assigned} assigned streams, ${named} are published`);

  const converged = workers.filter(({ state }) => state === 'Converged' || state === 'Cordoned');
  const replicas = number('replicas') ?? 0;
  const confirmed = number('convergedReplicas') ?? 0;
  if (confirmed > converged.length)
    no(`convergedReplicas is ${confirmed}, ${converged.length} workers are Converged`);
  if (confirmed > replicas) no(`convergedReplicas is ${confirmed} of ${replicas}`);
  if (look !== undefined) {
    const { targets } = look.world;
    const pods = podsIn(look);
    const desired = targets.reduce((sum, target) => sum + target.replicas, 0);
    if (replicas !== 0 && replicas !== desired)
      no(`replicas is ${replicas}, the targets desire ${desired}`);
    const ready = pods.filter(({ isReady }) => isReady).length;
    const told = number('readyReplicas') ?? 0;
    if (told > ready) no(`readyReplicas is ${told}, ${ready} pods are Ready`);
    for (const { name, jobs, state } of converged) {
      const pod = podOf(look, name);
      const why =
        pod === undefined
          ? 'has no pod'
          : pod.hasEnded
            ? 'has ended'
            : pod.isTerminating && jobs.length > 0
              ? 'is terminating'
              : '';
      if (why !== '') no(`${name} ${why}, and status says ${state}`);
    }
  }
  if (isAsked)
    for (const worker of converged)
      if (!isReportedBy(reportsOf(worker), worker))
        no(
          `status says ${worker.name} is ${worker.state} with ${worker.jobs.join()}, which it did not report last`,
        );
  return problems;
}
