// Do honest pools suffer when a user with the role `edit` does the worst they can?
import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../../bench/instruments/measure.ts';
import { FairClock } from '../support/fair-clock.ts';
import { HostileArena, MEMORY_MIB, TENANTS } from './arena.ts';
import { Attacker, type Report } from './attacker.ts';
import { type Change, HonestPools } from './honest-pools.ts';
import { OperatorWitness } from './operator-witness.ts';
import { unreportedProblems } from './reported-problems.ts';

const PUBLISHED_MS = 1_000;
const TIMES_SLOWER = 2;
const LONGEST_WORK_MS = 200;
/**
 * With fewer changes, neither the median nor the p99 is known: they are shown, and not compared.
 */
const ENOUGH_CHANGES = 100;
const PROBES_IN_A_ROW = 3;
/** Time for the operator to decide about the last attacks: several retries of refused writes. */
const SETTLED_SECONDS = 60;
/** Before the measurement, programs are compiled and caches filled. */
const WARM_SECONDS = 3;

export type SoakOptions = {
  readonly seconds: number;
  /** The phase without an attack, for comparison. */
  readonly calmSeconds: number;
  readonly seed: number;
  readonly isAttacked: boolean;
  readonly only?: readonly string[] | undefined;
  /** The file for the operator's log. */
  readonly logFile?: string | undefined;
  readonly say: (line: string) => void;
};

export type Check = { readonly name: string; readonly problems: readonly string[] };
export type Outcome = {
  readonly checks: readonly Check[];
  readonly figures: readonly (readonly [what: string, value: string])[];
  readonly report: Report | undefined;
};

/** The durations of changes in a phase, and the share of a core that was available meanwhile. */
type Phase = { readonly changes: readonly Change[]; readonly share: number };

export async function soak(options: SoakOptions): Promise<Outcome> {
  const { say } = options;
  say('a control plane, twenty honest pools, and a tenant');
  const arena = await HostileArena.make(options.logFile);
  const clock = new FairClock();
  /** The problems that remain when there are none, or when the time is over. */
  const untilNone = async (look: () => Promise<readonly string[]>): Promise<readonly string[]> => {
    const until = clock.now() + 1_000 * SETTLED_SECONDS;
    for (;;) {
      const problems = await look();
      if (problems.length === 0 || clock.now() > until) return problems;
      await delay(1_000);
    }
  };
  try {
    const operator = await arena.operator();
    const witness = new OperatorWitness(operator, arena.gaugeFile);
    const honest = new HonestPools(arena.swarm.api, arena.pools);
    await witness.watch(arena.swarm.api);
    await honest.watch();
    const phase = async (seconds: number): Promise<Phase> => {
      const [first, fair, started] = [honest.changes.length, clock.now(), performance.now()];
      const until = started + 1_000 * seconds;
      await honest.edit(() => performance.now() < until && !operator.hasEnded);
      return {
        changes: honest.changes.slice(first),
        share: Math.min(1, (clock.now() - fair) / (performance.now() - started)),
      };
    };
    await untilNone(() => honest.problems(arena.workers));
    await phase(WARM_SECONDS);
    say(`${options.calmSeconds} s without an attacker`);
    const calm = await phase(options.calmSeconds);
    const begun = Date.now();
    const attacker = options.isAttacked
      ? await Attacker.start({
          kubeconfig: await arena.attackersKubeconfig(),
          adminKubeconfig: arena.swarm.playground.plane.kubeconfig,
          namespaces: TENANTS,
          victim: await arena.victim(),
          ports: { health: operator.healthPort, metrics: operator.metricsPort },
          seed: options.seed,
          only: options.only,
        })
      : undefined;
    try {
      say(
        attacker === undefined
          ? `${options.seconds} s, still without one`
          : `${options.seconds} s with one, seed ${options.seed}`,
      );
      attacker?.begin();
      const attacked = await phase(options.seconds);
      const attackedUntil = Date.now();
      const report = await attacker?.rest();
      const expected = new Map(report?.expected ?? []);
      say('at rest: what does every pool report?');
      const gone = ['the operator is gone'];
      const unsaid = operator.hasEnded
        ? gone
        : await untilNone(() => unreportedProblems(arena.swarm.api, TENANTS, expected));
      const touched = operator.hasEnded
        ? gone
        : await untilNone(() => honest.problems(arena.workers));
      const hasEnded = operator.hasEnded;
      await witness.stop();
      honest.stop();
      const ideal = quantile(
        calm.changes.map(({ idealMs }) => idealMs),
        0.5,
      );
      const before = latencies(calm, ideal);
      const during = latencies(attacked, ideal);
      const tooLong = witness.held(begun).filter(({ workedMs }) => workedMs > LONGEST_WORK_MS);
      const checks: Check[] = [
        {
          name: 'the operator never ends',
          problems: hasEnded ? ['it ended', ...witness.complaints().slice(-4)] : [],
        },
        {
          name: `the operator's memory stays within ${MEMORY_MIB} MiB`,
          problems:
            witness.peakMiB() > MEMORY_MIB ? [`it held ${witness.peakMiB().toFixed(0)} MiB`] : [],
        },
        {
          name: "the operator's liveness probe never fails often enough for a restart",
          problems:
            witness.failedProbes >= PROBES_IN_A_ROW
              ? [`${witness.failedProbes} times in a row`, ...witness.failures]
              : [],
        },
        {
          name: 'the leader never changes',
          problems:
            witness.leaders.size > 1 || witness.steppedDown()
              ? [[...witness.leaders].join('; ')]
              : [],
        },
        {
          name: `an honest change is published within ${PUBLISHED_MS} ms (p99), apart from delays of the API server`,
          problems: during.ownP99 > PUBLISHED_MS ? [`${during.ownP99.toFixed(0)} ms`] : [],
        },
        ...(attacked.changes.length < ENOUGH_CHANGES
          ? []
          : [
              {
                name: `an honest change takes at most ${TIMES_SLOWER} times as long as without the attacker, apart from delays of the API server`,
                problems: slower(calm, attacked),
              },
            ]),
        {
          name: `no work blocks the thread for longer than ${LONGEST_WORK_MS} ms`,
          problems: tooLong
            .slice(0, 5)
            .map(
              ({ at, workedMs }) => `${workedMs.toFixed(0)} ms, at ${new Date(at).toISOString()}`,
            ),
        },
        { name: 'every attacked pool reports what is wrong', problems: unsaid },
        {
          name: 'no honest pool is changed',
          problems: [
            ...honest.wrong,
            ...touched,
            ...(report?.believed ?? []).map((pod) => `the operator took ${pod} for a worker`),
          ],
        },
        {
          name: 'the operator logs no internal error',
          problems: hasEnded ? [] : witness.complaints().slice(-5),
        },
        { name: 'every attack does what it is meant to do', problems: report?.mistakes ?? [] },
      ];
      const [longest] = witness.held(begun);
      const late = Math.max(0, ...witness.held(begun).map(({ heldMs }) => heldMs));
      const confirmed = (of: Phase, part: number): string =>
        quantile(
          of.changes.map(({ confirmedMs }) => confirmedMs),
          part,
        ).toFixed(0);
      const figures: [string, string][] = [
        [
          'published without the attacker',
          `p50 ${before.p50.toFixed(0)} ms, p99 ${before.p99.toFixed(0)} ms (${calm.changes.length} changes; on the wall ${wall(calm)})`,
        ],
        [
          'published with the attacker',
          `p50 ${during.p50.toFixed(0)} ms, p99 ${during.p99.toFixed(0)} ms, ${during.ownP99.toFixed(0)} ms of it not the API server's (${attacked.changes.length} changes; on the wall ${wall(attacked)})`,
        ],
        [
          'confirmed without and with',
          `p50 ${confirmed(calm, 0.5)} and ${confirmed(attacked, 0.5)} ms, p99 ${confirmed(calm, 0.99)} and ${confirmed(attacked, 0.99)} ms`,
        ],
        ['the slowest with the attacker', slowest(attacked)],
        [
          'available share of a core',
          `${calm.share.toFixed(2)} without, ${attacked.share.toFixed(2)} with`,
        ],
        [
          'longest work without a pause',
          longest === undefined
            ? 'less than 50 ms'
            : `${longest.workedMs.toFixed(0)} ms, at ${new Date(longest.at).toISOString()}`,
        ],
        [
          'the event loop was delayed by at most',
          `${late.toFixed(0)} ms, by work or by a busy machine`,
        ],
        [
          'share of time in pieces of work longer than 50 ms',
          `${(100 * witness.heldPart(begun, attackedUntil)).toFixed(0)} %`,
        ],
        [
          'heap, at most',
          `${witness.heapMiB().toFixed(0)} MiB; resident ${witness.peakMiB().toFixed(0)} MiB`,
        ],
        ['slowest answer of /healthz', `${witness.slowestProbeMs.toFixed(0)} ms`],
      ];
      return { checks, figures, report };
    } finally {
      await attacker?.end();
      if (!operator.hasEnded) await operator.end('SIGKILL');
    }
  } finally {
    await clock.stop();
    await arena.stop();
  }
}

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
