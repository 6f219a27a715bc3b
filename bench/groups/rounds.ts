// What does a round cost, in which each query is asked once, all groups are decided about, and
// nothing changes?
import { eventually } from '../../test/support/processes.ts';
import { Figures } from '../instruments/figures.ts';
import type { Inspected } from '../instruments/operator.ts';
import { processorSeconds } from '../instruments/processor.ts';
import { GROUPS, QUERIES, sharedQueries } from './many-groups.ts';
import type { MetricValues } from './metric-values.ts';

/** All queries of a round are asked within less. */
const QUIET_MS = 2_000;

/** Of several rounds together. */
export type RoundsCost = {
  readonly processorSeconds: number;
  readonly requests: number;
  readonly writes: number;
  readonly decisions: number;
};

export class Rounds {
  readonly #operator: Inspected['process'];
  readonly #source: MetricValues;
  readonly #periodSeconds: number;

  constructor({ process }: Inspected, source: MetricValues, periodSeconds: number) {
    this.#operator = process;
    this.#source = source;
    this.#periodSeconds = periodSeconds;
  }

  /** How long one takes, from its first request until all groups were decided about. */
  async seconds(): Promise<number> {
    const source = this.#source;
    const before = decisionsIn(await this.#untilQuiet());
    const { requests } = source;
    const hasAsked = (): boolean => source.requests >= requests + QUERIES;
    await eventually('all queries are asked', hasAsked, 2 * this.#periodSeconds);
    await eventually('all groups are decided about', async () => {
      const figures = await Figures.of(this.#operator);
      return isAtRest(figures) && decisionsIn(figures) >= before + GROUPS;
    });
    return (performance.now() - (source.askedAt(requests) ?? Number.NaN)) / 1_000;
  }

  async cost(rounds: number): Promise<RoundsCost> {
    const source = this.#source;
    const pids = [this.#operator.pid];
    const figures = await this.#untilQuiet();
    const asked = new Map(sharedQueries.map((query) => [query, source.requestsFor(query)]));
    const [processor, requests] = [processorSeconds(pids), source.requests];
    const hasAsked = (): boolean =>
      [...asked].every(([query, before]) => source.requestsFor(query) >= before + rounds);
    await eventually(`${rounds} rounds`, hasAsked, 2 * rounds * this.#periodSeconds);
    const later = await this.#untilQuiet();
    return {
      processorSeconds: processorSeconds(pids) - processor,
      requests: source.requests - requests,
      writes: writesIn(later) - writesIn(figures),
      decisions: decisionsIn(later) - decisionsIn(figures),
    };
  }

  /** Between two rounds. */
  async #untilQuiet(): Promise<Figures> {
    const source = this.#source;
    const isQuiet = (): boolean =>
      performance.now() - (source.askedAt(source.requests - 1) ?? 0) > QUIET_MS;
    await eventually('no query is asked', isQuiet, this.#periodSeconds);
    await eventually('nothing waits', async () => isAtRest(await Figures.of(this.#operator)));
    return Figures.of(this.#operator);
  }
}

const decisionsIn = (figures: Figures): number => figures.sum('swarm_operator_decisions_total');

/** Events, too; there is no Lease. */
const writesIn = (figures: Figures): number =>
  figures.sum('swarm_operator_api_requests_total', (labels) =>
    /verb="(create|update|patch|delete)"/.test(labels),
  );

const isAtRest = (figures: Figures): boolean =>
  figures.sum('swarm_operator_queue_depth') + figures.sum('swarm_operator_queue_processing') === 0;
