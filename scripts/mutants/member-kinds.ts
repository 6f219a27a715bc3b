// Do tests notice when members of kinds that are not watched are read or scaled wrongly?
import type { Mutant } from './mutant.ts';

const readings = ['unit/runtime/scales'];
const groups = ['unit/group/other-kinds'];

export const memberKindMutants: readonly Mutant[] = [
  {
    file: 'src/runtime/scales/readings.ts',
    find: 'if (turn === polled.turn) this.#note(polled, answer);',
    put: 'this.#note(polled, answer);',
    what: 'an answer from before a write hides the write',
    tests: readings,
  },
  {
    file: 'src/runtime/scales/readings.ts',
    find: "if (!isName(ref.name)) return { state: 'missing' };",
    put: '',
    what: 'the name of a member changes the path of a request',
    tests: readings,
  },
  {
    file: 'src/runtime/scales/served-kinds.ts',
    find: 'known.mayBeOutdated && isOld',
    put: 'known.mayBeOutdated && !isOld',
    what: 'a kind that is defined again is never looked up again',
    tests: readings,
  },
  {
    file: 'src/group/decide.ts',
    find: 'if (world.members.some(({ unread }) => unread?.isPending))',
    put: 'if (world.members.every(({ unread }) => unread?.isPending))',
    what: 'a group decides before it knows the replicas of a member',
    tests: groups,
  },
  {
    file: 'src/group/observe/polled.ts',
    find: 'kinds.some((it) => namedText(it) === wanted)',
    put: 'kinds.some((it) => it.kind === member.kind)',
    what: 'a kind counts as named by the administrator, whatever its API group and version',
    tests: groups,
  },
  {
    file: 'src/group/observe/caches.ts',
    find: 'kindOfMember({ apiVersion, kind }), name);',
    put: "{ group: '', kind }, name);",
    what: 'objects of two kinds count as one where the kinds have the same name',
    tests: groups,
  },
];
