// What does a worker do? The real supervisor decides on files that the real readers parse; only its
// processes are simulated.
import type { Slice } from '../../../src/api/assignment.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { Action, Job, Policy } from '../../../src/worker/decide/stream.ts';
import {
  consumed,
  idle,
  nextDue,
  type SupervisorEvent,
  type SupervisorState,
  supervise,
  underWay,
} from '../../../src/worker/decide/supervise.ts';
import { allowedNow } from '../../../src/worker/file/fence.ts';
import {
  type KnownSlice,
  learn,
  nothingKnown,
  sliceOf,
} from '../../../src/worker/file/slice-file.ts';
import { reportedStreams } from '../../../src/worker/report/streams.ts';
import type { Random } from '../random.ts';
import type { Ledger } from './ledger.ts';
import { type Telling, toldStreams } from './telling.ts';
import { Troubles } from './troubles.ts';

export type WorkerOptions = {
  readonly name: string;
  readonly uid: string;
  /** It starts only streams that its annotation permits. */
  readonly isFenced: boolean;
  readonly onExit: Policy['onExit'];
  /** Its processes take seconds to end, and get that time. */
  readonly isSlow: boolean;
  /** It reads its file only at its start. */
  readonly readsOnce: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly ledger: Ledger;
  /** Its source is away: each process of it ends at once. */
  readonly isAiling: (stream: string, pod: string) => boolean;
  /** After SIGTERM: nothing runs any more. */
  readonly onDrained: () => void;
  /** Called just before a process of this stream starts for this slice. */
  readonly onSpawn: (stream: string, slice: Slice, wasItsOwn: boolean) => void;
};

const SLOWEST_MS = 12_000;
const SLOW_GRACE_MS = 13_000;

type Process = {
  isRunning: boolean;
  isDeaf: boolean;
  isEnding: boolean;
  readonly forget: () => void;
};

export class SimWorker {
  telling: Telling = 'all';
  /** Streams whose process ends for a change: they begin anew, also if that is taken back. */
  readonly #replaced = new Set<string>();
  readonly troubles = new Troubles();
  readonly #options: WorkerOptions;
  readonly #policy: Policy;
  #known: KnownSlice = nothingKnown;
  #slice: Slice | undefined;
  #annotation: string | undefined;
  #swarm: SupervisorState = idle;
  /** Streams assigned to it, by file and annotation, and not taken away since. */
  #own: ReadonlySet<string> = new Set();
  readonly #queue: SupervisorEvent[] = [];
  readonly #processes = new Map<string, Process>();
  readonly #strays = new Map<string, () => void>();
  /** Each stream's last job. */
  readonly #spawned = new Map<string, string>();
  #hasRead = false;
  #isHandling = false;
  #isDead = false;
  #cancelDue: () => void = () => undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#policy = {
      backoffInitialMs: 200,
      backoffMaxMs: 1_000,
      backoffResetMs: 3_000,
      stopGraceMs: options.isSlow ? SLOW_GRACE_MS : 400,
      drainMs: options.isSlow ? SLOW_GRACE_MS : 900,
      onExit: options.onExit,
    };
  }

  get swarm(): SupervisorState {
    return this.#swarm;
  }

  get isServing(): boolean {
    return !this.#isDead;
  }

  get isHealthy(): boolean {
    return !this.#isDead && !this.#swarm.draining;
  }

  report(): string {
    const jobs = [...consumed(this.#swarm), ...this.#strays.keys()];
    return JSON.stringify({
      version: this.#swarm.confirmed,
      read: underWay(this.#swarm),
      jobs,
      podUid: this.#options.uid,
      ...this.#streams(jobs),
    });
  }

  #streams(jobs: readonly string[]): object {
    const { clock, ledger } = this.#options;
    const now = clock.monotonic();
    const wall = clock.now();
    const truth = reportedStreams(this.#swarm, now, (moment) => new Date(wall - now + moment));
    const others = ledger.streams.filter((stream) => !jobs.includes(stream));
    const secretOf = (stream: string): string => this.#parametersOf(stream).join(' ');
    return toldStreams(this.telling, truth, others, secretOf, wall);
  }

  #parametersOf(stream: string): readonly string[] {
    return Object.values(this.#slice?.parameters?.[stream] ?? {});
  }

  /** Streams that it is to run and that fail now. */
  failing(): readonly string[] {
    const now = this.#options.clock.monotonic();
    return [...this.#swarm.streams]
      .filter(([stream, { phase }]) => phase === 'Failed' || this.troubles.isFailing(stream, now))
      .map(([stream]) => stream);
  }

  completed(): readonly string[] {
    return [...this.#swarm.streams]
      .filter(([, { phase }]) => phase === 'Completed')
      .map(([stream]) => stream);
  }

  /** Simulates a bug: the worker runs a stream that it was not assigned, for a while. */
  stray(stream: string, forMs: number): void {
    const { clock, ledger, name, uid } = this.#options;
    const forget = ledger.begin(stream, { pod: name, uid });
    this.#strays.set(stream, forget);
    clock.after(forMs, () => {
      if (this.#strays.delete(stream)) forget();
    });
  }

  mount(texts: ReadonlyMap<string, string>): void {
    if (this.#options.readsOnce && this.#hasRead) return;
    this.#hasRead = true;
    this.#known = learn(this.#known, { texts });
    const slice = sliceOf(this.#known, this.#options.name);
    if (slice === undefined || JSON.stringify(slice) === JSON.stringify(this.#slice)) return;
    this.#slice = slice;
    this.#act();
  }

  annotate(text: string | undefined): void {
    if (text === this.#annotation) return;
    this.#annotation = text;
    this.#act();
  }

  /** SIGTERM. */
  shutDown(): void {
    this.#handle({ type: 'Shutdown' });
  }

  /** SIGKILL: a container's processes end with the first of them. */
  kill(): void {
    this.#isDead = true;
    this.#cancelDue();
    for (const { forget } of this.#processes.values()) forget();
    for (const forget of this.#strays.values()) forget();
    this.#processes.clear();
    this.#strays.clear();
  }

  /** One of its processes ends. */
  endProcess(stream: string, code: number): void {
    const process = this.#processes.get(stream);
    if (process?.isRunning !== true || process.isEnding) return;
    const isDone = code === 0 && this.#endsByItself();
    if (!isDone) this.troubles.ended(stream, this.#options.clock.monotonic());
    this.#end(stream, process, code, 1);
  }

  #endsByItself(): boolean {
    return this.#policy.onExit === 'complete' || this.#slice?.policy?.completion === 'Once';
  }

  #act(): void {
    if (this.#slice === undefined || this.#isDead) return;
    const { isFenced, uid } = this.#options;
    const fence = isFenced ? { annotation: this.#annotation, podUid: uid } : undefined;
    const { slice, isPartial } = allowedNow(
      this.#slice,
      fence,
      new Set(this.#swarm.wanted.jobs.keys()),
    );
    const { jobs } = this.#slice;
    for (const stream of this.#swarm.streams.keys())
      if (!slice.jobs.includes(stream)) this.troubles.forget(stream);
    const before = this.#own;
    this.#own = new Set(jobs.filter((job) => before.has(job)));
    this.#handle({ type: 'Slice', slice, isPartial });
    for (const [stream, job] of this.#swarm.wanted.jobs)
      if (this.#processes.has(stream) && JSON.stringify(job) !== this.#spawned.get(stream))
        this.#replaced.add(stream);
    if (!isPartial) this.#own = new Set(jobs);
  }

  #handle(event: SupervisorEvent): void {
    if (this.#isDead) return;
    this.#queue.push(event);
    if (this.#isHandling) return;
    this.#isHandling = true;
    const { clock, random } = this.#options;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const [swarm, actions] = supervise(this.#policy, this.#swarm, next, {
        now: clock.monotonic(),
        chance: random.next(),
      });
      this.#swarm = swarm;
      for (const action of actions) this.#perform(action);
    }
    this.#isHandling = false;
    this.#cancelDue();
    const due = nextDue(this.#swarm);
    if (due !== undefined)
      this.#cancelDue = clock.after(due - clock.monotonic(), () => this.#handle({ type: 'Due' }));
    if (this.#swarm.draining && this.#swarm.streams.size === 0) this.#options.onDrained();
  }

  #perform(action: Action): void {
    if (action.do === 'Start') this.#spawn(action.job);
    const process = action.do === 'Signal' ? this.#processes.get(action.stream) : undefined;
    if (action.do !== 'Signal' || process === undefined) return;
    const { random, isSlow } = this.#options;
    if (action.signal === 'SIGKILL') this.#end(action.stream, process, null, random.between(1, 4));
    else if (!process.isDeaf)
      this.#end(
        action.stream,
        process,
        null,
        isSlow ? random.between(1_000, SLOWEST_MS) : random.between(2, 120),
      );
  }

  #spawn(job: Job): void {
    const { stream } = job;
    const { clock, random, ledger, name, uid, isAiling, onSpawn } = this.#options;
    const text = JSON.stringify(job);
    const wasReplaced = this.#replaced.delete(stream);
    if (wasReplaced || text !== this.#spawned.get(stream)) this.troubles.forget(stream);
    this.#spawned.set(stream, text);
    if (this.#slice !== undefined) onSpawn(stream, this.#slice, this.#own.has(stream));
    const forget = ledger.begin(stream, { pod: name, uid });
    const process: Process = {
      isRunning: false,
      isDeaf: random.chance(0.03),
      isEnding: false,
      forget,
    };
    this.#processes.set(stream, process);
    clock.after(random.between(2, 30), () => {
      if (this.#isDead || this.#processes.get(stream) !== process) return;
      process.isRunning = true;
      this.troubles.started(stream, clock.monotonic());
      this.#handle({ type: 'Process', stream, event: { type: 'Started' } });
      if (isAiling(stream, name))
        clock.after(random.between(5, 400), () => this.#fail(stream, process));
    });
  }

  #fail(stream: string, process: Process): void {
    if (this.#processes.get(stream) === process) this.endProcess(stream, 1);
  }

  #end(stream: string, process: Process, code: number | null, inMs: number): void {
    const { clock, random } = this.#options;
    process.isEnding = true;
    clock.after(inMs, () => {
      if (this.#isDead || this.#processes.get(stream) !== process) return;
      this.#handle({ type: 'Process', stream, event: { type: 'Exited', code } });
      clock.after(random.between(1, 15), () => {
        if (this.#isDead || this.#processes.get(stream) !== process) return;
        this.#processes.delete(stream);
        process.forget();
        const said = ['cannot open', ...this.#parametersOf(stream)].join(' ');
        this.#handle({ type: 'Process', stream, event: { type: 'Gone', said } });
      });
    });
  }
}
