// An experiment that runs against an operator in memory: what does it tell and record?
import { kinds } from '../../../../src/api/kinds.ts';
import { dig } from '../../../../src/api/objects.ts';
import { heldIn } from '../../../../src/cli/experiment/held-group.ts';
import { csvLines, type Measurement } from '../../../../src/cli/experiment/record.ts';
import { type Experiment, GroupTrial } from '../../../../src/cli/experiment/run.ts';
import { WatchedGroups } from '../../../../src/cli/experiment/watched-groups.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { groupObject } from '../group-object.ts';
import { type Endings, FakeOperator, reached } from './fake-operator.ts';

export const ref = { namespace: 'swarm', name: 'shop' };
export const short: Experiment = { sizes: [1, 3, 2], orders: ['Staged'], repeat: 1, warmUp: 0 };

/** An experiment that runs, with what it tells and records. */
export class Stage {
  readonly clock = new VirtualClock();
  readonly api = new MemoryApi(this.clock);
  readonly operator = new FakeOperator(this.api, this.clock);
  readonly told: string[] = [];
  readonly measured: Measurement[] = [];
  readonly ended = new AbortController();
  readonly abandoned = new AbortController();
  readonly trial: GroupTrial;
  readonly #groups: WatchedGroups;
  #result: boolean | Error | undefined;

  constructor(experiment: Experiment = short, endings: Endings = reached) {
    this.operator.endings = endings;
    const object = this.api.store.create(kinds.SwarmGroup, groupObject());
    const tell = (text: string): void => void this.told.push(text);
    const { api, clock, ended, abandoned, measured } = this;
    this.#groups = new WatchedGroups({ api, clock, tell }, 'swarm');
    const found = heldIn(object);
    if (found === undefined) throw new Error('a group without a size');
    this.trial = new GroupTrial(
      experiment,
      {
        api,
        clock,
        timeoutMs: 60_000,
        groups: this.#groups,
        tell,
        record: (it) => void measured.push(it),
        ended: ended.signal,
        abandoned: abandoned.signal,
      },
      object,
      found,
    );
  }

  begin(): this {
    this.trial.run().then(
      (result) => {
        this.#result = result;
      },
      (error: Error) => {
        this.#result = error;
      },
    );
    return this;
  }

  /** Until the group has this size, and its transition is under way. */
  async under(size: number): Promise<void> {
    await this.clock.until(`under way to ${size}`, () => {
      const { transition } = this.#stored('status') as { transition?: object };
      return dig(transition, 'to') === size && dig(transition, 'state') === 'Scaling';
    });
  }

  async end(): Promise<boolean | Error> {
    await this.clock.until('it has ended', () => this.#result !== undefined, 600_000, 500);
    const stopped = this.#groups.stop();
    await this.clock.advance(1);
    await stopped;
    return this.#result ?? new Error('no result');
  }

  edit(body: object): void {
    this.api.store.merge(kinds.SwarmGroup, ref, body);
  }

  #stored(field: string): unknown {
    return this.api.store.find(kinds.SwarmGroup, ref)?.[field] ?? {};
  }

  get held(): readonly unknown[] {
    const spec = this.#stored('spec');
    return [dig(spec, 'replicas'), dig(spec, 'transition', 'order')];
  }

  get csv(): readonly string[] {
    return this.measured.flatMap(csvLines);
  }
}
