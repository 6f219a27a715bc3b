// One fault in one state of a pool: its namespace, and all that its checks need.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { asList, asNumber, dig } from '../../src/api/objects.ts';
import { makePoolIn, Pool } from '../integration/support/pool.ts';
import { fenced, type Shape } from '../integration/support/shape.ts';
import { eventually } from '../support/processes.ts';
import { violationTexts, Witness } from '../support/witness.ts';
import { type Arena, OperatedNamespace } from './operated-namespace.ts';
import { Publications } from './publications.ts';

export type Handoff = 'AtLeastOnce' | 'Exclusive';

/** `$0`: the folder of records, `$1`: the stream. */
export const RECORD = 'echo "$1" >> "$0/starts"';
/** Takes its time to end, so that a successor that starts too early is noticed. */
const RUN = 'trap "kill \\$!; sleep 1; exit 0" TERM; sleep 100000 & wait';

/**
 * Exclusive: a stream holds a kernel lock while it runs; a process that finds the lock held leaves
 * a trace.
 */
const consumers: Readonly<Record<Handoff, string>> = {
  AtLeastOnce: `${RECORD}; exec sh -c '${RUN}'`,
  Exclusive: `flock -n -E 99 "$0/$1.lock" sh -c 'echo "$1" >> "$0/starts"; ${RUN}' "$0" "$1" || { [ $? -ne 99 ] || touch "$0/$1.doubled"; }`,
};

/** What could have disturbed a stream's process: its own pod. */
export type PodStates = {
  readonly pods: ReadonlyMap<string, string>;
  readonly starts: ReadonlyMap<string, number>;
  readonly published: number;
};

export class Cell extends OperatedNamespace {
  readonly handoff: Handoff;
  readonly pool: Pool;
  readonly publications: Publications;
  /** Streams of a pod that was deleted by force: no component can know when they end. */
  readonly mayDouble = new Set<string>();
  readonly records: string;
  #witness: Witness | undefined;
  readonly #violations: string[] = [];

  constructor(arena: Arena, namespace: string, handoff: Handoff) {
    super(arena, namespace);
    this.handoff = handoff;
    this.pool = new Pool(arena.swarm, namespace);
    this.publications = new Publications(arena.swarm.api, namespace);
    this.records = path.join(this.folder, 'records');
    mkdirSync(this.records);
  }

  /** From now on the witness checks every status; it does not know the fault. */
  async watch(): Promise<void> {
    const { kubeconfig } = this.swarm.playground.plane;
    this.#witness = await Witness.start({ kubeconfig, namespace: this.namespace });
  }

  /**
   * The witnesses cannot tell the effects of this fault from a false status: they pause meanwhile,
   * and then start again.
   */
  async unseen(work: () => Promise<void>): Promise<void> {
    this.#violations.push(...(await this.violations()));
    await work();
    await this.watch();
  }

  /** The broken promises that the witnesses have seen so far; they stop checking. */
  async violations(): Promise<readonly string[]> {
    if (this.#witness === undefined) throw new Error(`${this.namespace} has no witness`);
    const report = await this.#witness.end();
    const { answers, statuses, publications } = report;
    const hasSeen = answers > 0 && statuses > 0 && publications > 0;
    return hasSeen
      ? [...this.#violations, ...violationTexts(report)]
      : [`the witness has missed changes: ${JSON.stringify(report)}`];
  }

  /** Workers and pool. */
  async create({ spec = {}, ...shape }: Shape): Promise<void> {
    const command = ['sh', '-c', consumers[this.handoff], this.records, '{stream}'];
    const own: Partial<Shape> =
      this.handoff === 'Exclusive' ? fenced(...command) : { worker: { args: ['--', ...command] } };
    await makePoolIn(this.swarm, this.namespace, {
      ...own,
      ...shape,
      spec: { handoff: { type: this.handoff }, ...spec },
    });
  }

  version(): number {
    return this.publications.all.at(-1)?.version ?? 0;
  }

  untilPublished(above: number, seconds = 60): Promise<void> {
    return eventually(
      `${this.namespace}: a version above ${above}`,
      () => this.version() > above,
      seconds,
    );
  }

  /** Streams that two processes wanted to run at the same time. */
  doubled(): readonly string[] {
    const traces = readdirSync(this.records).filter((name) => name.endsWith('.doubled'));
    return traces
      .map((name) => name.slice(0, -'.doubled'.length))
      .filter((stream) => !this.mayDouble.has(stream));
  }

  async podStates(): Promise<PodStates> {
    const pods = await this.pool.pods().catch(() => []);
    const restarts = (pod: object): number =>
      asNumber(dig(asList(dig(pod, 'status', 'containerStatuses'))[0], 'restartCount')) ?? 0;
    return {
      pods: new Map(pods.map((pod) => [pod.metadata.name, `${pod.metadata.uid} ${restarts(pod)}`])),
      starts: this.starts(),
      published: this.publications.all.length,
    };
  }

  /** How often a process of each stream has started. */
  starts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    const file = path.join(this.records, 'starts');
    const lines = readdirSync(this.records).includes('starts')
      ? readFileSync(file, 'utf8').split('\n').filter(Boolean)
      : [];
    for (const stream of lines) counts.set(stream, (counts.get(stream) ?? 0) + 1);
    return counts;
  }
  override async close(): Promise<void> {
    await this.#witness?.end();
    await this.publications.stop();
    await super.close();
  }
}
