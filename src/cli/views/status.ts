// How is a pool shown at a glance? By its status.
import type { SwarmPool, SwarmPoolStatus } from '../../api/validate.ts';
import { isTrue } from '../../core/conditions.ts';
import { isPausedBy } from '../../core/pause.ts';
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
import { sinceText } from './time.ts';

export type WorkerRow = NonNullable<SwarmPoolStatus['workers']>[number];
type Condition = NonNullable<SwarmPoolStatus['conditions']>[number];

const SHOWN = 12;

export const isWell = ({ meta, status }: SwarmPool): boolean =>
  isTrue(status?.conditions, 'Ready') && status?.observedGeneration === meta.generation;

const isPaused = ({ meta, spec }: SwarmPool): boolean =>
  isPausedBy(meta, spec.ok ? spec.value : undefined);

export const capacityOf = ({ spec }: SwarmPool): number =>
  spec.ok ? spec.value.workers.capacity : 100;

export const countOf = ({ jobs = [], total }: WorkerRow): number => total ?? jobs.length;

export function poolsTable(pools: readonly SwarmPool[], now: number): Table {
  return {
    columns: 'NAMESPACE POOL VERSION WORKERS CONVERGED STREAMS UNASSIGNED SINCE STATE'.split(' '),
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
        sinceText(ready(status)?.lastTransitionTime, now),
        stateOf(pool),
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
  const { total = 0, unassigned = 0 } = status?.streams ?? {};
  const refused = (status?.unassigned ?? []).slice(0, isWide ? undefined : SHOWN);
  const facts = [
    `version ${status?.version ?? 0}`,
    `${status?.convergedReplicas ?? 0} of ${plural(status?.replicas ?? 0, 'worker')} converged`,
    plural(total, 'stream'),
    ...(unassigned > 0 ? [`${unassigned} without a worker`] : []),
    ...(status?.target === undefined ? [] : [status.target]),
  ];
  return [
    [
      { text: `SwarmPool ${meta.namespace}/${meta.name}`, style: 'strong' },
      { text: `: ${facts.join(', ')}` },
    ],
    stateLine(pool, now),
    ...conditionLines(status?.conditions ?? [], now),
    ...outstandingLines(pool, now),
    ...(workers.length === 0 ? [] : ['', ...tableLines(workersTable(pool, workers), width)]),
    ...rest((status?.replicas ?? 0) - workers.length, 'worker'),
    ...(unassigned === 0 ? [] : unassignedLines(refused, width)),
    ...rest(unassigned - refused.length, 'stream'),
  ];
}

const ready = (status: SwarmPoolStatus | undefined): Condition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready');

function stateOf(pool: SwarmPool): Span {
  const condition = ready(pool.status);
  if (pool.status === undefined || condition === undefined)
    return { text: 'Unknown: no operator has looked at it yet', style: 'busy' };
  if (isPaused(pool)) return { text: `Paused: ${condition.message}`, style: 'busy' };
  if (isWell(pool)) return { text: 'Ready', style: 'good' };
  if (pool.status.observedGeneration !== pool.meta.generation)
    return { text: 'Changed: the operator has not looked at it yet', style: 'busy' };
  const isWaiting = condition.reason === 'WorkersOutstanding';
  return { text: `${condition.reason}: ${condition.message}`, style: isWaiting ? 'busy' : 'bad' };
}

/** The age comes before a message: at its end it would read as a part of it. */
function stateLine(pool: SwarmPool, now: number): Line {
  const state = stateOf(pool);
  const condition = ready(pool.status);
  const isCurrent = pool.status?.observedGeneration === pool.meta.generation;
  if (condition === undefined || !isCurrent) return [state];
  const age = ` for ${sinceText(condition.lastTransitionTime, now)}`;
  if (isPaused(pool))
    return [{ ...state, text: 'Paused' }, { text: `${age}: ${condition.message}` }];
  return isWell(pool)
    ? [state, { text: age }]
    : [{ ...state, text: 'not Ready' }, { text: `${age}: ${state.text}` }];
}

/** Conditions beside Ready that need attention. */
function conditionLines(conditions: readonly Condition[], now: number): readonly Line[] {
  const needsAttention = ({ type, status }: Condition): boolean =>
    type === 'Mounted'
      ? status === 'False'
      : ['Stalled', 'Overcommitted', 'ProbeUnreachable'].includes(type) && status === 'True';
  return conditions
    .filter(needsAttention)
    .map(
      ({ type, status, reason, message, lastTransitionTime }): Line => [
        { text: status === 'True' ? type : `not ${type}`, style: 'bad' },
        { text: ` for ${sinceText(lastTransitionTime, now)}: ${reason}: ${message}` },
      ],
    );
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
