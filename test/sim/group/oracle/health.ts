// Is the group as it should be once nothing happens any more? All members have its size and are
// Ready, and status says just that.
import { asList, asNumber, asString, dig } from '../../../../src/api/objects.ts';
import { conditionIn, type Scene, type SceneMember, stateIn, toldOf } from './scene.ts';

/** Empty when all is well. */
export function groupProblems(scene: Scene | undefined): readonly string[] {
  if (scene === undefined) return ['there is no group, or it is blocked'];
  const { group, status, members, free, size } = scene;
  if (size === undefined) return ['spec.replicas is left out'];
  const isHeld = members.some(({ holder }) => holder !== undefined);
  const condition = (type: string): string => conditionIn(status, type).status;
  const expected: readonly (readonly [what: string, found: unknown, wanted: unknown])[] = [
    ['status.observedGeneration', dig(status, 'observedGeneration'), group.metadata.generation],
    ['status.replicas', dig(status, 'replicas'), size],
    ['status.desiredMembers', dig(status, 'desiredMembers'), members.length],
    ['status.readyMembers', dig(status, 'readyMembers'), free.length],
    ['Ready', condition('Ready'), isHeld ? 'False' : 'True'],
    ['Reconciling', condition('Reconciling'), 'False'],
    ['Stalled', condition('Stalled'), isHeld ? 'True' : 'False'],
    ['Conflicted', condition('Conflicted'), isHeld ? 'True' : 'False'],
  ];
  return [
    ...expected.flatMap(([what, found, wanted]) =>
      found === wanted ? [] : [`${what} is ${String(found)}, not ${String(wanted)}`],
    ),
    ...members.flatMap((member) => memberProblems(scene, member, size)),
    ...transitionProblems(status),
  ];
}

function memberProblems(scene: Scene, member: SceneMember, size: number): readonly string[] {
  const { key, object, holder, at, replicas, present, ready } = member;
  if (object === undefined) return [`${key} is not there`];
  if (holder !== undefined) return [];
  const wanted = at(size);
  const told = toldOf(scene, member);
  const found: readonly (readonly [what: string, found: unknown])[] = [
    ['replicas', replicas],
    ['pods', present],
    ['ready pods', ready],
    ['desired replicas in status', dig(told, 'desired')],
    ['replicas in status', dig(told, 'replicas')],
    ['ready replicas in status', dig(told, 'ready')],
  ];
  return [
    ...found.flatMap(([what, it]) =>
      it === wanted ? [] : [`${key} has ${String(it)} ${what}, not ${wanted}`],
    ),
    ...(dig(told, 'state') === 'Ready' ? [] : [`${key} is ${String(dig(told, 'state'))}`]),
  ];
}

function transitionProblems(status: unknown): readonly string[] {
  const state = stateIn(status);
  const history = asList(dig(status, 'history'));
  const untrue = history.filter((it) => {
    const [total, patch] = [dig(it, 'totalMilliseconds'), dig(it, 'patchMilliseconds')].map(
      asNumber,
    );
    return total !== undefined && patch !== undefined && patch > total;
  });
  return [
    ...(state === 'Scaling' || state === 'RollingBack' ? [`the transition is ${state}`] : []),
    ...(history.length > 20 ? [`history has ${history.length} lines`] : []),
    ...untrue.map((it) => `times are not plausible: ${asString(JSON.stringify(it))}`),
  ];
}
