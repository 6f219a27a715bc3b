// How do workers learn of a new slice? They are nudged, replaced in waves, or nudged first and
// replaced if they do not reload.
import type { Slice } from '../../api/assignment.ts';
import { kinds } from '../../api/kinds.ts';
import type { ConfigMap } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import { type EventText, type Step, versionedRefOf } from '../../core/decision.ts';
import { ANNOTATION_RESTARTED, listed, plural } from '../../core/meta.ts';
import type { DesiredState } from '../desired-state.ts';
import type { EventReason } from '../reasons.ts';
import type { Member } from '../workers/members.ts';
import type { PoolWorld } from '../world.ts';
import { isByReplacement } from './mode.ts';
import { nudgesNow } from './nudge.ts';
import { restartsNow } from './restart.ts';

export type Refresh = {
  readonly steps: readonly Step[];
  readonly events: readonly EventText[];
  readonly nextInMs: number | undefined;
};

const isVouching = ({ handoff }: SwarmPoolSpec): boolean => handoff.type === 'Exclusive';

/** With the publication: nudges all workers whose slice changes. */
export function refreshOfChange(
  spec: SwarmPoolSpec,
  members: readonly Member[],
  slices: ReadonlyMap<string, Slice>,
  changed: ReadonlySet<string>,
): readonly Step[] {
  return spec.refresh.mode === 'Restart'
    ? []
    : nudgesNow({
        members,
        slices,
        changed,
        isVouching: isVouching(spec),
        annotatedMs: {},
        answersMs: 0,
        unprobed: new Set(),
      }).steps;
}

/** After the publication: repeats nudges, replaces the next pods. */
export function refreshNow(world: PoolWorld, { spec, members, slices }: DesiredState): Refresh {
  // A pod that is to be replaced must not follow a part of the change first.
  const told =
    spec.refresh.mode === 'Restart' ? members.filter(({ isOutdated }) => !isOutdated) : members;
  const nudges = nudgesNow({
    members: told,
    slices,
    changed: new Set(),
    isVouching: isVouching(spec),
    annotatedMs: world.ages.annotatedMs,
    answersMs: world.ages.answersMs,
    unprobed: world.unprobed,
  });
  const { restarted } = world.published;
  const restarts =
    spec.refresh.mode === 'Reload'
      ? []
      : restartsNow({ spec, members, slices, sliceMs: world.ages.sliceMs, restarted });
  const evictions = restarts.flatMap(({ pod }) =>
    pod === undefined ? [] : [{ do: 'evict', pod: versionedRefOf(pod) } as const],
  );
  const deaf = restarts.filter(({ isOutdated }) => !isOutdated);
  const note =
    deaf.length > 0
      ? [noteRestarts(world.published.shards[0]?.configMap, restarted, deaf, slices)]
      : [];
  const names = restarts.map(({ name }) => name);
  const message = `${plural(names.length, 'worker')} replaced, to take up what it was assigned: ${listed(names)}`;
  return {
    steps: [...nudges.steps, ...note.flat(), ...evictions],
    events:
      names.length === 0
        ? []
        : [
            {
              type: 'Normal',
              reason: 'Restarting' satisfies EventReason,
              action: 'Refresh',
              message,
            },
          ],
    nextInMs: nudges.nextInMs,
  };
}

/** Noted before the eviction: a crash in between skips one restart, but never repeats one. */
function noteRestarts(
  configMap: ConfigMap | undefined,
  restarted: Readonly<Record<string, number>>,
  restarts: readonly Member[],
  slices: ReadonlyMap<string, Slice>,
): readonly Step[] {
  if (configMap === undefined) return [];
  const { name, namespace, uid, resourceVersion } = configMap;
  const known = Object.entries(restarted).filter(
    ([worker, version]) => slices.get(worker)?.version === version,
  );
  const note = Object.fromEntries([
    ...known,
    ...restarts.map((member) => [member.name, slices.get(member.name)?.version ?? 0] as const),
  ]);
  const body = { metadata: { annotations: { [ANNOTATION_RESTARTED]: JSON.stringify(note) } } };
  return [
    { do: 'patch', kind: kinds.ConfigMap, ref: { name, namespace, uid, resourceVersion }, body },
  ];
}

/** Outdated pods that still live, and the pods of workers whose slice changes now. */
export function outdatedAfter(
  spec: SwarmPoolSpec,
  members: readonly Member[],
  changed: ReadonlySet<string>,
): readonly string[] | undefined {
  if (!isByReplacement(spec)) return undefined;
  return members.flatMap(({ pod, isOutdated, name }) =>
    pod !== undefined && (isOutdated || changed.has(name)) ? [pod.uid] : [],
  );
}
