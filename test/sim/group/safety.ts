// May an operator scale this member so, and does status say only what is so? Looks at every write
// of an operator at the moment in which the API server takes it.
import { kinds } from '../../../src/api/kinds.ts';
import { asList, asNumber, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import type { GroupDecision } from '../../../src/group/decide.ts';
import type { GroupWorld, SeenMember } from '../../../src/group/world.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { NAMESPACE } from '../cluster/manifests.ts';
import type { Sent } from '../operator/sim-api.ts';
import type { Violation } from '../world.ts';
import {
  type ExpectedMember,
  expectedMembers,
  replicasIn,
  sizeOfSpec,
  within,
} from './expected.ts';
import { groupRef } from './manifests.ts';
import type { GroupPromptness } from './promptness.ts';

type Decided = { readonly world: GroupWorld; readonly decision: GroupDecision };
type Transition = {
  readonly state: string;
  readonly to: number;
  readonly from: number;
  readonly before: readonly unknown[];
};

const MEMBER_KINDS = new Set(['Deployment', 'StatefulSet', 'SwarmPool']);
/** A decision whose writes may still be on their way. */
const MOST_DECISIONS = 20;

type SafetyFacts = {
  readonly server: ApiServer;
  readonly clock: Clock;
  readonly report: (violation: Violation) => void;
  readonly promptness: GroupPromptness;
};

export class GroupSafety {
  readonly #promptness: GroupPromptness;
  readonly #server: ApiServer;
  readonly #clock: Clock;
  readonly #report: (violation: Violation) => void;
  readonly #decided = new Map<string, readonly Decided[]>();
  #excusedUntil = 0;

  constructor({ server, clock, report, promptness }: SafetyFacts) {
    this.#server = server;
    this.#clock = clock;
    this.#report = report;
    this.#promptness = promptness;
  }

  onDecided(identity: string, decided: Decided): void {
    if (decided.world.group.meta.name !== groupRef.name) return;
    const before = this.#decided.get(identity) ?? [];
    this.#decided.set(identity, [...before.slice(1 - MOST_DECISIONS), decided]);
  }

  /** Status may have been restored or made up: until then it proves nothing. */
  excuse(until: number): void {
    this.#excusedUntil = Math.max(this.#excusedUntil, until);
  }

  onWrite(identity: string, { call }: Sent): void {
    const { kind, name = '', subresource } = call;
    if (subresource === 'scale' && MEMBER_KINDS.has(kind.kind))
      this.#onScale(identity, kind.kind, name, dig(call.body, 'metadata', 'resourceVersion'));
    if (subresource === 'status' && kind.kind === 'SwarmGroup' && name === groupRef.name)
      this.#onStatus(identity);
  }

  #onScale(identity: string, kind: string, name: string, version: unknown): void {
    const object = this.#server.find(kinds[kind as 'Deployment'], { namespace: NAMESPACE, name });
    if (object === undefined) return;
    const replicas = replicasIn(object);
    const decided = this.#decided
      .get(identity)
      ?.findLast(({ decision }) =>
        decision.steps.some(
          (step) =>
            step.do === 'scale' &&
            step.kind.kind === kind &&
            step.ref.name === name &&
            step.ref.resourceVersion === version &&
            step.replicas === replicas,
        ),
      );
    // By a pool, or by another group.
    if (decided === undefined) return;
    const { world } = decided;
    const rules = this.#rulesOf(world, kind, name);
    const what = `${kind}/${name} is scaled to ${replicas}`;
    if (rules === undefined) {
      this.#fail('members', `${what}, and is no member`);
      return;
    }
    if (replicas !== within(rules.bounds, replicas))
      this.#fail('bounds', `${what}, bounds are ${JSON.stringify(rules.bounds)}`);
    this.#checkTarget(decided, rules, replicas, what);
    this.#checkTurn(decided, rules, replicas, what);
    this.#checkNoted(decided, rules, object, what);
  }

  /** By the spec that the operator saw. */
  #rulesOf({ group, members }: GroupWorld, kind: string, name: string): ExpectedMember | undefined {
    if (!group.spec.ok) return undefined;
    const { value } = group.spec;
    const selected = value.members ?? members.map((it) => ({ kind: it.kind, name: it.name }));
    return expectedMembers(this.#server, value, selected).find(
      (it) => it.kind === kind && it.name === name,
    );
  }

  /** The size wanted, or while rolling back what it had before, or the size before. */
  #checkTarget(
    { world, decision }: Decided,
    rules: ExpectedMember,
    replicas: number,
    what: string,
  ): void {
    const { spec, status } = world.group;
    if (!spec.ok) return;
    const size = sizeOfSpec(spec.value);
    const transition = transitionIn(status);
    const isBack = transition?.state === 'RollingBack' && transition.to === size;
    const had = transition && hadBefore(transition, rules);
    const allowed = isBack
      ? [had === undefined ? rules.at(transition.from) : within(rules.bounds, had)]
      : [rules.at(size)];
    if (!isBack && transition?.state !== 'Scaling') this.#promptness.onTried(size, spec.value);
    if (!allowed.includes(replicas))
      this.#fail(
        'targets',
        `${what}; ${isBack ? 'rolling back' : `at size ${size}`}: ${allowed.join()}`,
      );
    if (spec.value.paused)
      this.#fail('pause', `${what} while the group is paused (${decision.steps.length} steps)`);
  }

  /** Up: nobody of a lower stage still grows. Down: nobody of a higher stage still shrinks. */
  #checkTurn({ world }: Decided, rules: ExpectedMember, replicas: number, what: string): void {
    const { spec } = world.group;
    if (!spec.ok || spec.value.transition.order !== 'Staged') return;
    const mine = world.members.find((it) => it.kind === rules.kind && it.name === rules.name);
    const isUp = replicas > (mine?.found?.replicas ?? 0);
    for (const other of world.members) {
      const theirs = this.#rulesOf(world, other.kind, other.name);
      const { found, conflict } = other;
      const isApart =
        found === undefined ||
        found.isDeleting ||
        conflict !== undefined ||
        found.refusal !== undefined;
      if (theirs === undefined || isApart || theirs.stage === rules.stage) continue;
      const isFirst = isUp ? theirs.stage < rules.stage : theirs.stage > rules.stage;
      if (!isFirst || isContested(world, other)) continue;
      const target = this.#targetOf(world, theirs);
      const isOpen = isUp
        ? found.replicas < target || (found.replicas === target && found.size.ready < target)
        : found.replicas > target || (found.replicas === target && found.size.present > target);
      if (isOpen)
        this.#fail(
          'stages',
          `${what} before ${other.kind}/${other.name} of stage ${theirs.stage} is there (${found.size.ready} of ${target})`,
        );
    }
  }

  #targetOf({ group }: GroupWorld, rules: ExpectedMember): number {
    const size = group.spec.ok ? sizeOfSpec(group.spec.value) : 0;
    const transition = transitionIn(group.status);
    if (transition?.state !== 'RollingBack' || transition.to !== size) return rules.at(size);
    const had = hadBefore(transition, rules);
    return had === undefined ? rules.at(transition.from) : within(rules.bounds, had);
  }

  /** Before it is touched, status has what it had: in the transition, or in the list of members. */
  #checkNoted({ world }: Decided, rules: ExpectedMember, object: KubeObject, what: string): void {
    const group = this.#server.find(kinds.SwarmGroup, groupRef);
    if (group === undefined || group.metadata.uid !== world.group.meta.uid) return;
    if (this.#clock.monotonic() < this.#excusedUntil) return;
    const kind = kinds[rules.kind as 'Deployment'];
    const past = this.#server
      .history({ kind })
      .filter(({ event }) => event.object.metadata.uid === object.metadata.uid);
    const previous = past.at(-2)?.event.object;
    if (previous === undefined) return;
    const { status } = group;
    const transition = transitionIn(status);
    const isNoted = transition !== undefined && hadBefore(transition, rules) !== undefined;
    const listed = asList(dig(status, 'members')).find((it) => isAbout(it, rules));
    if (!isNoted && dig(listed, 'replicas') !== replicasIn(previous))
      this.#fail('noted', `${what} from ${replicasIn(previous)}, which status does not have`);
  }

  /** What status says of the members was so when the operator looked. */
  #onStatus(identity: string): void {
    const status = this.#server.find(kinds.SwarmGroup, groupRef)?.['status'];
    const decided = this.#decided
      .get(identity)
      ?.findLast(({ decision }) =>
        decision.steps.some(
          (step) => step.do === 'status' && JSON.stringify(step.status) === JSON.stringify(status),
        ),
      );
    if (decided === undefined) return;
    const { world } = decided;
    const ready = asList(dig(status, 'conditions')).find((it) => dig(it, 'type') === 'Ready');
    const isReady = dig(ready, 'status') === 'True';
    const before = transitionIn(world.group.status);
    const after = transitionIn(status);
    for (const member of world.members) {
      const rules = this.#rulesOf(world, member.kind, member.name);
      if (rules === undefined) continue;
      const size = world.group.spec.ok ? sizeOfSpec(world.group.spec.value) : 0;
      if (isReady && !isThere(member, rules.at(size)))
        this.#fail(
          'true status',
          `Ready, and ${member.kind}/${member.name} is not at ${rules.at(size)}`,
        );
      const hasEnded = before?.state === 'RollingBack' && after?.state === 'RolledBack';
      const had = after && hadBefore(after, rules);
      if (!hasEnded || had === undefined || member.conflict !== undefined) continue;
      if (isContested(world, member) || member.found === undefined) continue;
      if (member.found.isDeleting || member.found.refusal !== undefined) continue;
      if (!isThere(member, within(rules.bounds, had)))
        this.#fail('rollback', `RolledBack, and ${member.kind}/${member.name} is not at ${had}`);
    }
  }

  #fail(oracle: string, message: string): void {
    this.#report({ oracle, message });
  }
}

/** By hands that the operator has seen: `ReplicasConflict`. */
const isContested = ({ remembered }: GroupWorld, { kind, name }: SeenMember): boolean =>
  (remembered.members.get(`${kind}/${name}`)?.changedMs.length ?? 0) >= 2;

const isThere = ({ found }: SeenMember, replicas: number): boolean =>
  found !== undefined &&
  found.replicas === replicas &&
  found.size.ready === replicas &&
  found.size.present === replicas;

const isAbout = (entry: unknown, { kind, name }: ExpectedMember): boolean =>
  dig(entry, 'kind') === kind && dig(entry, 'name') === name;

const hadBefore = ({ before }: Transition, rules: ExpectedMember): number | undefined =>
  asNumber(
    dig(
      before.find((it) => isAbout(it, rules)),
      'replicas',
    ),
  );

function transitionIn(status: unknown): Transition | undefined {
  const found = dig(status, 'transition');
  const [to, from] = [asNumber(dig(found, 'to')), asNumber(dig(found, 'from'))];
  const state = asString(dig(found, 'state'));
  if (to === undefined || from === undefined || state === undefined) return undefined;
  return { state, to, from, before: asList(dig(found, 'before')) };
}
