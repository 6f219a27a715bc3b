// Is what a job's status says true, and does its history follow the life of a job? Checked at each
// write of a status.
import { kinds } from '../../../../src/api/kinds.ts';
import { asList, asNumber, asString, dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { OracleWorld } from './oracle.ts';
import { failuresIn, reasonOf, stateOf } from './order.ts';
import type { Past } from './past.ts';
import { livingPods } from './scene.ts';
import { TooEarly } from './too-early.ts';

/** As it is documented: what may follow each state; '': the first. */
const next: Readonly<Record<string, readonly string[]>> = {
  '': ['Waiting', 'Admitted', 'Starting', 'Suspending', 'Suspended', 'Failed'],
  Waiting: ['Admitted', 'Starting', 'Suspending', 'Suspended', 'Failed'],
  Admitted: ['Starting', 'Waiting', 'Suspending', 'Suspended', 'Failed'],
  Starting: ['Running', 'Admitted', 'Waiting', 'Suspending', 'Suspended', 'Succeeded', 'Failed'],
  Running: ['Admitted', 'Waiting', 'Suspending', 'Suspended', 'Succeeded', 'Failed'],
  Suspending: ['Suspended', 'Waiting', 'Succeeded', 'Failed'],
  // Resumed before its quota was given back, it goes on with it.
  Suspended: ['Waiting', 'Admitted', 'Starting', 'Failed'],
  Succeeded: [],
  Failed: [],
};

const hasLeader = (spec: unknown): boolean =>
  ![undefined, 'None'].includes(asString(dig(spec, 'launcher', 'type')));

type Known = { readonly state: string; readonly attempt: number; readonly failed: number };

const nothing: Known = { state: '', attempt: 0, failed: 0 };

export class States {
  readonly #in: OracleWorld;
  readonly #past: Past;
  readonly #tooEarly: TooEarly;
  /** By UID. */
  readonly #known = new Map<string, Known>();

  constructor(world: OracleWorld, past: Past) {
    this.#in = world;
    this.#past = past;
    this.#tooEarly = new TooEarly(world, past);
  }

  check(): void {
    const { server, isByUser } = this.#in;
    for (const job of server.all({ kind: kinds.SwarmJob })) {
      const { uid = '' } = job.metadata;
      const before = this.#known.get(uid) ?? nothing;
      const after = {
        state: stateOf(job),
        attempt: asNumber(dig(job, 'status', 'attempt')) ?? 0,
        failed: Object.values(failuresIn(job)).reduce((sum, count) => sum + count, 0),
      };
      this.#known.set(uid, after);
      if (isByUser() || this.#past.isMadeUp(uid)) continue;
      this.#checkCounts(job, before, after);
      if (before.state === after.state) continue;
      this.#tooEarly.check(job, before.state);
      this.#checkLife(job, before.state);
      this.#checkEnd(job, uid, after.state);
      if (after.state === 'Succeeded' || after.state === 'Failed') this.#past.end(uid);
    }
  }

  #checkCounts({ metadata: { name } }: KubeObject, before: Known, after: Known): void {
    if (after.attempt < before.attempt || after.failed < before.failed)
      this.#in.report({
        oracle: 'life',
        message: `${name} counts ${JSON.stringify(after)}, and counted ${JSON.stringify(before)}`,
      });
  }

  #checkLife(job: KubeObject, before: string): void {
    const { report } = this.#in;
    const { name, uid = '' } = job.metadata;
    const state = stateOf(job);
    const states = asList(dig(job, 'status', 'history')).map((it) => asString(dig(it, 'state')));
    if (states[0] !== state)
      report({ oracle: 'life', message: `${name} is ${state}, and its history lacks that` });
    // One write may tell of several changes.
    const known = before === '' ? states.length : states.indexOf(before, 1);
    const told = states.slice(0, known < 0 ? 1 : known).reverse();
    let last = before;
    for (const now of told.map((it) => it ?? '')) {
      this.#checkChange(job, last, now);
      last = now;
    }
    // One that could not be made in time has failed, too: its name may be taken. Another may take
    // its place before it is made.
    const isLate = ['StartTimedOut', 'Preempted'].includes(reasonOf(job));
    if (state === 'Suspending' && !isLate && !this.#past.hasBatchJob(uid))
      report({ oracle: 'life', message: `${name} is Suspending, and nothing was made for it` });
  }

  #checkChange({ metadata }: KubeObject, before: string, state: string): void {
    const { name, uid = '' } = metadata;
    const { report, isHindered, tellsLate } = this.#in;
    // An operator that could not see or write tells less.
    const isByHand = before === 'Suspended' && state === 'Suspending';
    const isAllowed =
      next[before]?.includes(state) === true || (isByHand && this.#past.isInterfered(uid));
    const hasEnded = before === 'Succeeded' || before === 'Failed';
    if (!isAllowed && (hasEnded || !(isHindered() || tellsLate())))
      report({ oracle: 'life', message: `${name} is ${state} after ${before || 'nothing'}` });
  }

  #checkEnd({ metadata: { name }, spec, status }: KubeObject, uid: string, state: string): void {
    const { server, report, isHindered } = this.#in;
    const size = asNumber(dig(spec, 'size')) ?? 1;
    // The others end with a leader.
    const needed = hasLeader(spec) ? 1 : size;
    if (state === 'Succeeded' && !this.#past.haveAllSucceeded(uid, needed))
      report({ oracle: 'status true', message: `${name} is Succeeded, and not all ranks are` });
    const living = livingPods(server).filter(
      (pod) => pod.jobUid === uid && !this.#past.isUnsuspended(pod.batchUid),
    );
    if (state === 'Suspended' && living.length > 0 && !isHindered())
      report({
        oracle: 'status true',
        message: `${name} is Suspended, and ${living[0]?.name} lives`,
      });
    const hasReason =
      this.#past.failuresOf(uid).length > 0 ||
      this.#past.isInterfered(uid) ||
      ['DeadlineExceeded', 'StartTimedOut'].includes(asString(dig(status, 'reason')) ?? '');
    if (state === 'Failed' && !hasReason)
      report({ oracle: 'status true', message: `${name} is Failed, and nothing of it failed` });
  }
}
