// An operator for tests of experiments: each new size is reached after a while, unless a test says
// otherwise.
import { kinds } from '../../../../src/api/kinds.ts';
import { asNumber, dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { MemoryApi } from '../../../support/memory-api.ts';
import type { VirtualClock } from '../../../support/virtual-clock.ts';
import { condition, memberAt, ready } from '../group-object.ts';

export const TAKES_MS = 3_000;

type Ending = {
  readonly state: string;
  readonly conditions: readonly object[];
  readonly times?: object;
};

/** By the wanted size; undefined: no operator runs. */
export type Endings = (to: number) => Ending | undefined;

export const reached = (to: number): Ending => ({
  state: 'Completed',
  conditions: [ready],
  times: {
    totalMilliseconds: 1_000 * to,
    patchMilliseconds: 20,
    members: [
      {
        kind: 'Deployment',
        name: 'web',
        patchMilliseconds: 10 * to,
        readyMilliseconds: 1_000 * to,
      },
    ],
  },
});

export const timedOut = (to: number): Ending => ({
  state: 'TimedOut',
  conditions: [
    condition('Ready', 'False', 'TransitionTimedOut', `size ${to} was not reached`),
    condition('Stalled', 'True', 'TransitionTimedOut', `size ${to} was not reached`),
  ],
  times: { members: [{ kind: 'Deployment', name: 'web', patchMilliseconds: 7 }] },
});

export class FakeOperator {
  readonly #api: MemoryApi;
  readonly #clock: VirtualClock;
  readonly #seen = new Map<string, string>();
  endings: Endings = reached;

  constructor(api: MemoryApi, clock: VirtualClock) {
    this.#api = api;
    this.#clock = clock;
    api.store.onChange(kinds.SwarmGroup, () => this.#look());
  }

  #look(): void {
    for (const group of this.#api.store.all({ kind: kinds.SwarmGroup })) {
      const { name, generation } = group.metadata;
      const wanted = `${group.metadata.uid} ${generation}`;
      if (this.#seen.get(name) === wanted) continue;
      const isFirst = !this.#seen.has(name);
      this.#seen.set(name, wanted);
      if (!isFirst) this.#clock.after(1, () => this.#begin(group));
    }
  }

  #begin(group: KubeObject): void {
    const to = asNumber(dig(group['spec'], 'replicas')) ?? 0;
    const from = asNumber(dig(group['status'], 'replicas')) ?? 0;
    const ending = this.endings(to);
    if (ending === undefined) return;
    const { generation } = group.metadata;
    const rest = { observedGeneration: generation };
    if (from === to) {
      this.#write(group, { ...rest, conditions: [ready] });
      return;
    }
    const { times, state, conditions } = ending;
    const before = [
      { kind: 'Deployment', name: 'db', replicas: 1 },
      { kind: 'Deployment', name: 'web', replicas: Math.ceil(1.5 * from) },
    ];
    const transition = {
      from,
      to,
      before,
      reason: 'SizeChanged',
      requestTime: '2026-01-01T00:00:00Z',
    };
    this.#write(group, {
      ...rest,
      conditions: [condition('Ready', 'False', 'Working')],
      transition: { ...transition, state: 'Scaling' },
    });
    this.#clock.after(TAKES_MS, () =>
      this.#write(group, {
        ...rest,
        conditions,
        ...(state === 'Completed' && { replicas: to }),
        members: [memberAt('db', Math.min(1, to)), memberAt('web', Math.ceil(1.5 * to))],
        transition: { ...transition, state, ...(times !== undefined && { times }) },
      }),
    );
  }

  /** Unless the group was changed or deleted meanwhile. */
  #write({ metadata }: KubeObject, status: object): void {
    const { name, namespace = '', uid, generation } = metadata;
    const now = this.#api.store.find(kinds.SwarmGroup, { namespace, name });
    if (now?.metadata.uid !== uid || now?.metadata.generation !== generation) return;
    this.#api.store.merge(kinds.SwarmGroup, { namespace, name }, { status });
  }
}
