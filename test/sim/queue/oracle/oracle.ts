// What must hold at every moment? Checked whenever a pod is made, the ledger or a status is
// written, and four times a second.
import { type Kind, kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import type { Clock } from '../../../../src/runtime/clock.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import type { Violation } from '../../world.ts';
import { Admissions } from './admissions.ts';
import { Delays } from './delays.ts';
import { Past } from './past.ts';
import { type Decider, ScaledUp } from './scaled-up.ts';
import { States } from './states.ts';

export type OracleWorld = {
  readonly server: ApiServer;
  readonly clock: Clock;
  /** Of the operator that leads. */
  readonly wallMs: () => number;
  readonly report: (violation: Violation) => void;
  readonly isHindered: () => boolean;
  /** What is written now is written by a user. */
  readonly isByUser: () => boolean;
  /** None has led until a moment ago, or a status was refused and is written again later. */
  readonly tellsLate: () => boolean;
};

export class QueueOracle {
  readonly past: Past;
  readonly #server: ApiServer;
  readonly #delays: Delays;
  readonly #admissions: Admissions;
  readonly #states: States;
  readonly #scaledUp: ScaledUp;

  constructor(world: OracleWorld) {
    const { server, clock } = world;
    this.#server = server;
    this.past = new Past(server, () => clock.monotonic());
    this.#delays = new Delays(world, this.past);
    this.#scaledUp = new ScaledUp(() => clock.monotonic());
    this.#admissions = new Admissions(world, {
      past: this.past,
      delays: this.#delays,
      scaledUp: this.#scaledUp,
    });
    this.#states = new States(world, this.past);
    server.onChange(kinds.ConfigMap, () => this.#admissions.noteLedger());
    server.onChange(kinds.Pod, () => this.#admissions.checkPods());
    server.onChange(kinds.SwarmJob, () => this.#states.check());
  }

  makeUp(job: KubeObject): void {
    this.past.makeUp(job.metadata.uid ?? '');
  }

  interfere(job: KubeObject): void {
    this.past.interfere(job);
  }

  unsuspend(job: KubeObject): void {
    this.past.unsuspend(job);
  }

  /** A user has let it run more pods at a time. */
  scaleUp(job: KubeObject): void {
    this.#scaledUp.note(job);
  }

  /** An operator has read this, or was answered so. */
  tell(identity: string, object: KubeObject): void {
    this.#scaledUp.tell(identity, object);
  }

  written(by: Decider, kind: Kind): void {
    if (kind.kind === kinds.ConfigMap.kind) this.#admissions.checkLedger(by);
  }

  /** What was there before is there again: what happened since did not. */
  restored(): void {
    this.#scaledUp.forget();
    this.#admissions.restored();
    for (const job of this.#server.all({ kind: kinds.SwarmJob })) this.makeUp(job);
    this.forget();
  }

  forget(): void {
    this.#delays.forget();
  }

  refused(pod: KubeObject, why: Error): void {
    const [, how] = /(exceeded|failed) quota/.exec(why.message) ?? [];
    if (how !== undefined) this.#admissions.refused(pod, how === 'failed');
  }

  /** Undefined: no operator can be judged now. */
  look(leader: string | undefined): void {
    if (leader === undefined) this.forget();
    else this.#delays.look();
  }
}
