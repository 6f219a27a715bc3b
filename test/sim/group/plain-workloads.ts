// What do the controllers of plain Deployments and StatefulSets do? Their replicas come and go one
// after another, and become Ready a while later, unless something keeps them from it.
import { kinds } from '../../../src/api/kinds.ts';
import { asNumber, dig, type KubeObject } from '../../../src/api/objects.ts';
import { Actor, type Surroundings } from '../cluster/actor.ts';
import { isTerminating, replicasOf, revisionOf } from '../cluster/facts.ts';
import { PLAIN } from './manifests.ts';

type Size = { readonly observed: number; readonly present: number; readonly ready: number };

/** Above the present clock time: for good. */
type BrokenUntil = Map<string, number>;

export class PlainWorkloads {
  readonly #in: Surroundings;
  readonly #brokenUntil: BrokenUntil = new Map();
  readonly #revisions = new Map<string, string>();
  readonly #actor: Actor;

  constructor(surroundings: Surroundings) {
    this.#in = surroundings;
    this.#actor = new Actor(surroundings, [kinds.Deployment, kinds.StatefulSet], () =>
      this.#round(),
    );
  }

  /** Its replicas are lost, and none becomes Ready for so long. */
  breakFor(name: string, forMs: number): void {
    const { clock } = this.#in;
    const until = clock.monotonic() + forMs;
    this.#brokenUntil.set(name, Math.max(until, this.#brokenUntil.get(name) ?? 0));
    this.#actor.poke();
    clock.after(forMs, () => this.#actor.poke());
  }

  #round(): void {
    const { server, random } = this.#in;
    const all = [kinds.Deployment, kinds.StatefulSet].flatMap((kind) => server.all({ kind }));
    let isMoving = false;
    for (const workload of all) {
      if (workload.metadata.labels?.[PLAIN] === undefined || isTerminating(workload)) continue;
      const before = sizeOf(workload);
      const after = this.#step(workload, before);
      if (JSON.stringify(after) === JSON.stringify(before)) continue;
      isMoving = true;
      const { observed: observedGeneration, present: replicas, ready: readyReplicas } = after;
      const status = { observedGeneration, replicas, readyReplicas };
      const { resourceVersion: _, ...metadata } = workload.metadata;
      const kind = workload.kind === 'Deployment' ? kinds.Deployment : kinds.StatefulSet;
      server.replace(kind, { ...workload, metadata, status }, 'status');
    }
    if (isMoving) this.#actor.poke(random.between(20, 250));
  }

  /** At most one replica comes or goes at a time. */
  #step(workload: KubeObject, { present, ready }: Size): Size {
    const { name, uid = '', generation = 1 } = workload.metadata;
    const wanted = replicasOf(workload);
    const isBroken = (this.#brokenUntil.get(name) ?? 0) > this.#in.clock.monotonic();
    const revision = revisionOf(workload);
    const isNew = (this.#revisions.get(uid) ?? revision) !== revision;
    this.#revisions.set(uid, revision);
    const there = present + Math.sign(wanted - present);
    const good = isBroken || isNew ? 0 : ready < present ? ready + 1 : ready;
    return {
      observed: generation,
      present: there,
      ready: Math.min(good, there, Math.max(wanted, 0)),
    };
  }
}

const sizeOf = (workload: KubeObject): Size => ({
  observed: asNumber(dig(workload, 'status', 'observedGeneration')) ?? 0,
  present: asNumber(dig(workload, 'status', 'replicas')) ?? 0,
  ready: asNumber(dig(workload, 'status', 'readyReplicas')) ?? 0,
});
