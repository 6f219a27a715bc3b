// Which attack comes next? Every kind once in random order, then again in a new order: the seed
// decides, and each kind is as frequent as the others.
import type { KubeClient } from '../../src/runtime/client/client.ts';
import type { Random } from '../sim/random.ts';
import { assignmentAttacks } from './attacks/assignments.ts';
import { churnAttacks } from './attacks/churn.ts';
import { forgedJobAttacks } from './attacks/forged-jobs.ts';
import { jobAttacks } from './attacks/jobs.ts';
import { listAttacks } from './attacks/lists.ts';
import { manyObjectAttacks } from './attacks/many-objects.ts';
import { podAttacks } from './attacks/pods.ts';
import { poolAttacks } from './attacks/pools.ts';
import { queueAttacks } from './attacks/queues.ts';
import { socketAttacks } from './attacks/sockets.ts';
import { workloadAttacks } from './attacks/workloads.ts';
import {
  type Attack,
  type Expected,
  type Ports,
  type Tally,
  Tenant,
  type Victim,
} from './tenant.ts';

const all: readonly Attack[] = [
  ...poolAttacks,
  ...workloadAttacks,
  ...listAttacks,
  ...assignmentAttacks,
  ...podAttacks,
  ...socketAttacks,
  ...manyObjectAttacks,
  ...churnAttacks,
  ...jobAttacks,
  ...queueAttacks,
  ...forgedJobAttacks,
];

export const attackKinds: readonly string[] = all.map(({ kind }) => kind);

/** The number of concurrent attacks. */
const LANES = 3;
/** The number of pools of each kind in each namespace. */
const NAMESAKES = 2;
const PAUSE_MS = 30;

export type AttackRun = { readonly at: number; readonly kind: string; readonly on: string };

export type AttackOrderOptions = {
  readonly api: KubeClient;
  readonly namespaces: readonly [string, string];
  readonly victim: Victim;
  readonly ports: Ports;
  readonly random: Random;
  /** Left out: all. */
  readonly only?: readonly string[] | undefined;
};

export class AttackOrder {
  readonly tallies = new Map<string, Tally>();
  /** By pool: what its status must show after the last attack on it. */
  readonly expected = new Map<string, Expected['says']>();
  readonly runs: AttackRun[] = [];
  /** Attacks that failed by an error of their own. */
  readonly mistakes: string[] = [];
  readonly #options: AttackOrderOptions;
  readonly #attacks: readonly Attack[];
  #rest: readonly Attack[] = [];
  #count = 0;

  constructor(options: AttackOrderOptions) {
    this.#options = options;
    this.#attacks = all.filter(
      ({ kind }) => options.only === undefined || options.only.includes(kind),
    );
  }

  /** Until the signal aborts. */
  async start(ending: AbortSignal): Promise<void> {
    const lane = async (): Promise<void> => {
      while (!ending.aborted) await this.#run(this.#next(), ending);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  #next(): Attack {
    if (this.#rest.length === 0) this.#rest = shuffled(this.#attacks, this.#options.random);
    const [first, ...rest] = this.#rest;
    if (first === undefined) throw new Error('there is no attack of these kinds');
    this.#rest = rest;
    return first;
  }

  async #run(attack: Attack, ending: AbortSignal): Promise<void> {
    const { random, namespaces, api, victim, ports } = this.#options;
    const { kind } = attack;
    this.#count += 1;
    const own = random.fork(`${kind} ${this.#count}`);
    const [namespace, other] = own.chance(0.5) ? namespaces : [namespaces[1], namespaces[0]];
    const name = `${kind}-${own.between(0, NAMESAKES - 1)}`;
    const tally = this.tallies.get(kind) ?? { runs: 0, taken: 0, refused: 0 };
    this.tallies.set(kind, tally);
    tally.runs += 1;
    this.runs.push({ at: Date.now(), kind, on: `${namespace}/${name}` });
    const tenant = new Tenant({ api, victim, ports, ending, tally });
    try {
      const expected = await attack.run(tenant, { namespace, other, name, random: own });
      // An attack that was interrupted need not have its effect.
      const key = `${namespace}/${name}`;
      if (ending.aborted || expected.length === 0) this.expected.delete(key);
      if (!ending.aborted) for (const { pool, says } of expected) this.expected.set(pool, says);
    } catch (error) {
      this.mistakes.push(
        `${kind}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
    await tenant.pause(PAUSE_MS);
  }
}

function shuffled<T>(list: readonly T[], random: Random): readonly T[] {
  const left = [...list];
  const shuffled: T[] = [];
  while (left.length > 0) shuffled.push(...left.splice(random.between(0, left.length - 1), 1));
  return shuffled;
}
