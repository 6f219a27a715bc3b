// Does every stream run exactly once, do the weights hold, and does the pool say so too? Judged by
// what the workers themselves answer.
import { listed } from '../../core/meta.ts';
import type { Observation, WorkerObservation } from '../cluster/observation.ts';
import { ofShares, type ShareFinding } from './shares.ts';

export type Expected = { readonly streams: readonly string[]; readonly workers: number };

export type Finding =
  | { readonly what: 'Missing'; readonly stream: string }
  | { readonly what: 'Doubled'; readonly stream: string; readonly workers: readonly string[] }
  | { readonly what: 'Foreign'; readonly stream: string; readonly worker: string }
  | { readonly what: 'Unready'; readonly worker: string; readonly reason: string | undefined }
  | { readonly what: 'Silent'; readonly worker: string; readonly reason: string }
  | {
      readonly what: 'Unconfirmed';
      readonly worker: string;
      readonly assigned: number;
      readonly confirmed: number;
    }
  | ShareFinding
  | { readonly what: 'Other'; readonly message: string };

/** Empty: all is as it should be. */
export function verify(sight: Observation | undefined, expected: Expected): readonly Finding[] {
  if (sight === undefined) return [other('the pool is not there')];
  return [
    ...ofStreams(sight.workers, expected.streams),
    ...sight.workers.flatMap(ofWorker),
    ...ofShares(sight),
    ...ofPool(sight, expected),
  ];
}

function ofStreams(
  workers: readonly WorkerObservation[],
  wanted: readonly string[],
): readonly Finding[] {
  const owners = ownersOf(workers);
  const list = new Set(wanted);
  const missing = wanted
    .filter((stream) => !owners.has(stream))
    .map((stream): Finding => ({ what: 'Missing', stream }));
  const doubled = [...owners]
    .filter(([, names]) => names.length > 1)
    .map(([stream, names]): Finding => ({ what: 'Doubled', stream, workers: names }));
  const foreign = [...owners]
    .filter(([stream]) => !list.has(stream))
    .flatMap(([stream, names]) =>
      names.map((worker): Finding => ({ what: 'Foreign', stream, worker })),
    );
  return [...missing, ...doubled, ...foreign];
}

/** Who runs each stream; a worker that names one twice stands there twice. */
export function ownersOf(
  workers: readonly WorkerObservation[],
): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, readonly string[]>();
  for (const { name, told } of workers) {
    for (const stream of told.ok ? told.streams : [])
      owners.set(stream, [...(owners.get(stream) ?? []), name]);
  }
  return owners;
}

function ofWorker({ name, told, slice, pod }: WorkerObservation): readonly Finding[] {
  if (pod?.isReady !== true)
    return [
      { what: 'Unready', worker: name, reason: pod === undefined ? 'it has no pod' : pod.trouble },
    ];
  if (!told.ok) return [{ what: 'Silent', worker: name, reason: told.reason }];
  const assigned = slice?.version ?? 0;
  return told.version < assigned
    ? [{ what: 'Unconfirmed', worker: name, assigned, confirmed: told.version }]
    : [];
}

function ofPool(
  { status, generation, workers }: Observation,
  expected: Expected,
): readonly Finding[] {
  const condition = status?.conditions?.find(({ type }) => type === 'Converged');
  if (status === undefined || condition === undefined)
    return [other('the operator has not said anything about the pool yet')];
  const pods = workers.filter(({ pod }) => pod !== undefined);
  return [
    ...((condition.observedGeneration ?? 0) < generation
      ? [other(`the operator has not seen generation ${generation} of the pool yet`)]
      : []),
    ...(condition.status === 'True'
      ? []
      : [other(`Converged is ${condition.status} (${condition.reason}): ${condition.message}`)]),
    ...(status.replicas === expected.workers
      ? []
      : [other(`the pool counts ${status.replicas ?? 0} workers, not ${expected.workers}`)]),
    ...(pods.length === expected.workers
      ? []
      : [other(`pods: ${pods.length} instead of ${expected.workers}`)]),
    ...(status.streams?.assigned === expected.streams.length
      ? []
      : [
          other(
            `the pool counts ${status.streams?.assigned ?? 0} assigned streams, not ${expected.streams.length}`,
          ),
        ]),
  ];
}

export const other = (message: string): Finding => ({ what: 'Other', message });

const titles: Readonly<Record<Exclude<Finding['what'], 'Other'>, string>> = {
  Missing: 'run by nobody',
  Doubled: 'run more than once',
  Foreign: 'run, but not on the list',
  Unready: 'not Ready',
  Silent: 'not answering',
  Unconfirmed: 'version not confirmed',
  Overloaded: 'carrying too much',
  Crowded: 'not alone at its worker',
};

/** One line for each kind of trouble. */
export function describe(findings: readonly Finding[]): readonly string[] {
  const grouped = Object.entries(titles).flatMap(([what, title]) => {
    const texts = findings.filter((finding) => finding.what === what).map(textOf);
    return texts.length === 0 ? [] : [`${title} (${texts.length}): ${listed(texts, 8)}`];
  });
  return [...grouped, ...findings.filter(({ what }) => what === 'Other').map(textOf)];
}

function textOf(finding: Finding): string {
  switch (finding.what) {
    case 'Missing':
      return finding.stream;
    case 'Doubled':
      return `${finding.stream} (${finding.workers.join(', ')})`;
    case 'Foreign':
      return `${finding.stream} (${finding.worker})`;
    case 'Unready':
      return finding.reason === undefined ? finding.worker : `${finding.worker}: ${finding.reason}`;
    case 'Silent':
      return `${finding.worker}: ${finding.reason}`;
    case 'Unconfirmed':
      return `${finding.worker} (has ${finding.confirmed}, was assigned ${finding.assigned})`;
    case 'Overloaded':
      return `${finding.worker} (${finding.load} of ${finding.capacity})`;
    case 'Crowded':
      return `${finding.stream} (${finding.worker}, with ${finding.others} more)`;
    case 'Other':
      return finding.message;
    default:
      return finding satisfies never;
  }
}
