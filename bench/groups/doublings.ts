// How soon do the members of a group follow a metric that doubles?
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../test/support/processes.ts';
import {
  type ManyGroups,
  memberNamesOf,
  type Place,
  sharedQueries,
  TARGET,
} from './many-groups.ts';
import type { Doubled, MetricValues } from './metric-values.ts';
import type { PromptController } from './prompt-controller.ts';

/** Groups with a query of their own. */
const ALONE = 20;
const TIMES = 5;

/** Until the last member of a group was seen with its new replicas. */
export type Followed = {
  /** Since the source could say the new value. */
  readonly seconds: number;
  /** Since it said it. */
  readonly toldSeconds: number;
};

type DoublingsOptions = {
  readonly source: MetricValues;
  readonly controller: PromptController;
  readonly groups: ManyGroups;
  readonly periodSeconds: number;
};

export class Doublings {
  readonly #options: DoublingsOptions;

  constructor(options: DoublingsOptions) {
    this.#options = options;
  }

  /** One group after another. */
  async ofOne(): Promise<readonly Followed[]> {
    const { groups, source, periodSeconds } = this.#options;
    const askers = new Map<string, readonly Place[]>();
    for (const place of groups.asking(sharedQueries[0] ?? '').slice(0, ALONE)) {
      const query = `alone_${askers.size}`;
      askers.set(query, [place]);
      await groups.asksAlone(place, query);
      // Spread over a period, since all periods are as long.
      await delay((1_000 * periodSeconds) / ALONE);
    }
    const areAsked = (): boolean => [...askers.keys()].every((it) => source.requestsFor(it) > 0);
    await eventually('each is asked for its own', areAsked);
    return this.#followed(askers, TIMES);
  }

  /** All groups that ask the same. */
  ofMany(): Promise<readonly Followed[]> {
    const query = sharedQueries.at(-1) ?? '';
    return this.#followed(new Map([[query, this.#options.groups.asking(query)]]), 1);
  }

  async #followed(
    askers: ReadonlyMap<string, readonly Place[]>,
    times: number,
  ): Promise<readonly Followed[]> {
    const { source, periodSeconds } = this.#options;
    for (const query of askers.keys()) source.doubles(query, times);
    let followed: readonly (Followed | undefined)[] = [];
    const haveFollowed = (): boolean => {
      const doubled = source.doubled.filter(({ query }) => askers.has(query));
      followed = doubled.flatMap((one) =>
        (askers.get(one.query) ?? []).map((place) => this.#followedBy(place, one)),
      );
      return doubled.length === times * askers.size && !followed.includes(undefined);
    };
    await eventually('all members follow', haveFollowed, 300 + (times + 2) * periodSeconds);
    return followed.filter((it) => it !== undefined);
  }

  /** Undefined: not yet. */
  #followedBy({ namespace, name }: Place, { value, from, toldAt }: Doubled): Followed | undefined {
    const { controller } = this.#options;
    const seen = memberNamesOf({ namespace, name }).map((member) =>
      controller.seenAt({ namespace, name: member }, value / TARGET),
    );
    if (toldAt === undefined || seen.includes(undefined)) return undefined;
    const last = Math.max(...seen.filter((at) => at !== undefined));
    return { seconds: (last - from) / 1_000, toldSeconds: (last - toldAt) / 1_000 };
  }
}
