// Which ranks of a gang are there, and does any begin before all are? As the nodes know it.
import type { KubeObject } from '../../../../src/api/objects.ts';
import { ownerUid } from '../../cluster/facts.ts';
import type { Violation } from '../../world.ts';
import { rankOf } from './missing-pods.ts';

/** The address of each rank whose container was started. */
type Started = ReadonlyMap<number, string>;

export class Gangs {
  readonly #report: (violation: Violation) => void;
  readonly #addressOf: (pod: KubeObject) => string;
  /** By batch Job. */
  readonly #started = new Map<string, Started>();

  constructor(report: (violation: Violation) => void, addressOf: (pod: KubeObject) => string) {
    this.#report = report;
    this.#addressOf = addressOf;
  }

  /** The container of its command runs, and waits or works. */
  start(pod: KubeObject): void {
    const uid = ownerUid(pod) ?? '';
    const before = this.#started.get(uid) ?? new Map();
    this.#started.set(uid, new Map([...before, [rankOf(pod), this.#addressOf(pod)]]));
  }

  /** It has read these addresses, and begins its command. */
  begin(pod: KubeObject, addresses: string): void {
    const started = this.#started.get(ownerUid(pod) ?? '') ?? new Map();
    const size = Number(pod.metadata.annotations?.['k8slab.info/size']);
    const read = addresses.split('\n').slice(0, -1);
    const { name } = pod.metadata;
    if (started.size < size)
      this.#report({
        oracle: 'together',
        message: `${name} begins, and ${started.size} of ${size} ranks were ever there`,
      });
    const wrong = read.findIndex((it, rank) => it !== '-' && it !== started.get(rank));
    if (read.length !== size || wrong >= 0)
      this.#report({
        oracle: 'together',
        message: `${name} has ${JSON.stringify(read)} as the addresses of ${JSON.stringify([...started.values()])}`,
      });
  }
}
