// One pool of the demo: acts on it, observes it and draws it.
import { kinds } from '../api/kinds.ts';
import { asString, dig, type KubeObject } from '../api/objects.ts';
import { type Line, tableLines } from '../cli/render.ts';
import type { Screen } from '../cli/views/screen.ts';
import type { Scaling } from './checks/drain.ts';
import type { WorkerRecords } from './checks/records.ts';
import type { DemoAction, DemoCluster } from './cluster/cluster.ts';
import { typed } from './cluster/kubectl.ts';
import { Logs } from './cluster/logs.ts';
import {
  type Observation,
  type ObservedTarget,
  observe,
  type Trust,
} from './cluster/observation.ts';
import { type PoolName, targets } from './cluster/sample.ts';
import { type BoardNotes, boardOf } from './screen/board.ts';

export type StageView = Pick<BoardNotes, 'news' | 'seconds' | 'isVerified'> & {
  /** Above the table. */
  readonly title?: Line;
  /** Below the table. */
  readonly problems: readonly string[];
};

const SHOWN_PROBLEMS = 4;

export class Stage {
  readonly cluster: DemoCluster;
  readonly screen: Screen;
  readonly target: ObservedTarget;
  readonly #name: PoolName;
  readonly #logs: Logs;
  #trust: Trust = 'workers';
  #observed: Observation | undefined;

  constructor(name: PoolName, cluster: DemoCluster, screen: Screen) {
    this.#name = name;
    this.target = targets[name];
    this.cluster = cluster;
    this.screen = screen;
    this.#logs = new Logs(cluster.config, this.target.namespace);
  }

  /** The last observation. */
  get observed(): Observation | undefined {
    return this.#observed;
  }

  /** Where the last observation comes from. */
  get trust(): Trust {
    return this.#trust;
  }

  /** The records in the logs of its workers, from the first line. */
  get logs(): readonly WorkerRecords[] {
    return this.#logs.all;
  }

  async look(): Promise<Observation | undefined> {
    this.#observed = await observe(this.cluster.api, this.target, this.#trust);
    this.#logs.follow(this.#observed?.workers ?? []);
    return this.#observed;
  }

  /** The operator's events on scaling the pool's StatefulSet, oldest first. */
  async scalings(): Promise<readonly Scaling[]> {
    const { items } = await this.cluster.api.list(kinds.Event, this.target.namespace);
    return items
      .filter(
        (event) =>
          dig(event, 'involvedObject', 'name') === this.target.pool && event['reason'] === 'Scaled',
      )
      .map((event) => ({ at: lastOf(event), note: asString(event['message']) ?? '' }))
      .sort((a, b) => a.at - b.at);
  }

  /** For when the operator reaches the workers and the demo does not. */
  relyOnStatus(): void {
    if (this.#trust === 'status') return;
    this.#trust = 'status';
    this.screen.say([
      {
        text: 'No worker can be reached from this machine: from now on the demo verifies by the pool’s status.',
        style: 'busy',
      },
    ]);
  }

  applySample(): Promise<void> {
    return this.run('apply', '-k', this.cluster.sampleFolder(this.#name));
  }

  /** By kubectl; the screen shows the command as a user would type it. */
  async run(...args: readonly string[]): Promise<void> {
    this.#show(typed(args));
    await this.cluster.kubectl.run(args);
  }

  async perform({ typed: command, run }: DemoAction): Promise<void> {
    this.#show(command);
    await run();
  }

  async killWorker(name: string): Promise<void> {
    const worker = this.#observed?.workers.find((it) => it.name === name);
    if (worker === undefined) throw new Error(`no such worker: ${name}`);
    await this.perform(this.cluster.killWorker(worker));
  }

  close(): Promise<void> {
    return this.#logs.end();
  }

  /** On a terminal, in place. */
  draw(view: StageView): void {
    this.screen.draw((width) => this.lines(view, width));
  }

  /** Prints the outcome of a step. A terminal keeps the table below it; a log gets it here. */
  settle(outcome: readonly Line[], view: StageView): void {
    this.screen.say(...outcome);
    if (this.screen.isLive) this.draw(view);
    else this.screen.say('', ...this.lines(view, this.screen.width));
  }

  lines({ problems, title, ...view }: StageView, width: number): readonly Line[] {
    const notes = { ...view, pool: this.target.pool, isOperatorUp: this.cluster.operator.isUp };
    const board = this.#observed === undefined ? undefined : boardOf(this.#observed, notes);
    const shown = problems
      .slice(0, SHOWN_PROBLEMS)
      .map((text): Line => [{ text: `  ${text}`, style: 'busy' }]);
    return [
      ...(title === undefined ? [] : [title]),
      ...(board === undefined ? [] : [board.headline, ...tableLines(board.table, width)]),
      ...shown,
    ];
  }

  #show(command: string): void {
    const [first = '', ...more] = command.split('\n');
    this.screen.say(
      [
        { text: '  $ ', style: 'faint' },
        { text: first, style: 'strong' },
      ],
      ...more.map((text): Line => [{ text: `    ${text}`, style: 'strong' }]),
    );
  }
}

/** A repeated event is a series. */
function lastOf(event: KubeObject): number {
  return Date.parse(
    asString(dig(event, 'series', 'lastObservedTime')) ?? asString(event['eventTime']) ?? '',
  );
}
