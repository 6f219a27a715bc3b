// Does status say who else scales a member or refuses it, and blame no writer that did not write?
import { asString, dig } from '../../../../../src/api/objects.ts';
import { conditionIn, type SceneMember, toldOf } from '../scene.ts';
import { type Moment, type Problem, problem } from './problem.ts';

export const otherProblems = (moment: Moment): readonly Problem[] =>
  moment.scene.members.flatMap((member) =>
    [held, accused, refused, missing, annotated].flatMap((check) => check(moment, member)),
  );

const toldIn = (
  { scene }: Moment,
  member: SceneMember,
): { readonly state: string; readonly message: string } => {
  const told = toldOf(scene, member);
  const text = (field: string): string => asString(dig(told, field)) ?? '';
  return { state: text('state'), message: text('message') };
};

function held(moment: Moment, member: SceneMember): readonly Problem[] {
  const { key, holder } = member;
  if (holder === undefined) return [];
  const { state, message } = toldIn(moment, member);
  const conflicted = conditionIn(moment.scene.status, 'Conflicted');
  const isTold = state === 'Conflicted' && message.includes(holder);
  return isTold && conflicted.status === 'True'
    ? []
    : [
        problem(
          'held',
          key,
          `${holder} scales ${key}; status says ${state} (${message}), Conflicted ${conflicted.status}`,
        ),
      ];
}

/** A conflict needs three changes of a member while it was the group's. */
function accused(moment: Moment, member: SceneMember): readonly Problem[] {
  const { key, holder, uid, kind } = member;
  const { state, message } = toldIn(moment, member);
  if (state !== 'Conflicted' || holder !== undefined) return [];
  const count = moment.past.hands.countOf(uid);
  if (!member.isContested)
    return [
      problem(
        'accused',
        key,
        `${key} is Conflicted (${message}); another writer changed it ${count} times while it was the group's`,
      ),
    ];
  const field = kind === 'SwarmPool' ? 'spec.workers.replicas' : 'spec.replicas';
  return message.includes(field)
    ? []
    : [problem('names the field', key, `${key} is Conflicted (${message}): the field is ${field}`)];
}

function refused(moment: Moment, member: SceneMember): readonly Problem[] {
  const { scene, past, now } = moment;
  const { key, name, isFree, replicas, at } = member;
  const isAsked = scene.size !== undefined && !scene.isPaused && replicas !== at(scene.size);
  if (!isFree || !isAsked || !past.isRefusedNow(name, now)) return [];
  if (past.failures.of(scene.size) !== undefined || past.openMs('growing', key, now) < 1_000)
    return [];
  if (scene.isStaged && scene.free.some((it) => it.stage < member.stage)) return [];
  const { state, message } = toldIn(moment, member);
  return state === 'Refused' && message.includes('exceeded quota')
    ? []
    : [
        problem(
          'refused',
          key,
          `the API server refuses to scale ${key}; status says ${state} (${message})`,
        ),
      ];
}

function missing(moment: Moment, member: SceneMember): readonly Problem[] {
  const { state } = toldIn(moment, member);
  const isThere = member.object !== undefined;
  return isThere === (state !== 'Missing')
    ? []
    : [
        problem(
          'missing',
          member.key,
          `${member.key} ${isThere ? 'is' : 'is not'} there; status says ${state}`,
        ),
      ];
}

/** A member with an invalid annotation is left alone, and status names the annotation. */
function annotated(moment: Moment, member: SceneMember): readonly Problem[] {
  const { key, holder, wrongAnnotations } = member;
  if (wrongAnnotations.length === 0 || holder !== undefined) return [];
  const { state, message } = toldIn(moment, member);
  const isTold = wrongAnnotations.some((name) => message.includes(name));
  // Another writer may insist on its size, too.
  const isContested = moment.past.hands.isContested(member.uid) && state === 'Conflicted';
  return (state === 'Refused' && isTold) || isContested
    ? []
    : [
        problem(
          'annotated',
          key,
          `${key} has wrong annotations (${wrongAnnotations.join()}); status says ${state} (${message})`,
        ),
      ];
}
