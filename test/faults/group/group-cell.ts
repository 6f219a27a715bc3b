// One fault in one state of a group: its namespace, its members, and every state that they had.
import { type Group, makeGroupIn } from '../../integration/support/group.ts';
import { type Arena, OperatedNamespace } from '../operated-namespace.ts';
import { GroupRecord } from './group-record.ts';
import { type Order, replicasAt, stages } from './members.ts';

type Beginning = {
  readonly size: number;
  readonly order: Order;
  /** After so many seconds without progress a transition is rolled back. */
  readonly timeoutSeconds: number;
};

export class GroupCell extends OperatedNamespace {
  readonly record: GroupRecord;
  readonly order: Order;
  readonly #beginning: Beginning;
  readonly #closing: (() => Promise<void>)[] = [];
  #group: Group | undefined;

  constructor(arena: Arena, namespace: string, beginning: Beginning) {
    super(arena, namespace);
    this.order = beginning.order;
    this.#beginning = beginning;
    this.record = new GroupRecord(this.swarm.api, namespace);
  }

  get group(): Group {
    if (this.#group === undefined) throw new Error(`${this.namespace} has no group`);
    return this.#group;
  }

  /** Members and group, at rest. */
  async create(policy?: object): Promise<void> {
    const { size, order, timeoutSeconds } = this.#beginning;
    const names = Object.entries(stages);
    this.#group = await makeGroupIn(this.swarm, this.namespace, {
      members: Object.fromEntries(
        names.map(([name]) => [name, { replicas: replicasAt(name, size), startsIn: 1 }]),
      ),
      spec: {
        ...(policy === undefined ? { replicas: size } : { policy }),
        members: names.map(([name, rules]) => ({ kind: 'Deployment', name, ...rules })),
        transition: { order, timeoutSeconds, onTimeout: 'Rollback' },
      },
    });
    await this.group.atSize(size);
  }

  readonly scale = async (size: number): Promise<void> => {
    await this.group.kubectl('scale', 'swarmgroup/shop', `--replicas=${size}`);
  };

  untilCompleted(size: number): Promise<unknown> {
    return this.group.until(
      `has reached size ${size}`,
      ({ replicas, transition }) => replicas === size && transition?.state === 'Completed',
    );
  }

  /** What was started for this cell alone. The operators end before it. */
  whenClosed(close: () => Promise<void>): void {
    this.#closing.push(close);
  }

  override async close(): Promise<void> {
    await this.record.stop();
    await super.close();
    for (const close of this.#closing) await close();
  }
}
