// Does the operator report soon that a stream runs nowhere, or twice? Measured from when the leader
// can see it, while the API server accepts writes.
import { ANYTHING } from '../../../src/api/assignment.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { asList, dig } from '../../../src/api/objects.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { hasEnded, isReady, isTerminating } from '../cluster/facts.ts';
import type { Ledger } from '../cluster/ledger.ts';
import { NAMESPACE, poolRef } from '../cluster/manifests.ts';
import type { Violation } from '../world.ts';
import type { Knowledge } from './knowledge.ts';
import { publishedIn } from './published.ts';

export type PromptnessFacts = {
  readonly server: ApiServer;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly knowledge: Knowledge;
  readonly declaredDead: ReadonlySet<string>;
  readonly report: (violation: Violation) => void;
};

/** Two seconds, and the time for a decision, an event and a write. */
const TOLD_WITHIN_MS = 2_500;

export class Promptness {
  readonly #with: PromptnessFacts;
  /** By problem: since when the leader could see it, without a break. */
  #since = new Map<string, number>();
  #isReported = false;

  constructor(facts: PromptnessFacts) {
    this.#with = facts;
  }

  /** Of the leading process, undisturbed; without a leader, all measurements start over. */
  look(identity: string | undefined): void {
    const { server, clock, report } = this.#with;
    const pool = server.find(kinds.SwarmPool, poolRef);
    const isAsked = dig(pool, 'spec', 'probe', 'type') === 'HTTPGet';
    const wrong =
      identity === undefined || pool === undefined || !isAsked ? [] : this.#wrong(identity);
    const now = clock.monotonic();
    this.#since = new Map(wrong.map((what) => [what, this.#since.get(what) ?? now]));
    const [late] = [...this.#since].filter(([, at]) => now - at >= TOLD_WITHIN_MS);
    if (late === undefined || this.#isReported) return;
    const good = asList(dig(pool, 'status', 'conditions')).flatMap((it) =>
      ['Ready', 'Converged'].filter(
        (type) => dig(it, 'type') === type && dig(it, 'status') === 'True',
      ),
    );
    if (good.length === 0) return;
    this.#isReported = true;
    report({
      oracle: 'late report',
      message: `${late[0]}, visible for ${now - late[1]} ms, and the pool is ${good.join(' and ')}`,
    });
  }

  #wrong(identity: string): readonly string[] {
    const { server, ledger } = this.#with;
    const workloads = [...(publishedIn(server)?.workloads ?? [])];
    const given = workloads.flatMap(([worker, { jobs }]) =>
      jobs.map((stream) => [stream, worker] as const),
    );
    const kept = workloads.flatMap(([worker, { releasing = [] }]) =>
      releasing.map(
        (stream) => `${worker} has not released ${stream === ANYTHING ? 'anything' : stream}`,
      ),
    );
    const nowhere = given.flatMap(([stream, worker]) => {
      const runs = ledger.consumersOf(stream).some(({ uid }) => !this.#with.declaredDead.has(uid));
      const why = runs ? undefined : this.#whyNot(identity, worker, stream);
      return why === undefined ? [] : [`${stream} of ${worker} runs nowhere: ${why}`];
    });
    return [...kept, ...nowhere, ...this.#twice(identity)];
  }

  /** How the operator can see that a worker does not run its stream. */
  #whyNot(identity: string, worker: string, stream: string): string | undefined {
    const { server, knowledge } = this.#with;
    const pod = server.find(kinds.Pod, { namespace: NAMESPACE, name: worker });
    if (pod === undefined) return 'it has no pod';
    if (isTerminating(pod) || hasEnded(pod)) return 'its pod is terminating';
    if (!isReady(pod)) return 'its pod is not Ready';
    const last = knowledge.lastOf(identity, pod.metadata.uid ?? '');
    if (last === undefined || last.hasFailedSince) return undefined;
    if (last.report === undefined) return 'it does not answer';
    return last.report.jobs?.includes(stream) === false ? 'it reports so' : undefined;
  }

  #twice(identity: string): readonly string[] {
    const { ledger, knowledge, declaredDead } = this.#with;
    return ledger.streams.flatMap((stream) => {
      const said = ledger
        .consumersOf(stream)
        .filter(
          ({ uid }) =>
            !declaredDead.has(uid) &&
            knowledge.isKnownToRun(identity, uid, stream, this.#with.clock.monotonic()),
        );
      const pods = [...new Set(said.map(({ pod, uid }) => `${pod} (${uid})`))];
      return pods.length < 2 ? [] : [`${stream} runs at ${pods.join(' and ')}, as both reported`];
    });
  }
}
