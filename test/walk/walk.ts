// Does a witness that watches pods find a broken promise, while users do what they may and
// operators are killed and frozen?
import { setTimeout as delay } from 'node:timers/promises';
import { kinds } from '../../src/api/kinds.ts';
import type { KubeClient } from '../../src/runtime/client/client.ts';
import { Swarm } from '../integration/support/swarm.ts';
import { Random } from '../sim/random.ts';
import { faults, Operators } from './operators.ts';
import { namespaces, Rest } from './rest.ts';
import { type Account, adminOf, openAccounts } from './users/account.ts';
import { type Action, queueNames, type World } from './users/action.ts';
import { adminActions } from './users/admins.ts';
import { batchJobActions } from './users/batch-jobs.ts';
import { podActions } from './users/pods.ts';
import { queueActions, queueObject } from './users/queues.ts';
import { swarmJobActions } from './users/swarm-jobs.ts';
import { Record } from './witness/record.ts';
import type { Finding } from './witness/seen.ts';
import { Witness } from './witness/witness.ts';

const actions: readonly Action[] = [
  ...queueActions,
  ...swarmJobActions,
  ...batchJobActions,
  ...podActions,
  ...adminActions,
];

/** After so many actions all rests. */
const ROUND = 100;
/** Between two actions, at most. */
const PACE_MS = 300;
const FAULTY = 0.06;
/** How many actions before a failure are shown. */
const LAST = 12;

export type WalkOptions = {
  readonly actions: number;
  readonly seed: number;
  readonly say: (line: string) => void;
  /** Ends the walk early. */
  readonly signal: AbortSignal;
  /** Also says each action. */
  readonly isTold: boolean;
};

export type Figures = {
  readonly actions: number;
  readonly kills: number;
  readonly freezes: number;
  readonly restarts: number;
  readonly pods: number;
  readonly preemptions: number;
  readonly checks: number;
  readonly failures: number;
};

type Step = { readonly atMs: number; readonly text: string };

export class Walk {
  readonly #options: WalkOptions;
  readonly #swarm: Swarm;
  readonly #operators: Operators;
  readonly #admin: KubeClient;
  readonly #record: Record;
  readonly #witness = new Witness();
  readonly #rest: Rest;
  readonly #random: Random;
  readonly #steps: Step[] = [];
  readonly #told = new Set<string>();
  #taken = 0;

  private constructor(options: WalkOptions, swarm: Swarm) {
    this.#options = options;
    this.#swarm = swarm;
    this.#operators = new Operators(swarm);
    this.#admin = adminOf(swarm);
    this.#record = new Record(this.#admin);
    this.#rest = new Rest(this.#admin);
    this.#random = new Random(options.seed);
  }

  static async run(options: WalkOptions): Promise<Figures> {
    const swarm = await Swarm.start();
    try {
      return await new Walk(options, swarm).#run();
    } finally {
      await swarm.stop();
    }
  }

  async #run(): Promise<Figures> {
    const { signal } = this.#options;
    const users = await openAccounts(this.#swarm, namespaces);
    await this.#record.watch(namespaces);
    await this.#operators.start();
    await this.#createQueues();
    try {
      while (this.#taken < this.#options.actions && !signal.aborted) {
        await this.#act(users);
        if (this.#taken % ROUND === 0 && this.#taken < this.#options.actions) await this.#settle();
        else await delay(this.#random.next() * PACE_MS);
      }
      if (signal.aborted) this.#tellAll([]);
      else {
        await this.#settle();
        await this.#rest.clear();
        await this.#settle();
      }
      return this.#figures();
    } finally {
      await this.#operators.heal().catch(() => undefined);
      this.#record.stop();
    }
  }

  async #createQueues(): Promise<void> {
    const random = this.#random.fork('queues');
    for (const namespace of namespaces)
      for (const name of queueNames)
        await this.#admin.create(kinds.SwarmQueue, queueObject(namespace, name, random));
  }

  async #act(users: readonly Account[]): Promise<void> {
    const random = this.#random.fork(`action ${this.#taken}`);
    if (random.chance(FAULTY)) await this.#injectFault(random);
    const namespace = random.pick(namespaces);
    const { api, name: user } = random.pick(users);
    const world: World = {
      ...{ api, user, admin: this.#admin, namespace, random },
      kubectl: (...args) => this.#swarm.kubectl('-n', namespace, '--as', user, ...args),
    };
    for (;;) {
      const [, name, act] = drawAction(random);
      const did = await act(world);
      if (did === undefined) continue;
      this.#taken += 1;
      if (name.endsWith('the ledger')) this.#witness.noteDamage(namespace, Date.now());
      this.#note(`[${this.#taken}] ${namespace}: ${name} ${did}`);
      return;
    }
  }

  async #injectFault(random: Random): Promise<void> {
    const fault = random.pick(faults);
    const seconds = random.between(2, 14);
    if (!(await this.#operators.inject(fault, seconds))) return;
    this.#witness.noteFault(Date.now());
    this.#note(`${fault}${fault === 'freeze the leader' ? ` for ${seconds} s` : ''}`);
  }

  #note(text: string): void {
    const step = { atMs: Date.now(), text };
    this.#steps.push(step);
    if (this.#options.isTold) this.#options.say(`${timeText(step.atMs)} ${text}`);
  }

  /** Users and faults rest until nothing moves; then all is looked at. */
  async #settle(): Promise<void> {
    await this.#operators.heal();
    this.#note('all rest');
    this.#tellAll(await this.#rest.wait(this.#options.signal));
    await this.#rest.clearEnded();
  }

  /** What is found since the last time. */
  #tellAll(unrest: readonly string[]): void {
    for (const seen of this.#record.take()) this.#witness.take(seen);
    const atMs = Date.now();
    const found: readonly Finding[] = [
      ...this.#witness.findings,
      ...unrest.map((text) => ({ check: 'rest', atMs, text })),
      ...[...this.#operators.complaints(), ...this.#record.gaps].map((text) => ({
        ...{ check: 'process', atMs, text },
      })),
    ];
    for (const finding of found) this.#tell(finding);
    this.#options.say(figuresText(this.#figures()));
  }

  #tell({ check, atMs, text }: Finding): void {
    if (this.#told.has(`${check} ${text}`)) return;
    this.#told.add(`${check} ${text}`);
    const before = this.#steps.filter((step) => step.atMs <= atMs).slice(-LAST);
    const story = before.map((step) => `    ${timeText(step.atMs)} ${step.text}`).join('\n');
    const { seed, say } = this.#options;
    say(`✗ ${check}: ${text} (seed ${seed}, ${timeText(atMs)}), after\n${story}`);
  }

  #figures(): Figures {
    const { kills, freezes, restarts } = this.#operators;
    const { known, checks, preemptions } = this.#witness;
    return {
      ...{ actions: this.#taken, kills, freezes, restarts, pods: known.pods.size, preemptions },
      ...{ checks: checks + this.#rest.checks, failures: this.#told.size },
    };
  }
}

const timeText = (ms: number): string => new Date(ms).toISOString().slice(11, 23);

export const figuresText = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, number]) => `${number} ${name}`)
    .join(', ');

function drawAction(random: Random): Action {
  const all = actions.reduce((sum, [weight]) => sum + weight, 0);
  let left = random.next() * all;
  for (const action of actions) {
    left -= action[0];
    if (left < 0) return action;
  }
  throw new Error('no action was drawn');
}
