// Does a group hold what it promises to its users, whatever happens? It looks at the objects of the
// API server alone, at each of their changes and four times a second.
import { kinds } from '../../../../src/api/kinds.ts';
import type { Clock } from '../../../../src/runtime/clock.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import type { Violation } from '../../world.ts';
import type { Audit } from '../audit.ts';
import type { GroupAutoscaler } from '../autoscaler.ts';
import type { PlainWorkloads } from '../plain-workloads.ts';
import { Ages } from './ages.ts';
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
import { conditionIn, type Scene, sceneOf, stateIn } from './scene.ts';

type Facts = {
  readonly server: ApiServer;
  readonly clock: Clock;
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
  #isCalm = false;
  #restores = 0;

  constructor(facts: Facts) {
    this.#with = facts;
    for (const kind of WATCHED) facts.server.onChange(kind, () => this.#onChange());
  }

  /** Status was made up, or an older state restored. */
  forget(): void {
    this.past.forget(this.#now);
    this.#lasting.forget();
  }

  /** The API server refuses scales of a member, or without a name of all. */
  refuse(name: string | undefined, until: number, retriedUntil: number): void {
    const names = name === undefined ? this.past.scene?.members.map((it) => it.name) : [name];
    for (const it of names ?? []) this.past.refuse(it, { until, retriedUntil });
  }

  /** `isCalm`: an operator leads, and nothing has kept it from its work for a while. */
  look(isCalm: boolean): void {
    this.#isCalm = isCalm;
    if (!isCalm) {
      this.past.interrupt(this.#now);
      this.#lasting.forget();
      this.#unready.forget();
      return;
    }
    const scene = this.#scene();
    this.past.take(scene, 'operator', this.#now);
    if (scene === undefined) return;
    const moment = this.#moment(scene);
    for (const it of [...sizeProblems(moment), ...loadProblems(moment, this.#with.autoscaler)])
      this.#fail(it);
    this.#checkAllowed(moment);
    this.#checkStatus(moment);
  }

  get #now(): number {
    return this.#with.clock.monotonic();
  }

  #scene(): Scene | undefined {
    return sceneOf(this.#with.server, (uid) => this.past.hands.isContested(uid));
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
    const before = this.past.scene;
    const scene = this.#scene();
    const isHindered = this.#with.isHindered();
    this.past.hands.isBlind = isHindered;
    const isJudged = this.#isCalm && !isHindered;
    if (isJudged && before !== undefined && scene !== undefined && audit.writer === 'operator')
      this.#checkWrite(before, scene);
    this.past.take(scene, audit.writer, this.#now);
    if (scene === undefined) return;
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
    if (before.size !== undefined || after.size === undefined) return;
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
