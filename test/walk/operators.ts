// Two operators: one leads, one stands by. Faults end and freeze them.
import { readFileSync } from 'node:fs';
import { kinds } from '../../src/api/kinds.ts';
import { asString, dig } from '../../src/api/objects.ts';
import type { OperatorProcess } from '../../src/playground/operator-process.ts';
import type { Swarm } from '../integration/support/swarm.ts';
import { strangeLinesIn } from '../support/operator-logs.ts';
import { eventually } from '../support/processes.ts';

const LEADER_SECONDS = 60;

/** Each as likely as it is frequent here. */
export const faults = [
  'kill the leader',
  'kill the leader',
  'freeze the leader',
  'restart the leader',
] as const;
type Fault = (typeof faults)[number];

export class Operators {
  kills = 0;
  freezes = 0;
  restarts = 0;
  readonly #swarm: Swarm;
  readonly #all: OperatorProcess[] = [];
  readonly #ended = new Set<OperatorProcess>();
  #fault: Promise<void> | undefined;
  #thaw: () => void = () => undefined;
  /** Why a fault could not be healed. */
  readonly #failures: string[] = [];

  constructor(swarm: Swarm) {
    this.#swarm = swarm;
  }

  async start(): Promise<void> {
    this.#all.push(await this.#swarm.operator('--kinds', 'queues,jobs'));
    this.#all.push(await this.#swarm.operator('--kinds', 'queues,jobs'));
    await this.heal();
  }

  /** False: another fault is not over. It goes on beside the walk. */
  async inject(fault: Fault, seconds: number): Promise<boolean> {
    if (this.#fault !== undefined) return false;
    const leader = await this.#leader();
    if (leader === undefined) return false;
    const over =
      fault === 'freeze the leader' ? this.#freeze(leader, seconds) : this.#end(leader, fault);
    this.#fault = over
      .catch((error: unknown) => void this.#failures.push(String(error)))
      .finally(() => {
        this.#fault = undefined;
      });
    return true;
  }

  /** All faults are over, and an operator leads. */
  async heal(): Promise<void> {
    this.#thaw();
    await this.#fault;
    await eventually(
      'an operator leads',
      async () => (await this.#leader()) !== undefined,
      LEADER_SECONDS,
    );
  }

  /** What is wrong with the processes themselves. */
  complaints(): readonly string[] {
    const gone = this.#all
      .filter((it) => it.hasEnded && !this.#ended.has(it))
      .map(({ logFile }) => `an operator ended by itself: ${logFile}`);
    return [...this.#failures, ...gone, ...strangeLinesIn(this.#logs())];
  }

  #logs(): string {
    return this.#all.map(({ logFile }) => readFileSync(logFile, 'utf8')).join('');
  }

  /** The one whose log has the name in the Lease. */
  async #leader(): Promise<OperatorProcess | undefined> {
    const ref = { namespace: 'swarm-operator', name: 'swarm-operator' };
    const lease = await this.#swarm.api.get(kinds.Lease, ref).catch(() => undefined);
    const holder = asString(dig(lease, 'spec', 'holderIdentity')) ?? '';
    if (holder === '') return undefined;
    return this.#all.find(
      (it) => !it.hasEnded && readFileSync(it.logFile, 'utf8').includes(`"identity":"${holder}"`),
    );
  }

  async #freeze(leader: OperatorProcess, seconds: number): Promise<void> {
    this.freezes += 1;
    leader.signal('SIGSTOP');
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 1_000 * seconds);
      this.#thaw = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    leader.signal('SIGCONT');
  }

  async #end(leader: OperatorProcess, fault: Fault): Promise<void> {
    this.#ended.add(leader);
    if (fault === 'kill the leader') this.kills += 1;
    else this.restarts += 1;
    await leader.end(fault === 'kill the leader' ? 'SIGKILL' : 'SIGTERM');
    this.#all.push(await this.#swarm.operator('--kinds', 'queues,jobs'));
  }
}
