// What is each worker asked to run, and does its slice ask for that already?
import { digestOf, type Slice, type SlicePolicy } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import { isSameJson } from '../../core/json.ts';
import { eachOf, type Work } from '../../core/work.ts';
import type { LastKeeping } from '../assign/keep.ts';
import type { Validated } from '../preconditions.ts';
import type { Completed } from '../streams/outcomes.ts';
import { ANNOTATION_RESTART, readRestarts, restartsOf } from '../streams/restarts.ts';
import type { Stream, StreamsByWorker } from '../streams/streams.ts';
import type { PoolWorker } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';

/** What is to be published, and what it continues from. */
export type PublishInput = {
  readonly world: Pick<PoolWorld, 'pool' | 'published' | 'highestSeen'>;
  readonly checked: Pick<Validated, 'spec' | 'streams'>;
  readonly workers: readonly PoolWorker[];
  /** The list, with streams that are completed. */
  readonly listed: readonly Stream[];
  /** Of `checked.streams`; `jobs` lacks the streams that another worker has to release first. */
  readonly placing: LastKeeping;
  /** By worker: streams that it is to run. */
  readonly jobs: StreamsByWorker;
  /** By worker: streams taken away that may still run there. */
  readonly releasing: StreamsByWorker;
  /** By worker: suspended streams, which keep their worker and do not run. */
  readonly suspended: StreamsByWorker;
  /** Streams that are done: they are recorded. */
  readonly completed: Completed;
  /** By stream that failed at a worker and left it, as the last publication records. */
  readonly movedBefore: ReadonlyMap<string, string>;
  /** The highest version that the API server, a pod or a worker has reported; the next is above. */
  readonly floor: number;
};

type Slices = {
  readonly slices: ReadonlyMap<string, Slice>;
  /** No worker is asked for anything new, but to start streams again. */
  readonly isRestartAtMost: boolean;
};

/**
 * Of every desired or living worker. `presentOf`: its slice that may stay. One that asks for the
 * same stays: the same object, with its version.
 */
export function* slicesOf(
  input: PublishInput,
  version: number,
  presentOf: (worker: PoolWorker) => Slice | undefined,
): Work<Slices> {
  const { workers } = input;
  const maker = new SliceMaker(input, version);
  const staying = new Map<string, Slice>();
  const changing: PoolWorker[] = [];
  for (const worker of workers) {
    const slice = presentOf(worker);
    if (slice !== undefined && maker.isMadeFor(worker, slice)) staying.set(worker.name, slice);
    else changing.push(worker);
  }
  if (changing.length === 0) return { slices: staying, isRestartAtMost: true };
  yield* maker.readStreamsOf(changing);
  const slices = new Map<string, Slice>();
  let isRestartAtMost = true;
  for (const worker of workers) {
    const { name } = worker;
    const stays = staying.get(name);
    if (stays !== undefined) {
      slices.set(name, stays);
      continue;
    }
    const before = presentOf(worker);
    const slice = maker.sliceOf(worker);
    const isSame = before !== undefined && asksTheSame(before, slice);
    const stillStays = isSame && isSameRecord(before.restarts, slice.restarts);
    slices.set(name, stillStays ? maker.note(worker, before) : slice);
    isRestartAtMost &&= isSame;
    yield;
  }
  return { slices, isRestartAtMost };
}

/** Lists that a slice was made of. */
type MadeOf = { readonly given: readonly string[]; readonly suspended: readonly string[] };

/**
 * An assignment gives a worker the same list again only while each stream in it is the same object:
 * so the same lists ask for nothing new.
 */
const madeOf = new WeakMap<Slice, MadeOf>();

/** The slice asks its worker to run just these streams. False: not known. */
export const asksFor = (slice: Slice, list: readonly string[]): boolean =>
  slice.jobs === list || madeOf.get(slice)?.given === list;

const none: readonly string[] = [];

class SliceMaker {
  readonly #input: PublishInput;
  readonly #version: number;
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #policy: SlicePolicy;
  /** Workers that keep a stream in spite of a mistake, with another weight than in the list. */
  readonly #keeping: ReadonlySet<string>;
  /** By name: those that take more in a slice than their name. */
  #special: ReadonlyMap<string, Stream> = new Map();

  constructor(input: PublishInput, version: number) {
    const { world, checked, placing } = input;
    const { maxRestarts, completion } = checked.spec.streamPolicy;
    this.#input = input;
    this.#version = version;
    this.#tokens = readRestarts(world.pool.meta.annotations[ANNOTATION_RESTART]).tokens;
    this.#policy = {
      ...(maxRestarts !== undefined && { maxRestarts }),
      ...(completion === 'Once' && { completion }),
    };
    this.#keeping = new Set(placing.result.kept.map(({ worker }) => worker));
  }

  #listsOf({ name }: PoolWorker): MadeOf {
    const { jobs, suspended } = this.#input;
    return { given: jobs.get(name) ?? none, suspended: suspended.get(name) ?? none };
  }

  /** Nothing that the slice was made of has changed. False: not known. */
  isMadeFor(worker: PoolWorker, slice: Slice): boolean {
    const lists = madeOf.get(slice);
    if (lists === undefined) return false;
    const { jobs, suspended, releasing } = this.#input;
    const given = jobs.get(worker.name) ?? none;
    const { maxRestarts, completion } = slice.policy ?? {};
    return (
      lists.given === given &&
      lists.suspended === (suspended.get(worker.name) ?? none) &&
      (releasing.get(worker.name) ?? none).length === 0 &&
      slice.slot === worker.slot &&
      maxRestarts === this.#policy.maxRestarts &&
      completion === this.#policy.completion &&
      isSameRecord(slice.restarts, restartsOf(this.#tokens, given, worker.before?.restarts))
    );
  }

  /** Also of a slice that was read, if it asks for what this worker is to run. */
  note(worker: PoolWorker, slice: Slice): Slice {
    const { releasing } = this.#input;
    if (!this.#keeping.has(worker.name) && (releasing.get(worker.name) ?? none).length === 0)
      madeOf.set(slice, this.#listsOf(worker));
    return slice;
  }

  /** Before the slices of these workers are made. */
  *readStreamsOf(workers: readonly PoolWorker[]): Work<void> {
    if (workers.length === 0) return;
    const { checked, releasing, placing } = this.#input;
    const names = new Set(workers.map(({ name }) => name));
    const isMeant = placing.input.workers.map(({ name }) => names.has(name));
    // Streams that are released may be wanted anywhere.
    const isAnyReleased = workers.some(({ name }) => (releasing.get(name) ?? none).length > 0);
    const { owner } = placing.result;
    const special = new Map<string, Stream>();
    yield* eachOf(owner, (worker, at) => {
      if (!isAnyReleased && isMeant[worker] !== true) return;
      const stream = checked.streams[at];
      if (stream !== undefined && isSpecial(stream)) special.set(stream.name, stream);
    });
    this.#special = special;
  }

  #specialAmong(names: readonly string[]): readonly Stream[] {
    return this.#special.size === 0 ? [] : names.flatMap((name) => this.#special.get(name) ?? []);
  }

  sliceOf(worker: PoolWorker): Slice {
    const { name, slot, before } = worker;
    const { given, suspended } = this.#listsOf(worker);
    const released = this.#input.releasing.get(name) ?? none;
    const placed = this.#specialAmong(suspended.length === 0 ? given : [...given, ...suspended]);
    // No list says what they are: the publication has to, while another worker gets them.
    const leaving = this.#specialAmong(released).filter(({ isReadBack }) => isReadBack === true);
    const parameters = [...placed, ...leaving].flatMap(({ name: job, parameters: values }) =>
      values === undefined ? [] : [[job, values] as const],
    );
    const weights = [...placed.filter(({ weight }) => weight > 0), ...leaving].map(
      ({ name: job, weight }) => [job, weight] as const,
    );
    const added = [...placed, ...this.#specialAmong(released)].flatMap(({ name: job, isAdded }) =>
      isAdded === true ? [job] : [],
    );
    const restarts = restartsOf(this.#tokens, given, before?.restarts);
    return this.note(worker, {
      ...(slot !== undefined && { slot }),
      jobs: given,
      version: this.#version,
      ...(released.length > 0 && { releasing: released }),
      ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
      ...(weights.length > 0 && { weights: Object.fromEntries(weights) }),
      ...(suspended.length > 0 && { suspended }),
      ...(added.length > 0 && { added }),
      ...(Object.keys(restarts).length > 0 && { restarts }),
      ...(Object.keys(this.#policy).length > 0 && { policy: this.#policy }),
    });
  }
}

const isSpecial = ({ weight, parameters, isReadBack, isAdded }: Stream): boolean =>
  weight > 0 || parameters !== undefined || isReadBack === true || isAdded === true;

/** Besides restarts. The order of jobs asks nothing: rearranging a list changes no slice. */
function asksTheSame(a: Slice, b: Slice): boolean {
  if (a.jobs.length !== b.jobs.length || a.slot !== b.slot) return false;
  if (!isSameJson(a.policy ?? {}, b.policy ?? {})) return false;
  if (!isSameList(a.suspended ?? [], b.suspended ?? [])) return false;
  if (!isSameList(a.added ?? [], b.added ?? [])) return false;
  const sorted = (slice: Slice): Slice => ({
    ...slice,
    jobs: [...slice.jobs].sort(),
    releasing: [...(slice.releasing ?? [])].sort(),
    parameters: sortedKeys(slice.parameters ?? {}, (values) => sortedKeys(values)),
    weights: sortedKeys(slice.weights ?? {}),
  });
  return digestOf(sorted(a)) === digestOf(sorted(b));
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && [...a].sort().join('\n') === [...b].sort().join('\n');

const isSameRecord = (a: Slice['restarts'] = {}, b: Slice['restarts'] = {}): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([stream, token]) => own(b, stream) === token);

function sortedKeys<T>(
  record: Readonly<Record<string, T>>,
  of: (value: T) => T = (value) => value,
): Record<string, T> {
  const entries = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, value]) => [key, of(value)]));
}
