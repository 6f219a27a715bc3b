// How is a pool shown at a glance? By its status.
import type { SwarmPool, SwarmPoolStatus } from '../../api/validate.ts';
import type { Condition } from '../../core/conditions.ts';
import { plural } from '../../core/text.ts';
import { moreLines, unassignedLines } from '../arguments/terminal.ts';
import {
  type Cell,
  type Line,
  right,
  type Span,
  type Table,
  type TextStyle,
  tableLines,
} from '../render.ts';
import { bar } from './bar.ts';
import { conditionLines, readyOf, stateLine, stateOf } from './state.ts';
import { streamTable } from './streams.ts';
import { sinceText, untilText } from './time.ts';

export type WorkerRow = NonNullable<SwarmPoolStatus['workers']>[number];

const SHOWN = 12;

export const capacityOf = ({ spec }: SwarmPool): number =>
  spec.ok ? spec.value.workers.capacity : 100;

export const countOf = ({ jobs = [], total }: WorkerRow): number => total ?? jobs.length;

/** Most pools have none of these: their columns appear with the first pool that has. */
const rareCounts = ['down', 'completed'] as const;

export function poolsTable(pools: readonly SwarmPool[], now: number): Table {
  const rare = rareCounts.filter((it) => pools.some(({ status }) => status?.streams?.[it]));
  return {
    columns: [
      ...'NAMESPACE POOL VERSION WORKERS CONVERGED STREAMS UNASSIGNED FAILING'.split(' '),
      ...rare.map((it) => it.toUpperCase()),
      'SINCE',
      'STATE',
    ],
    rows: pools.map((pool): Cell[] => {
      const { meta, status } = pool;
      return [
        meta.namespace,
        { text: meta.name, style: 'strong' },
        status?.version,
        status?.replicas,
        status?.convergedReplicas,
        status?.streams?.total,
        status?.streams?.unassigned,
        status?.streams?.failing,
        ...rare.map((it) => status?.streams?.[it]),
        sinceText(readyOf(pool)?.lastTransitionTime, now),
        stateOf(pool, isWaiting),
      ];
    }),
  };
}

export function poolLines(
  pool: SwarmPool,
  width: number,
  isWide: boolean,
  now: number,
): readonly Line[] {
  const { meta, status } = pool;
  const workers = status?.workers ?? [];
  const { total, unassigned = 0, failing = 0, down = 0, completed = 0 } = status?.streams ?? {};
  const refused = (status?.unassigned ?? []).slice(0, isWide ? undefined : SHOWN);
  const replicas = plural(status?.replicas ?? 0, 'worker');
  const facts = [
    `version ${status?.version ?? 0}`,
    status?.convergedReplicas === undefined
      ? replicas
      : `${status.convergedReplicas} of ${replicas} converged`,
    ...(total === undefined ? [] : [plural(total, 'stream')]),
    ...(unassigned > 0 ? [`${unassigned} without a worker`] : []),
    ...(down > 0 ? [`${down} down`] : []),
    ...(failing > 0 ? [`${failing} failing`] : []),
    ...(completed > 0 ? [`${completed} completed`] : []),
    ...(status?.target === undefined ? [] : [status.target]),
  ];
  return [
    [
      { text: `SwarmPool ${meta.namespace}/${meta.name}`, style: 'strong' },
      { text: `: ${facts.join(', ')}` },
    ],
    stateLine(pool, isWaiting, now),
    ...conditionLines(pool, attention, now),
    ...completeLines(pool, now),
    ...outstandingLines(pool, now),
    ...takeoverLines(pool, now),
    ...(workers.length === 0 ? [] : ['', ...tableLines(workersTable(pool, workers), width)]),
    ...rest((status?.replicas ?? 0) - workers.length, 'worker'),
    ...failingLines(pool, width, now),
    // While nothing can be decided, no stream has a reason of its own.
    ...(refused.length === 0
      ? []
      : [...unassignedLines(refused, width), ...rest(unassigned - refused.length, 'stream')]),
  ];
}

const isWaiting = ({ reason }: Condition): boolean => reason === 'WorkersOutstanding';

const attention = {
  ifTrue: ['Stalled', 'Overcommitted', 'ProbeUnreachable'],
  ifFalse: ['Mounted'],
};

/** Of a pool whose work is all done. */
function completeLines({ status }: SwarmPool, now: number): readonly Line[] {
  const condition = status?.conditions?.find(({ type }) => type === 'Complete');
  if (condition?.status !== 'True') return [];
  const { reason, message, lastTransitionTime } = condition;
  const style = reason === 'AllCompleted' ? 'good' : 'bad';
  return [
    [
      { text: 'Complete', style },
      { text: ` for ${sinceText(lastTransitionTime, now)}: ${reason}: ${message}` },
    ],
  ];
}

/** Only this line counts the time down: status says when it is. */
function takeoverLines({ status }: SwarmPool, now: number): readonly Line[] {
  const rows = (status?.workers ?? []).filter(
    ({ takeoverTime = '' }) => Date.parse(takeoverTime) > now,
  );
  const shown = rows.slice(0, 3).map((worker) => {
    const streams = plural(countOf(worker), 'stream');
    return `${streams} of ${worker.name} in ${untilText(worker.takeoverTime ?? '', now)}`;
  });
  if (shown.length === 0) return [];
  const more = rows.length > shown.length ? `, and ${rows.length - shown.length} more` : '';
  return [[{ text: `other workers take over ${shown.join(', ')}${more}`, style: 'bad' }]];
}

function failingLines({ status }: SwarmPool, width: number, now: number): readonly Line[] {
  const { failing = [] } = status ?? {};
  if (failing.length === 0) return [];
  const table = streamTable(
    failing.map(({ name: stream, ...rest }) => ({ stream, ...rest })),
    'FAILING STREAM',
    now,
  );
  return [
    '',
    ...tableLines(table, width),
    ...rest((status?.streams?.failing ?? 0) - failing.length, 'stream'),
  ];
}

function outstandingLines({ status }: SwarmPool, now: number): readonly Line[] {
  const [last] = status?.history ?? [];
  const late = (status?.workers ?? []).filter(
    ({ state }) => state !== 'Converged' && state !== 'Cordoned',
  ).length;
  if (last === undefined || late === 0) return [];
  const what = `${plural(late, 'worker')} outstanding; version ${last.version} (${last.reason}) was published ${sinceText(last.publishTime, now)} ago`;
  return [[{ text: what, style: 'busy' }]];
}

export const styles: Readonly<Record<WorkerRow['state'], TextStyle>> = {
  Converged: 'good',
  Cordoned: 'faint',
  Pending: 'busy',
  Refreshing: 'busy',
  Releasing: 'busy',
  Stuck: 'bad',
  Missing: 'bad',
};

const isWeighed = ({ status }: SwarmPool): boolean =>
  (status?.workers ?? []).some(({ load = 0 }) => load > 0);

/** Beside the column that it draws: LOAD where streams reserve anything, else STREAMS. */
function gaugeOf(pool: SwarmPool): (worker: WorkerRow) => Span {
  const most = Math.max(1, ...(pool.status?.workers ?? []).map(countOf));
  return isWeighed(pool)
    ? ({ load = 0 }) => bar(load, capacityOf(pool))
    : (worker) => bar(countOf(worker), most);
}

function workersTable(pool: SwarmPool, workers: readonly WorkerRow[]): Table {
  const gauge = gaugeOf(pool);
  const hasLoads = isWeighed(pool);
  const isSlotted = workers.some(({ slot }) => slot !== undefined);
  return {
    columns: [
      'WORKER',
      ...(isSlotted ? [right('SLOT')] : []),
      right('STREAMS'),
      ...(hasLoads ? [right('LOAD')] : []),
      '',
      right('VERSION'),
      right('CONFIRMED'),
      'STATE',
      '',
    ],
    rows: workers.map((worker): Cell[] => [
      worker.name,
      ...(isSlotted ? [worker.slot] : []),
      countOf(worker),
      ...(hasLoads ? [worker.load] : []),
      gauge(worker),
      worker.version,
      worker.reportedVersion,
      { text: worker.state, style: styles[worker.state] },
      worker.message ?? '',
    ]),
  };
}

const rest = (count: number, what: string): readonly Line[] =>
  moreLines(count, plural(count, `more ${what}`));
