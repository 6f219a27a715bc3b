// Do honest pools suffer when a user with the role `edit` does the worst they can?
import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../../bench/instruments/measure.ts';
import { FairClock } from '../support/fair-clock.ts';
import { HostileArena, MEMORY_MIB, TENANTS } from './arena.ts';
import { Attacker, type Report } from './attacker.ts';
import { HonestJobs } from './honest-jobs.ts';
import { HonestPools } from './honest-pools.ts';
import { type Check, latencyChecks, latencyFigures, type Phase } from './latencies.ts';
import { OperatorWitness } from './operator-witness.ts';
import { unreportedProblems } from './reported-problems.ts';

const LONGEST_WORK_MS = 200;
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

export type Outcome = {
  readonly checks: readonly Check[];
  readonly figures: readonly (readonly [what: string, value: string])[];
  readonly report: Report | undefined;
};

type Phases = { readonly pools: Phase; readonly jobs: Phase };

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
    const jobs = new HonestJobs(arena.swarm.api);
    await honest.watch();
    await jobs.watch();
    const phase = async (seconds: number): Promise<Phases> => {
      const [firstChange, firstJob] = [honest.changes.length, jobs.changes.length];
      const [fair, started] = [clock.now(), performance.now()];
      const until = started + 1_000 * seconds;
      const isWanted = (): boolean => performance.now() < until && !operator.hasEnded;
      await Promise.all([honest.edit(isWanted), jobs.submit(isWanted)]);
      const share = Math.min(1, (clock.now() - fair) / (performance.now() - started));
      return {
        pools: { changes: honest.changes.slice(firstChange), share },
        jobs: { changes: jobs.changes.slice(firstJob), share },
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
      say('at rest: what do all pools and jobs report?');
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
      jobs.stop();
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
        ...latencyChecks('an honest change is published', calm.pools, attacked.pools),
        ...latencyChecks('an honest job may start', calm.jobs, attacked.jobs),
        {
          name: `no work blocks the thread for longer than ${LONGEST_WORK_MS} ms`,
          problems: tooLong
            .slice(0, 5)
            .map(
              ({ at, workedMs }) => `${workedMs.toFixed(0)} ms, at ${new Date(at).toISOString()}`,
            ),
        },
        { name: 'every attacked pool and job reports what is wrong', problems: unsaid },
        {
          name: 'no honest pool is changed, and no honest namespace has a foreign batch Job',
          problems: [
            ...honest.wrong,
            ...jobs.wrong,
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
      const figures: Outcome['figures'][number][] = [
        ...latencyFigures('published', calm.pools, attacked.pools),
        ...latencyFigures('job started', calm.jobs, attacked.jobs),
        [
          'confirmed without and with',
          `p50 ${confirmed(calm.pools, 0.5)} and ${confirmed(attacked.pools, 0.5)} ms, p99 ${confirmed(calm.pools, 0.99)} and ${confirmed(attacked.pools, 0.99)} ms`,
        ],
        [
          'available share of a core',
          `${calm.pools.share.toFixed(2)} without, ${attacked.pools.share.toFixed(2)} with`,
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
