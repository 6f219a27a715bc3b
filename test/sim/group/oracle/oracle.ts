// Does a group hold what it promises to its users, whatever happens? It looks at the objects of the
// API server alone, at each of their changes and four times a second.
import { kinds } from '../../../../src/api/kinds.ts';
import type { Clock } from '../../../../src/runtime/clock.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import type { Violation } from '../../world.ts';
import type { Audit } from '../audit.ts';
import type { GroupAutoscaler } from '../autoscaler.ts';
import { groupRef } from '../manifests.ts';
import type { PlainWorkloads } from '../plain-workloads.ts';
import { Ages } from './ages.ts';
import { Blocked } from './blocked.ts';
import { scaledBetween } from './changes.ts';
import { autoscalingProblems, sizesThatFit } from './checks/autoscaling.ts';
import { loadProblems } from './checks/load.ts';
import { otherProblems } from './checks/others.ts';
import { type Moment, type Problem, problem } from './checks/problem.ts';
import { scaleProblems } from './checks/scales.ts';
import { sizeProblems } from './checks/sizes.ts';
import { endProblems, reasonsNotReady, statusProblems } from './checks/status.ts';
import { timeProblems } from './checks/times.ts';
import { Past } from './past.ts';
import { conditionIn, type Scene, sceneAt, sceneOf, stateIn } from './scene.ts';
import { periodMsIn, schedulesIn } from './wanted.ts';

type Facts = {
  readonly server: ApiServer;
  readonly clock: Clock;
  /** What a clock on the wall of the leader's machine says. */
  readonly wallMs: () => number;
  readonly audit: Audit;
  readonly workloads: PlainWorkloads;
  readonly autoscaler: GroupAutoscaler;
  /** Nothing keeps the operator from its work at this moment. */
  readonly isHindered: () => boolean;
  readonly report: (violation: Violation) => void;
};

const WATCHED = [
  kinds.SwarmGroup,
  kinds.Deployment,
  kinds.StatefulSet,
  kinds.SwarmPool,
  kinds.HorizontalPodAutoscaler,
] as const;

/** Status may lag behind what is so: it writes mere progress every two seconds. */
const LAG_MS = 3_000;
/** What has lasted so long, a writer of status knows. */
const KNOWN_MS = 1_000;

export class GroupOracle {
  readonly #with: Facts;
  readonly past = new Past();
  readonly #lasting = new Ages();
  readonly #unready = new Ages();
  readonly #blocked = new Blocked();
  #isCalm = false;
  #restores = 0;
  #wallOffsetMs = 0;
  /** Until then the operator may not have noticed that its clock was set. */
  #clockUnclearUntil = 0;

  constructor(facts: Facts) {
    this.#with = facts;
    for (const kind of WATCHED) facts.server.onChange(kind, () => this.#onChange());
  }

  /** Status was made up, or an older state restored. */
  forget(): void {
    this.past.forget(this.#now);
    this.#lasting.forget();
    this.#blocked.interrupt(this.#now);
  }

  /** The API server refuses scales of a member, or without a name of all. */
  refuse(name: string | undefined, until: number, retriedUntil: number): void {
    const names = name === undefined ? this.past.scene?.members.map((it) => it.name) : [name];
    for (const it of names ?? []) this.past.refuse(it, { until, retriedUntil });
  }

  /** `isCalm`: an operator leads, and nothing has kept it from its work for a while. */
  look(isCalm: boolean): void {
    this.#isCalm = isCalm && !this.#isClockUnclear();
    if (!this.#isCalm) {
      this.past.interrupt(this.#now);
      this.#blocked.interrupt(this.#now);
      this.#lasting.forget();
      this.#unready.forget();
      return;
    }
    const scene = this.#scene();
    this.past.take(scene, 'operator', this.#now);
    for (const it of this.#blocked.take(this.#with.server, this.#now, false)) this.#fail(it);
    if (scene === undefined) return;
    const moment = this.#moment(scene);
    for (const it of [
      ...sizeProblems(moment),
      ...loadProblems(moment, this.#with.autoscaler),
      ...this.past.draws.late(scene, this.past.editedAt, this.#now),
    ])
      this.#fail(it);
    this.#checkAllowed(moment);
    this.#checkStatus(moment);
  }

  get #now(): number {
    return this.#with.clock.monotonic();
  }

  #scene(): Scene | undefined {
    const { server, wallMs } = this.#with;
    return sceneOf(server, wallMs(), (uid) => this.past.hands.isContested(uid));
  }

  /** Where schedules go by it: an operator looks at its clock once in a period. */
  #isClockUnclear(): boolean {
    const { clock, wallMs, server } = this.#with;
    const offsetMs = wallMs() - clock.now();
    const group = server.find(kinds.SwarmGroup, groupRef);
    if (offsetMs !== this.#wallOffsetMs && group !== undefined)
      this.#clockUnclearUntil = this.#now + periodMsIn(group) + LAG_MS;
    this.#wallOffsetMs = offsetMs;
    return (
      this.#now < this.#clockUnclearUntil && group !== undefined && schedulesIn(group).length > 0
    );
  }

  /** What became due by the clock alone was so before any write. */
  #beforeNow(): Scene | undefined {
    const { scene } = this.past;
    if (scene === undefined) return undefined;
    const sooner = sceneAt(scene, this.#with.wallMs());
    if (
      sooner.size === scene.size &&
      sooner.bounds.least === scene.bounds.least &&
      sooner.bounds.most === scene.bounds.most
    )
      return scene;
    this.past.take(sooner, 'operator', this.#now);
    return sooner;
  }

  #moment(scene: Scene): Moment {
    const { workloads } = this.#with;
    return { now: this.#now, scene, past: this.past, isWell: (name) => workloads.isWell(name) };
  }

  #onChange(): void {
    const { server, audit } = this.#with;
    if (server.restores !== this.#restores) {
      this.#restores = server.restores;
      this.forget();
    }
    const before = this.#beforeNow();
    const scene = this.#scene();
    const isHindered = this.#with.isHindered();
    this.past.hands.isBlind = isHindered;
    const isJudged = this.#isCalm && !isHindered && !this.#isClockUnclear();
    const isOperators = audit.writer === 'operator';
    for (const it of this.#blocked.take(server, this.#now, isJudged && isOperators)) this.#fail(it);
    if (isJudged && before !== undefined && scene !== undefined && isOperators)
      this.#checkWrite(before, scene);
    this.past.take(scene, audit.writer, this.#now);
    if (scene === undefined) return;
    for (const it of this.past.draws.take(scene, before, this.#now, isJudged))
      if (isOperators) this.#fail(it);
    const reasons = reasonsNotReady(scene);
    const ages = this.#unready.ofAll(reasons.keys(), this.#now);
    if (!isJudged || before === undefined || before.status === scene.status) return;
    const moment = this.#moment(scene);
    const ready = conditionIn(scene.status, 'Ready').status;
    for (const [what, why] of reasons)
      if (ready === 'True' && (ages.get(what) ?? 0) >= KNOWN_MS)
        this.#fail(problem('true status', 'Ready', `Ready is True; ${why}`));
    for (const it of endProblems(moment, before)) this.#fail(it);
    for (const it of timeProblems(moment, before, this.#with.clock.now())) this.#fail(it);
  }

  /** A scale by the operator, or a size that it took over. */
  #checkWrite(before: Scene, after: Scene): void {
    const moment = this.#moment(before);
    for (const scaled of scaledBetween(before, after))
      for (const it of scaleProblems(moment, scaled)) this.#fail(it);
    if (before.size !== undefined || after.size === undefined || after.policy !== 'Manual') return;
    if (before.group.metadata.uid !== after.group.metadata.uid) return;
    if (this.#now - this.past.rulesAt < KNOWN_MS) return;
    if (!sizesThatFit(before).includes(after.size))
      this.#fail(
        problem('taken over', 'wrong', `size ${after.size} is taken over, and changes a member`),
      );
  }

  /** What was edited while a size waited is tried at once. */
  #checkAllowed({ scene, past, now }: Moment): void {
    const { allowed } = past;
    const { size, status, isPaused, free } = scene;
    if (allowed === undefined || size === undefined || isPaused || free.length === 0) return;
    const asked = free.filter(({ name }) => !past.isRefused(name, now));
    const isTried =
      asked.every(({ replicas, at }) => replicas === at(size)) ||
      (stateIn(status) === 'Scaling' && Object(Object(status).transition).to === size);
    if (isTried) past.allowed = undefined;
    else if (now - allowed.at > LAG_MS)
      this.#fail(
        problem(
          'edit in back-off',
          'size',
          `size ${size} is not tried, though something was edited`,
        ),
      );
  }

  #checkStatus(moment: Moment): void {
    const all: readonly Problem[] = [
      ...statusProblems(moment),
      ...otherProblems(moment),
      ...autoscalingProblems(moment),
    ];
    const keyOf = ({ oracle, what }: Problem): string => `${oracle} ${what}`;
    const ages = this.#lasting.ofAll(all.map(keyOf), this.#now);
    for (const it of all) if ((ages.get(keyOf(it)) ?? 0) >= LAG_MS) this.#fail(it);
  }

  #fail({ oracle, message }: Problem): void {
    this.#with.report({ oracle, message });
  }
}
