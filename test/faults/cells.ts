// Which faults meet which states on the real thing, and why these?
import type { Handoff } from './cell.ts';
import {
  answersCut,
  answersLost,
  conflicts,
  refused,
  slow,
  staleLists,
  unavailable,
} from './faults/answers.ts';
import * as cluster from './faults/cluster.ts';
import type { Fault } from './faults/fault.ts';
import {
  clockOff,
  crashAfter,
  crashBefore,
  frozenLeader,
  killedLeader,
  restartedOnOldView,
} from './faults/operators.ts';
import { expired, halfOpen, malformed, missed, replayed } from './faults/watches.ts';
import type { StateName } from './states.ts';

export type CellRow = {
  readonly id: string;
  /** As it is numbered among the twenty-one. */
  readonly number: string;
  readonly title: string;
  readonly fault: Fault;
  readonly state: StateName;
  readonly handoff: Handoff;
  readonly why: string;
  /** It takes the control plane away from all: others do not run beside it. */
  readonly isAlone: boolean;
};

type Line = readonly [
  number: string,
  title: string,
  fault: Fault,
  state: StateName,
  handoff: Handoff,
  why: string,
];

const all = 'AtLeastOnce';
const one = 'Exclusive';

const lines: readonly Line[] = [
  [
    'F1',
    'killed before its 1st write',
    crashBefore(1),
    'create',
    all,
    'nothing stands yet, and the next operator must not take that for a loss',
  ],
  [
    'F1',
    'killed before its 2nd write',
    crashBefore(2),
    'scale up',
    one,
    'published, nobody told: whoever comes must tell them, or nothing ever starts',
  ],
  [
    'F1',
    'killed before its 3rd write',
    crashBefore(3),
    'scale down',
    one,
    'some have been told to let go: what they release must not be given twice',
  ],
  [
    'F2',
    'killed after its 1st write',
    crashAfter(1),
    'create',
    all,
    'a ConfigMap without a status: the next must go on from it, not create it',
  ],
  [
    'F2',
    'killed after its 2nd write',
    crashAfter(2),
    'streams changed',
    one,
    'the list of what is released lives in the ConfigMap alone',
  ],
  [
    'F2',
    'killed after its 1st write',
    crashAfter(1),
    'invalid, then mended',
    all,
    'what stays in force is read from the ConfigMap, by one that never saw the good list',
  ],
  [
    'F3',
    'answers lost: the ConfigMap is created',
    answersLost('configmaps'),
    'create',
    all,
    'the second try meets what the first has made: AlreadyExists from the real server',
  ],
  [
    'F3',
    'answers lost: ConfigMap and pod',
    answersLost('configmaps', 'pods/status'),
    'scale up',
    one,
    'a version that was published must not be published again with other content',
  ],
  [
    'F3',
    'answers cut: ConfigMap and pod',
    answersCut('configmaps', 'pods/status'),
    'streams changed',
    one,
    'half of a real answer, with its length promised',
  ],
  [
    'F3',
    'answers lost: eviction',
    answersLost('configmaps', 'pods/eviction'),
    'restarting workers',
    all,
    'a second eviction would meet the pod that has just come',
  ],
  [
    'F4',
    'lists of before the change',
    staleLists(3),
    'scale down',
    one,
    'resource versions of the real server decide what is older',
  ],
  [
    'F4',
    'lists of before the change',
    staleLists(3),
    'deleted and re-created',
    all,
    'an old list brings back a pool that is gone, under its old UID',
  ],
  [
    'F5',
    'restarted on an old view',
    restartedOnOldView(3),
    'scale up',
    one,
    'it knows less than what was published by itself before',
  ],
  [
    'F5',
    'restarted on an old view',
    restartedOnOldView(3),
    'streams changed',
    one,
    'it decides on the old list; only preconditions stop that',
  ],
  [
    'F6',
    'changes missed',
    missed,
    'deleted and re-created',
    all,
    'the deletion is never said: only the UID in a list tells',
  ],
  [
    'F6',
    'changes missed',
    missed,
    'to 0 and back',
    one,
    'pods went and came under the same names, unseen',
  ],
  ['F7', 'events replayed', replayed, 'deleted and re-created', all, 'an ADDED of what is gone'],
  ['F7', 'events replayed', replayed, 'scale down', one, 'pods that have gone, added again'],
  [
    'F8',
    'watches expired',
    expired(6),
    'scale up',
    one,
    'every kind is listed anew at another moment: the world never was as it is seen',
  ],
  [
    'F9',
    'watches half open',
    halfOpen,
    'streams changed',
    all,
    'nothing but time tells a silent connection from a quiet one',
  ],
  [
    'F9',
    'watches half open',
    halfOpen,
    'scale down',
    one,
    'writes go on by what was seen last, with workers that leave unseen',
  ],
  [
    'F10',
    'malformed lines',
    malformed(3),
    'stream edited',
    all,
    'the line after the broken one must not be lost with it',
  ],
  [
    'F11',
    'conflicts',
    conflicts(4),
    'two edits at once',
    all,
    'each conflict is a new look, and the next edit comes meanwhile',
  ],
  ['F11', 'conflicts', conflicts(4), 'scale up', one, 'refused between two steps of one decision'],
  [
    'F12',
    '429, 500 and 503 on writes',
    refused(2),
    'scale down',
    one,
    'a release that could not be written is no release',
  ],
  [
    'F12',
    '503 on everything',
    unavailable(12),
    'template change',
    all,
    'pods are replaced while the operator neither sees nor writes',
  ],
  [
    'F12',
    'evictions refused by a real budget',
    cluster.evictionsRefused,
    'restarting workers',
    all,
    'the refusal is the real server’s, and lasts',
  ],
  [
    'F13',
    'a quota refuses the ConfigMap',
    cluster.quota,
    'create',
    all,
    'refused by the real quota; nobody tells when it is raised',
  ],
  [
    'F13',
    'admission refuses the ConfigMap',
    cluster.forbidden,
    'streams changed',
    one,
    'nothing may be told to pods before it stands in the ConfigMap',
  ],
  [
    'F14',
    '5 s a call',
    slow(5_000, 3),
    'scale up',
    one,
    'what is decided is five seconds old when it is written',
  ],
  [
    'F15',
    'API server killed',
    cluster.restarted('apiServer'),
    'streams changed',
    one,
    'all connections end at once, in the middle of a handover',
  ],
  [
    'F15',
    'etcd killed',
    cluster.restarted('etcd'),
    'scale down',
    one,
    'answers of unknown outcome from the server itself',
  ],
  [
    'F15',
    'API server restarted',
    cluster.restarted('apiServer', 'SIGTERM'),
    'rollback in a rollout',
    all,
    'its watch cache begins anew: versions it never saw are asked for',
  ],
  [
    'F15',
    'etcd restarted',
    cluster.restarted('etcd', 'SIGTERM'),
    'create',
    all,
    'leases, quotas and watches of everybody else suffer as well',
  ],
  [
    'F16',
    'leader frozen with a write on its way',
    frozenLeader,
    'streams changed',
    one,
    'its write arrives when another has published: only the precondition is left',
  ],
  [
    'F16',
    'leader killed',
    killedLeader(),
    'scale down',
    one,
    'another goes on in the middle of a handover, with clocks of its own',
  ],
  [
    'F17',
    'ConfigMap deleted by hand',
    cluster.configMapDeleted,
    'scale up',
    one,
    'what was released is known to workers alone',
  ],
  [
    'F17',
    'annotations edited by hand',
    cluster.annotationsEdited,
    'streams changed',
    one,
    'what vouches for a slice is gone or wrong',
  ],
  [
    'F17',
    'pod deleted by force',
    cluster.podForced('worker-0'),
    'streams changed',
    one,
    'its successor starts with a file that is a minute old',
  ],
  [
    'F18',
    'worker killed',
    cluster.workerKilled('worker-0'),
    'scale down',
    one,
    'its streams end unsaid, and start again from a file',
  ],
  [
    'F18',
    'worker frozen for 8 s',
    cluster.workerFrozen('worker-1', 8_000),
    'streams changed',
    one,
    'it is silent, and holds what it holds: nobody may be given that',
  ],
  [
    'F17',
    'ConfigMap edited by hand',
    cluster.configMapEdited,
    'stream edited',
    all,
    'workers may have read what the hand wrote, under an old version',
  ],
  [
    'F19',
    'token void, then rotated',
    cluster.tokenRotated,
    'streams changed',
    all,
    'the real server forgets a token in its own time',
  ],
  [
    'F19',
    'certificate of another authority',
    cluster.authorityRotated,
    'scale up',
    one,
    'connections that are open end; the file comes later',
  ],
  [
    'F20',
    'clocks an hour fast and slow, leader killed',
    killedLeader([clockOff(1), clockOff(-1)]),
    'scale up',
    one,
    'leases carry wall clocks of two machines',
  ],
  [
    'F17',
    'ConfigMap spoiled by hand',
    cluster.configMapSpoiled,
    'streams changed',
    one,
    'workers may yet take up what they were told, and nobody can read any more',
  ],
  [
    'F21',
    'etcd restored',
    cluster.restoredFromSnapshot(),
    'streams changed',
    one,
    'revisions are given anew: watches wait for what has been, and what is newer has a lower version',
  ],
  [
    'F21',
    'etcd restored, revisions bumped',
    cluster.restoredFromSnapshot({ bumpedBy: 1_000_000 }),
    'scale up',
    one,
    'objects are as they were before, under versions of before, in lists that are newer',
  ],
  [
    'F21',
    'etcd restored, revisions bumped',
    cluster.restoredFromSnapshot({ bumpedBy: 1_000_000 }),
    'streams changed',
    all,
    'workers follow a version that no object tells of any more',
  ],
];

const slug = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');

export const cells: readonly CellRow[] = lines.map(
  ([number, title, fault, state, handoff, why], index) => ({
    id: `${index + 1}`.padStart(2, '0'),
    number,
    title,
    fault,
    state,
    handoff,
    why,
    isAlone: number === 'F15' || number === 'F21',
  }),
);

export const namespaceOf = ({ id, number, state }: CellRow): string =>
  `c${id}-${slug(number)}-${slug(state)}`;

export const titleOf = ({ id, number, title, state, handoff }: CellRow): string =>
  `${id} ${number} ${title} × ${state} (${handoff})`;

/** As docs/reliability.md shows them. */
export const tableOfCells = (): string =>
  [
    '| | fault | while | handoff | why here |',
    '| --- | --- | --- | --- | --- |',
    ...cells.map(
      ({ id, number, title, state, handoff, why }) =>
        `| ${Number(id)} | ${number} ${title} | ${state} | ${handoff} | ${why} |`,
    ),
  ].join('\n');
