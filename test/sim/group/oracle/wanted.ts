// Which size is the group to have now, by its spec? With policy Schedule, and where schedules move
// bounds, that follows from the clock on the wall. A random size is known only once it is
// drawn, from status.
import { asList, asNumber, asString, dig, type KubeObject } from '../../../../src/api/objects.ts';
import { type Line, lastDue, wrongIn } from './due.ts';
import { type Bounds, within } from './exact.ts';

export type Wanted = {
  readonly policy: string;
  /** Within the bounds of now; undefined: there is none yet. */
  readonly size: number | undefined;
  readonly bounds: Bounds;
};

const policyIn = ({ spec }: KubeObject): unknown => dig(spec, 'policy');

export const schedulesIn = (group: KubeObject): readonly unknown[] =>
  asList(dig(policyIn(group), 'schedules'));

const lineOf = (it: unknown): Line => ({
  schedule: asString(dig(it, 'schedule')) ?? '',
  timeZone: asString(dig(it, 'timeZone')) ?? 'UTC',
});

/** Of several that were due at once, the last in the list. */
function inForce(group: KubeObject, wallMs: number): unknown {
  let [newest, since]: [unknown, number] = [undefined, Number.NEGATIVE_INFINITY];
  for (const it of schedulesIn(group)) {
    const due = lastDue(lineOf(it), wallMs);
    if (due !== undefined && due >= since) [newest, since] = [it, due];
  }
  return newest;
}

/** `wallMs`: what a clock on the wall of the operator's machine says, in ms since 1970. */
export function wantedBy(group: KubeObject, wallMs: number): Wanted {
  const policy = asString(dig(policyIn(group), 'type')) ?? 'Manual';
  const schedule = inForce(group, wallMs);
  const bound = (field: string, otherwise: number): number =>
    asNumber(dig(schedule, field)) ?? asNumber(dig(policyIn(group), field)) ?? otherwise;
  const bounds: Bounds = {
    least: bound('minReplicas', policy === 'Manual' ? 0 : 1),
    most: bound('maxReplicas', Number.POSITIVE_INFINITY),
  };
  const asked = askedOf(group, policy, schedule);
  return { policy, size: asked === undefined ? undefined : within(bounds, asked), bounds };
}

function askedOf(
  { spec, status }: KubeObject,
  policy: string,
  schedule: unknown,
): number | undefined {
  if (policy === 'Manual') return asNumber(dig(spec, 'replicas'));
  if (policy === 'Schedule') return asNumber(dig(schedule, 'replicas'));
  return asNumber(dig(status, 'proposal', 'replicas'));
}

/** An invalid schedule: where it stands, and the text that is wrong. */
export function wrongSchedules(
  group: KubeObject,
): readonly (readonly [at: string, text: string])[] {
  return schedulesIn(group).flatMap((it, index) => {
    const wrong = wrongIn(lineOf(it));
    return wrong === undefined ? [] : [[`spec.policy.schedules[${index}]`, wrong] as const];
  });
}

export const periodMsIn = (group: KubeObject): number =>
  (asNumber(dig(policyIn(group), 'periodSeconds')) ?? 60) * 1_000;
