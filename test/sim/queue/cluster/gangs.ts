// Which ranks of a gang are there, and does any begin before all are? As the nodes know it.
import type { KubeObject } from '../../../../src/api/objects.ts';
import { ownerUid } from '../../cluster/facts.ts';
import type { Violation } from '../../world.ts';
import { rankOf } from './missing-pods.ts';

/** Of one attempt. */
type Gang = {
  /** The address of each rank whose container was started, and had not ended when one began. */
  readonly started: Map<number, string>;
  readonly ended: Set<number>;
  hasBegun: boolean;
};

export class Gangs {
  readonly #report: (violation: Violation) => void;
  readonly #addressOf: (pod: KubeObject) => string;
  /** By batch Job. */
  readonly #gangs = new Map<string, Gang>();

  constructor(report: (violation: Violation) => void, addressOf: (pod: KubeObject) => string) {
    this.#report = report;
    this.#addressOf = addressOf;
  }

  #of(pod: KubeObject): Gang {
    const uid = ownerUid(pod) ?? '';
    const gang = this.#gangs.get(uid) ?? {
      started: new Map<number, string>(),
      ended: new Set<number>(),
      hasBegun: false,
    };
    this.#gangs.set(uid, gang);
    return gang;
  }

  /** The container of its command runs, and waits or works. */
  start(pod: KubeObject): void {
    this.#of(pod).started.set(rankOf(pod), this.#addressOf(pod));
  }

  /** `hadAddresses`: at least one pod of the gang has the addresses, so a rank may have begun. */
  end(pod: KubeObject, hadAddresses: boolean): void {
    const gang = this.#of(pod);
    gang.ended.add(rankOf(pod));
    if (!gang.hasBegun && !hadAddresses) gang.started.delete(rankOf(pod));
  }

  /** The leader has ended, and these followers should have ended since. */
  reportSurvivors(leader: KubeObject, survivors: readonly string[]): void {
    const message = `${survivors.join(', ')} goes on without ${leader.metadata.name}`;
    this.#report({ oracle: 'follower', message });
  }

  /** It has keys: are they those of its attempt? */
  mount(pod: KubeObject, keys: KubeObject): void {
    if (ownerUid(keys) === ownerUid(pod)) return;
    const message = `${pod.metadata.name} has the keys of another attempt: ${keys.metadata.name}`;
    this.#report({ oracle: 'keys', message });
  }

  /** It has read these addresses, and begins its command. */
  begin(pod: KubeObject, addresses: string): void {
    const gang = this.#of(pod);
    const size = Number(pod.metadata.annotations?.['k8slab.info/size']);
    const read = addresses.split('\n').slice(0, -1);
    const { name } = pod.metadata;
    if (gang.started.size < size)
      this.#report({
        oracle: 'together',
        message: `${name} begins, and ${gang.started.size} of ${size} ranks are there`,
      });
    gang.hasBegun = true;
    const isTrue = (address: string, rank: number): boolean =>
      address === '-' ? gang.ended.has(rank) : address === gang.started.get(rank);
    if (read.length !== size || !read.every(isTrue))
      this.#report({
        oracle: 'together',
        message: `${name} has ${JSON.stringify(read)} as the addresses of ${JSON.stringify([...gang.started.values()])}`,
      });
  }
}
