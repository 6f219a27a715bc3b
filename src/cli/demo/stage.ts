// What can the demo do to the pool, what does it see of it, and how does it show that?
import { kinds } from '../../api/kinds.ts';
import { type Line, tableLines } from '../render.ts';
import type { Cluster } from './cluster/cluster.ts';
import { apply, type Sample, target } from './cluster/sample.ts';
import { look, type Sight, type Trust } from './cluster/sight.ts';
import { type BoardNotes, boardOf } from './screen/board.ts';
import type { Screen } from './screen/screen.ts';

export type View = Pick<BoardNotes, 'news' | 'seconds' | 'isVerified'> & {
  /** What goes on, above the table. */
  readonly title: Line | undefined;
  /** What is not as it should be, below it. */
  readonly problems: readonly string[];
};

const SHOWN_PROBLEMS = 4;

export class Stage {
  readonly cluster: Cluster;
  readonly screen: Screen;
  readonly sample: Sample;
  #trust: Trust = 'workers';
  #sight: Sight | undefined;

  constructor(cluster: Cluster, screen: Screen, sample: Sample) {
    this.cluster = cluster;
    this.screen = screen;
    this.sample = sample;
  }

  /** What was seen last. */
  get sight(): Sight | undefined {
    return this.#sight;
  }

  async look(): Promise<Sight | undefined> {
    this.#sight = await look(this.cluster.api, target, this.#trust);
    return this.#sight;
  }

  /** The operator reaches the workers, and we do not: from now on its word has to do, and that is said. */
  relyOnStatus(): void {
    if (this.#trust === 'status') return;
    this.#trust = 'status';
    this.screen.say([
      { text: 'No worker answers from here: from now on the verification relies on the pool’s own status.', style: 'busy' },
    ]);
  }

  async applySample(): Promise<void> {
    for (const object of this.sample.rest) await apply(this.cluster.api, object);
  }

  async scale(replicas: number): Promise<void> {
    const { namespace, statefulSet } = target;
    await this.cluster.api.patch(kinds.StatefulSet, { namespace, name: statefulSet }, { type: 'merge', body: { spec: { replicas } } });
  }

  async edit(streams: readonly string[]): Promise<void> {
    const body = { spec: { streams: streams.map((name) => ({ name })) } };
    await this.cluster.api.patch(kinds.SwarmPool, { namespace: target.namespace, name: target.pool }, { type: 'merge', body });
  }

  async killWorker(name: string): Promise<void> {
    const worker = this.#sight?.workers.find((it) => it.name === name);
    if (worker === undefined) throw new Error(`there is no worker ${name}`);
    await this.cluster.killWorker(worker);
  }

  /** In place, on a terminal. */
  draw(view: View): void {
    this.screen.draw((width) => [...(view.title === undefined ? [] : [view.title]), '', ...this.#lines(view, width)]);
  }

  /** Says what came of it; the table goes on below, and a log has it here. */
  settle(outcome: readonly Line[], view: View): void {
    this.screen.say(...outcome);
    if (this.screen.isLive) this.draw(view);
    else this.screen.say(...this.#lines(view, this.screen.width), '');
  }

  #lines({ problems, ...view }: View, width: number): readonly Line[] {
    const notes = { ...view, pool: target.pool, isOperatorUp: this.cluster.operator.isUp };
    const board = this.#sight === undefined ? undefined : boardOf(this.#sight, notes);
    const shown = problems.slice(0, SHOWN_PROBLEMS).map((text): Line => [{ text: `  ${text}`, style: 'busy' }]);
    return [...(board === undefined ? [] : [board.headline, ...tableLines(board.table, width)]), ...shown];
  }
}
