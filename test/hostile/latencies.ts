// How long do honest changes take, with an attacker and without, and how much of it is the API
// server's?
import { quantile } from '../../bench/instruments/measure.ts';
import type { Change } from './honest-pools.ts';

const WITHIN_MS = 1_000;
const TIMES_SLOWER = 2;
/**
 * With fewer changes, neither the median nor the p99 is known: they are shown, and not compared.
 */
const ENOUGH_CHANGES = 100;

export type Check = { readonly name: string; readonly problems: readonly string[] };

/** The durations of changes in a phase, and the share of a core that was available meanwhile. */
export type Phase = { readonly changes: readonly Change[]; readonly share: number };

/** `what`: an honest change is published. */
export function latencyChecks(what: string, calm: Phase, attacked: Phase): readonly Check[] {
  const { ownP99 } = latencies(attacked, medianIdeal(calm));
  const within: Check = {
    name: `${what} within ${WITHIN_MS} ms (p99), apart from delays of the API server`,
    problems: ownP99 > WITHIN_MS ? [`${ownP99.toFixed(0)} ms`] : [],
  };
  if (attacked.changes.length < ENOUGH_CHANGES) return [within];
  const times: Check = {
    name: `${what} at most ${TIMES_SLOWER} times as late as without the attacker, apart from delays of the API server`,
    problems: slower(calm, attacked),
  };
  return [within, times];
}

export function latencyFigures(
  what: string,
  calm: Phase,
  attacked: Phase,
): readonly (readonly [string, string])[] {
  const ideal = medianIdeal(calm);
  const [before, during] = [latencies(calm, ideal), latencies(attacked, ideal)];
  return [
    [
      `${what} without the attacker`,
      `p50 ${before.p50.toFixed(0)} ms, p99 ${before.p99.toFixed(0)} ms (${calm.changes.length} changes; on the wall ${wall(calm)})`,
    ],
    [
      `${what} with the attacker`,
      `p50 ${during.p50.toFixed(0)} ms, p99 ${during.p99.toFixed(0)} ms, ${during.ownP99.toFixed(0)} ms of it not the API server's (${attacked.changes.length} changes; on the wall ${wall(attacked)})`,
    ],
    [`${what} with the attacker, the slowest`, slowest(attacked)],
  ];
}

const medianIdeal = ({ changes }: Phase): number =>
  quantile(
    changes.map(({ idealMs }) => idealMs),
    0.5,
  );

/**
 * On a shared machine, time passes only while a core is available. `ownP99` is without the time by
 * which the API server delayed the control client more than in calm times.
 */
function latencies(
  { changes, share }: Phase,
  calmIdealMs: number,
): { readonly p50: number; readonly p99: number; readonly ownP99: number } {
  const times = changes.map(({ publishedMs }) => publishedMs * share);
  const own = changes.map(
    ({ publishedMs, idealMs }) => (publishedMs - Math.max(0, idealMs - calmIdealMs)) * share,
  );
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), ownP99: quantile(own, 0.99) };
}

/**
 * How many times slower than before. Where an operator without any delay would be slower as well,
 * that part is the API server's, which is also under attack.
 */
function slower(before: Phase, during: Phase): readonly string[] {
  return [0.5, 0.99].flatMap((part) => {
    const of = ({ changes }: Phase, field: 'publishedMs' | 'idealMs'): number =>
      quantile(
        changes.map((change) => change[field]),
        part,
      );
    const plain = Math.max(1, of(during, 'idealMs') / of(before, 'idealMs'));
    const times = of(during, 'publishedMs') / of(before, 'publishedMs');
    if (times <= TIMES_SLOWER * plain) return [];
    return [
      `p${100 * part}: ${times.toFixed(1)} times as long; an operator that needs no time ${plain.toFixed(1)} times`,
    ];
  });
}

/** With the time of an operator without any delay in brackets. */
const slowest = ({ changes }: Phase): string =>
  [...changes]
    .sort((a, b) => b.publishedMs - a.publishedMs)
    .slice(0, 8)
    .map(
      ({ at, publishedMs, idealMs }) =>
        `${publishedMs.toFixed(0)} ms (${idealMs.toFixed(0)}) at ${new Date(at).toISOString().slice(11, 19)}`,
    )
    .join(', ');

function wall({ changes }: Phase): string {
  const parts = (field: 'publishedMs' | 'idealMs'): string =>
    [0.5, 0.99]
      .map(
        (part) =>
          `p${100 * part} ${quantile(
            changes.map((change) => change[field]),
            part,
          ).toFixed(0)} ms`,
      )
      .join(', ');
  return `${parts('publishedMs')}; an operator that needs no time ${parts('idealMs')}`;
}
