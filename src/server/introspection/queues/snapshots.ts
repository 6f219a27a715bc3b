// What did the engine last observe and decide about each queue? The queues of a namespace are
// decided about together.
import { keyOf } from '../../../api/objects.ts';
import { Snapshots } from '../snapshots.ts';
import { type QueueSnapshot, queueSummaryOf } from './summary.ts';

export class QueueSnapshots extends Snapshots<QueueSnapshot> {
  readonly kind = 'SwarmQueue';
  readonly events = { changed: 'queue', gone: 'queue-gone' };
  readonly inShort = queueSummaryOf;
  /** By key of the namespace. */
  readonly #keys = new Map<string, readonly string[]>();

  decided(key: string, { world, decision, now }: Omit<QueueSnapshot, 'queue'>): void {
    const keys = world.queues.map(({ meta: { namespace, name } }) => keyOf({ namespace, name }));
    const before = this.#keys.get(key) ?? [];
    this.#keys.set(key, keys);
    for (const it of before) if (!keys.includes(it)) super.forgotten(it);
    for (const queue of world.queues) this.keep(keyOf(queue.meta), { world, decision, now, queue });
  }

  /** `key`: of the namespace. */
  override forgotten(key: string): void {
    for (const it of this.#keys.get(key) ?? []) super.forgotten(it);
    this.#keys.delete(key);
  }
}
