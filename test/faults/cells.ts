// Which faults are tried in which states on a real API server, and why these?
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
import * as hands from './faults/by-hand.ts';
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
import * as refusals from './faults/refusals.ts';
import { expired, halfOpen, malformed, missed, replayed } from './faults/watches.ts';
import type { StateName } from './states.ts';

export type CellRow = {
  readonly id: string;
  /** Its number among the twenty-one faults. */
  readonly number: string;
  readonly title: string;
  readonly fault: Fault;
  readonly state: StateName;
  readonly handoff: Handoff;
  readonly why: string;
  /** It stops the whole control plane: no other cell can run beside it. */
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
    'no ConfigMap exists yet, and the next operator must not treat that as a loss',
  ],
  [
    'F1',
    'killed before its 2nd write',
    crashBefore(2),
    'scale up',
    one,
    'published, but no worker nudged: the next operator must nudge them, or no stream ever starts',
  ],
  [
    'F1',
    'killed before its 3rd write',
    crashBefore(3),
    'scale down',
    one,
    'some workers must release streams, which no second worker may get yet',
  ],
  [
    'F2',
    'killed after its 1st write',
    crashAfter(1),
    'create',
    all,
    'a ConfigMap without a status: the next operator must continue from it, not create it',
  ],
  [
    'F2',
    'killed after its 2nd write',
    crashAfter(2),
    'streams changed',
    one,
    'only the ConfigMap lists what is being released',
  ],
  [
    'F2',
    'killed after its 1st write',
    crashAfter(1),
    'invalid, then mended',
    all,
    'an operator that never saw the valid list must keep what the ConfigMap says',
  ],
  [
    'F3',
    'responses lost: the ConfigMap is created',
    answersLost('configmaps'),
    'create',
    all,
    'the second attempt meets the first object: AlreadyExists from the real server',
  ],
  [
    'F3',
    'responses lost: ConfigMap and pod',
    answersLost('configmaps', 'pods/status'),
    'scale up',
    one,
    'a published version must not be published again with other contents',
  ],
  [
    'F3',
    'responses cut: ConfigMap and pod',
    answersCut('configmaps', 'pods/status'),
    'streams changed',
    one,
    'half of a real response, with the full length in its header',
  ],
  [
    'F3',
    'responses lost: eviction',
    answersLost('configmaps', 'pods/eviction'),
    'restarting workers',
    all,
    'a second eviction would hit the new pod',
  ],
  [
    'F4',
    'outdated lists',
    staleLists(3),
    'scale down',
    one,
    'resource versions of the real server decide what is older',
  ],
  [
    'F4',
    'outdated lists',
    staleLists(3),
    'deleted and re-created',
    all,
    'an old list brings back a deleted pool, with its old UID',
  ],
  [
    'F5',
    'restarted on an old view',
    restartedOnOldView(3),
    'scale up',
    one,
    'the restarted operator knows less than what it published before',
  ],
  [
    'F5',
    'restarted on an old view',
    restartedOnOldView(3),
    'streams changed',
    one,
    'it decides on the old list; only preconditions prevent a wrong write',
  ],
  [
    'F6',
    'changes missed',
    missed,
    'deleted and re-created',
    all,
    'no watch reports the deletion: only the UID in a list shows it',
  ],
  [
    'F6',
    'changes missed',
    missed,
    'to 0 and back',
    one,
    'pods were deleted and created under the same names, unseen',
  ],
  [
    'F7',
    'events replayed',
    replayed,
    'deleted and re-created',
    all,
    'an ADDED event for a deleted object',
  ],
  ['F7', 'events replayed', replayed, 'scale down', one, 'deleted pods are added again'],
  [
    'F8',
    'watches expired',
    expired(6),
    'scale up',
    one,
    'each kind is listed at another moment: together the lists show a state that never existed',
  ],
  [
    'F9',
    'watches half open',
    halfOpen,
    'streams changed',
    all,
    'only a time-out distinguishes a broken connection from an idle one',
  ],
  [
    'F9',
    'watches half open',
    halfOpen,
    'scale down',
    one,
    'the operator writes from its last view, and does not see workers leave',
  ],
  [
    'F10',
    'malformed lines',
    malformed(3),
    'stream edited',
    all,
    'the line after the invalid one must not be lost with it',
  ],
  [
    'F11',
    'conflicts',
    conflicts(4),
    'two edits at once',
    all,
    'after each conflict the operator reads again, and the next edit comes meanwhile',
  ],
  [
    'F11',
    'conflicts',
    conflicts(4),
    'scale up',
    one,
    'a step of a decision is refused after another has succeeded',
  ],
  [
    'F12',
    '429, 500 and 503 on writes',
    refused(2),
    'scale down',
    one,
    'a release counts only once it has been written',
  ],
  [
    'F12',
    '503 on everything',
    unavailable(12),
    'template change',
    all,
    'pods are replaced while the operator can neither read nor write',
  ],
  [
    'F12',
    'evictions refused by a real budget',
    refusals.evictionsRefused,
    'restarting workers',
    all,
    'the real server refuses, for as long as the budget does',
  ],
  [
    'F13',
    'a quota refuses the ConfigMap',
    refusals.quota,
    'create',
    all,
    'the real quota refuses, and no event says when it is raised',
  ],
  [
    'F13',
    'admission refuses the ConfigMap',
    refusals.forbidden,
    'streams changed',
    one,
    'no pod may be nudged before the ConfigMap is written',
  ],
  [
    'F14',
    '5 s a call',
    slow(5_000, 3),
    'scale up',
    one,
    'a decision is five seconds old when it is written',
  ],
  [
    'F15',
    'API server killed',
    cluster.restarted('apiServer'),
    'streams changed',
    one,
    'all connections end at once, in the middle of a handoff',
  ],
  [
    'F15',
    'etcd killed',
    cluster.restarted('etcd'),
    'scale down',
    one,
    'writes of unknown outcome from the server itself',
  ],
  [
    'F15',
    'API server restarted',
    cluster.restarted('apiServer', 'SIGTERM'),
    'rollback in a rollout',
    all,
    'its watch cache starts over: clients ask for versions that it never had',
  ],
  [
    'F15',
    'etcd restarted',
    cluster.restarted('etcd', 'SIGTERM'),
    'create',
    all,
    'leases, quotas and watches of other clients suffer as well',
  ],
  [
    'F16',
    'leader frozen with a write on its way',
    frozenLeader,
    'streams changed',
    one,
    'its write arrives after another leader has published: only the precondition protects',
  ],
  [
    'F16',
    'leader killed',
    killedLeader(),
    'scale down',
    one,
    'another operator continues in the middle of a handoff, with its own clocks',
  ],
  [
    'F17',
    'ConfigMap deleted by a user',
    hands.configMapDeleted,
    'scale up',
    one,
    'only workers know what was being released',
  ],
  [
    'F17',
    'annotations edited by a user',
    hands.annotationsEdited,
    'streams changed',
    one,
    'the annotation that permits a slice is missing or wrong',
  ],
  [
    'F17',
    'pod deleted by force',
    hands.podForced('worker-0'),
    'streams changed',
    one,
    'its successor starts with a file that is a minute old',
  ],
  [
    'F18',
    'worker killed',
    hands.workerKilled('worker-0'),
    'scale down',
    one,
    'its streams end without a report, and restart from the mounted file',
  ],
  [
    'F18',
    'worker frozen for 8 s',
    hands.workerFrozen('worker-1', 8_000),
    'streams changed',
    one,
    'it is silent and keeps its streams: no other worker may get them',
  ],
  [
    'F17',
    'ConfigMap edited by a user',
    hands.configMapEdited,
    'stream edited',
    all,
    'workers may have read the edited contents, under an old version',
  ],
  [
    'F19',
    'token revoked, then rotated',
    cluster.tokenRotated,
    'streams changed',
    all,
    'the real server drops a token from its cache in its own time',
  ],
  [
    'F19',
    'certificate of another authority',
    cluster.authorityRotated,
    'scale up',
    one,
    'open connections end; the CA file is updated later',
  ],
  [
    'F20',
    'clocks an hour fast and slow, leader killed',
    killedLeader([clockOff(1), clockOff(-1)]),
    'scale up',
    one,
    'leases carry the wall clocks of two machines',
  ],
  [
    'F17',
    'ConfigMap spoiled by a user',
    hands.configMapSpoiled,
    'streams changed',
    one,
    'workers may still start streams of a version that no operator can read any more',
  ],
  [
    'F21',
    'etcd restored',
    cluster.restoredFromSnapshot(),
    'streams changed',
    one,
    'versions are reused: watches wait for past ones, and newer objects have lower versions',
  ],
  [
    'F21',
    'etcd restored, revisions bumped',
    cluster.restoredFromSnapshot({ bumpedBy: 1_000_000 }),
    'scale up',
    one,
    'objects return to their old contents and versions, in lists that are newer',
  ],
  [
    'F21',
    'etcd restored, revisions bumped',
    cluster.restoredFromSnapshot({ bumpedBy: 1_000_000 }),
    'streams changed',
    all,
    'workers follow a version that no object contains any more',
  ],
];

export const slug = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');

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

/** The table in docs/reliability.md. */
export const tableOfCells = (): string =>
  [
    '| | fault | while | handoff | why here |',
    '| --- | --- | --- | --- | --- |',
    ...cells.map(
      ({ id, number, title, state, handoff, why }) =>
        `| ${Number(id)} | ${number} ${title} | ${state} | ${handoff} | ${why} |`,
    ),
  ].join('\n');
