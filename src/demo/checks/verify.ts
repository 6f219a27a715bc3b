// Does every stream run exactly once, do the weights hold, and does the pool's status agree? By
// the answers of the workers themselves.
import { listed } from '../../core/text.ts';
import { type Observation, streamsOf, type WorkerObservation } from '../cluster/observation.ts';
import { crowded, overloaded } from './shares.ts';

export type Expected = { readonly streams: readonly string[]; readonly workers: number };

const titles = {
  Missing: 'running on no worker',
  Doubled: 'running more than once',
  Foreign: 'running, but not in the list',
  Unready: 'not Ready',
  Silent: 'not answering',
  Unconfirmed: 'version not confirmed',
  Overloaded: 'over capacity',
  Crowded: 'not alone on its worker',
} as const;

export type Finding = { readonly what: keyof typeof titles | 'Other'; readonly text: string };

const finding =
  (what: Finding['what']) =>
  (text: string): Finding => ({ what, text });

export const other = finding('Other');

/** Empty: all is verified. */
export function verify(observed: Observation | undefined, expected: Expected): readonly Finding[] {
  if (observed === undefined) return [other('the pool does not exist')];
  return [
    ...ofStreams(observed.workers, expected.streams),
    ...observed.workers.flatMap(ofWorker),
    ...overloaded(observed).map(finding('Overloaded')),
    ...crowded(observed).map(finding('Crowded')),
    ...ofPool(observed, expected).map(other),
  ];
}

function ofStreams(
  workers: readonly WorkerObservation[],
  wanted: readonly string[],
): readonly Finding[] {
  const runners = workersByStream(workers);
  const list = new Set(wanted);
  const doubled = [...runners].filter(([, names]) => names.length > 1);
  const foreign = [...runners].filter(([stream]) => !list.has(stream));
  return [
    ...wanted.filter((stream) => !runners.has(stream)).map(finding('Missing')),
    ...doubled.map(([stream, names]) => `${stream} (${names.join(', ')})`).map(finding('Doubled')),
    ...foreign
      .flatMap(([stream, names]) => names.map((name) => `${stream} (${name})`))
      .map(finding('Foreign')),
  ];
}

/** A worker that names a stream twice is there twice. */
export function workersByStream(
  workers: readonly WorkerObservation[],
): ReadonlyMap<string, readonly string[]> {
  const runs = workers.flatMap((worker) =>
    streamsOf(worker).map((stream) => ({ stream, name: worker.name })),
  );
  const byStream = Map.groupBy(runs, ({ stream }) => stream);
  return new Map([...byStream].map(([stream, of]) => [stream, of.map(({ name }) => name)]));
}

function ofWorker({ name, answer, slice, pod }: WorkerObservation): readonly Finding[] {
  const about = (reason: string | undefined): string =>
    reason === undefined ? name : `${name}: ${reason}`;
  if (pod?.isReady !== true)
    return [finding('Unready')(about(pod === undefined ? 'it has no pod' : pod.trouble))];
  if (!answer.ok) return [finding('Silent')(about(answer.reason))];
  const assigned = slice?.version ?? 0;
  return answer.version < assigned
    ? [finding('Unconfirmed')(`${name} (reports ${answer.version}, was assigned ${assigned})`)]
    : [];
}

function ofPool(
  { status, generation, workers }: Observation,
  expected: Expected,
): readonly string[] {
  const condition = status?.conditions?.find(({ type }) => type === 'Converged');
  if (status === undefined || condition === undefined)
    return ['the operator has not written the status of the pool yet'];
  const { replicas = 0, streams: { assigned = 0 } = {} } = status;
  const pods = workers.filter(({ pod }) => pod !== undefined).length;
  const streams = expected.streams.length;
  const { status: isConverged, reason, message, observedGeneration = 0 } = condition;
  const rows: readonly (readonly [isWrong: boolean, text: string])[] = [
    [
      observedGeneration < generation,
      `the operator has not reconciled generation ${generation} of the pool yet`,
    ],
    [isConverged !== 'True', `Converged is ${isConverged} (${reason}): ${message}`],
    [
      replicas !== expected.workers,
      `the pool's status has ${replicas} workers instead of ${expected.workers}`,
    ],
    [pods !== expected.workers, `${pods} pods instead of ${expected.workers}`],
    [
      assigned !== streams,
      `the pool's status has ${assigned} assigned streams instead of ${streams}`,
    ],
  ];
  return rows.flatMap(([isWrong, text]) => (isWrong ? [text] : []));
}

/** One line for each kind of trouble. */
export function describe(findings: readonly Finding[]): readonly string[] {
  const textsOf = (what: string): readonly string[] =>
    findings.filter((it) => it.what === what).map(({ text }) => text);
  const grouped = Object.entries(titles).flatMap(([what, title]) => {
    const texts = textsOf(what);
    return texts.length === 0 ? [] : [`${title} (${texts.length}): ${listed(texts, 8)}`];
  });
  return [...grouped, ...textsOf('Other')];
}
