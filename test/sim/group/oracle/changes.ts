// What has a user or another writer changed, and since when has nothing changed?
import { asRecord, dig } from '../../../../src/api/objects.ts';
import type { Writer } from '../audit.ts';
import type { Scene, SceneMember } from './scene.ts';

export type Change =
  /** Another group of this name. */
  | 'group'
  | 'size'
  | 'pause'
  /** Of the group's spec, but its size and its pause; or of its annotation `retry`. */
  | 'edit'
  /** A member came, went, is another one, has another template, or says another thing of itself. */
  | 'membership'
  /** Another writer scales a member from now on, or does so no more. */
  | 'holding'
  /** Another writer scaled a member. */
  | 'hand';

const RETRY = 'k8slab.info/retry';

const texts = new WeakMap<object, string>();

function textOf(value: unknown): string {
  const record = asRecord(value);
  if (record === undefined) return '';
  const known = texts.get(record) ?? JSON.stringify(record);
  texts.set(record, known);
  return known;
}

const editable = new WeakMap<object, string>();

function editableIn({ group }: Scene): string {
  const spec = asRecord(group['spec']) ?? {};
  const { replicas: _, paused: __, ...rest } = spec;
  const known = editable.get(spec) ?? JSON.stringify(rest);
  editable.set(spec, known);
  return `${known} ${group.metadata.annotations?.[RETRY] ?? ''}`;
}

const membershipIn = ({ members }: Scene): string =>
  members
    .map(({ key, uid, object, annotated }) =>
      [key, uid, textOf(dig(object, 'spec', 'template')), annotated].join(' '),
    )
    .join();

const holdingIn = ({ members }: Scene): string =>
  members.map(({ key, holder, refusal }) => `${key} ${holder} ${refusal}`).join();

export function changesBetween(
  before: Scene | undefined,
  after: Scene,
  writer: Writer,
): ReadonlySet<Change> {
  if (before === undefined || before.group.metadata.uid !== after.group.metadata.uid)
    return new Set<Change>(['group', 'edit', 'membership', 'size']);
  const changed = (of: (scene: Scene) => unknown): boolean => of(before) !== of(after);
  const rows: readonly (readonly [Change, boolean])[] = [
    ['size', changed((it) => it.size)],
    ['pause', changed((it) => it.isPaused)],
    ['edit', before.group !== after.group && changed(editableIn)],
    ['membership', changed(membershipIn)],
    ['holding', changed(holdingIn)],
    ['hand', writer === 'other' && scaledBetween(before, after).length > 0],
  ];
  return new Set(rows.flatMap(([change, isSo]) => (isSo ? [change] : [])));
}

export type Scaled = { readonly before: SceneMember; readonly after: SceneMember };

export const scaledBetween = (before: Scene | undefined, after: Scene): readonly Scaled[] =>
  before === undefined
    ? []
    : after.members.flatMap((member) => {
        const earlier = before.members.find(
          ({ uid, key }) => uid === member.uid && key === member.key,
        );
        return earlier === undefined || member.uid === '' || earlier.replicas === member.replicas
          ? []
          : [{ before: earlier, after: member }];
      });

/** More pods Ready than ever, a surplus smaller than ever, or a member that never was settled. */
export class Progress {
  readonly #ready = new Map<string, number>();
  readonly #surplus = new Map<string, number>();
  readonly #settled = new Set<string>();

  restart(): void {
    this.#ready.clear();
    this.#surplus.clear();
    this.#settled.clear();
  }

  /** True when there is progress. */
  take({ free, size }: Scene): boolean {
    let isProgress = false;
    for (const { uid, ready, present, replicas, at, needed, isObserved } of free) {
      const surplus = Math.max(0, present - replicas);
      const isLess = surplus < (this.#surplus.get(uid) ?? Number.POSITIVE_INFINITY);
      const isMore = ready > (this.#ready.get(uid) ?? -1);
      const target = size === undefined ? undefined : at(size);
      const isDone = replicas === target && isObserved && ready >= needed(target) && surplus === 0;
      isProgress ||= isMore || isLess || (isDone && !this.#settled.has(uid));
      if (isMore) this.#ready.set(uid, ready);
      if (isLess) this.#surplus.set(uid, surplus);
      if (isDone) this.#settled.add(uid);
    }
    return isProgress;
  }
}
