// How is a job shown at a glance? By its status.
import type { BatchJob } from '../../api/batch-job.ts';
import { ANNOTATION_USER } from '../../api/job-user.ts';
import type { SwarmJob, SwarmJobStatus } from '../../api/validate.ts';
import { plural } from '../../core/text.ts';
import { amountsIn, amountsText } from '../../queue/quota/text.ts';
import type { ToldStart } from '../../queue/starts.ts';
import { type LabelledState, stateOfLabelled } from '../job/labelled.ts';
import { type Cell, type Line, right, type Span, type Table, tableLines } from '../render.ts';
import { NOT_CURRENT, NOT_SEEN } from './state.ts';
import { sinceText, startText, untilText } from './time.ts';

type State = NonNullable<SwarmJobStatus['state']>;

/** In its queue, while it waits; or when it ends, while it runs. */
export type Place = ToldStart & {
  readonly position?: number;
  readonly waiting?: number;
  /** The queue's status does not describe it as it is: why. */
  readonly queueProblem?: string;
  /** When its deadline ends it. */
  readonly endsBy?: string;
  /** When its ranks get SIGTERM before that. */
  readonly toldToEndBy?: string;
};

/** Unknown: no operator has reconciled the job yet. */
export const jobStates = [
  'Unknown',
  'Waiting',
  'Admitted',
  'Starting',
  'Running',
  'Suspending',
  'Suspended',
  'Succeeded',
  'Failed',
] as const satisfies readonly (State | 'Unknown')[];

export type ListedState = (typeof jobStates)[number];

const stateStyles: Readonly<Record<ListedState, NonNullable<Span['style']>>> = {
  Unknown: 'busy',
  Waiting: 'busy',
  Admitted: 'busy',
  Starting: 'busy',
  Running: 'good',
  Suspending: 'busy',
  Suspended: 'faint',
  Succeeded: 'good',
  Failed: 'bad',
};

const spanOf = (state: ListedState): Span => ({ text: state, style: stateStyles[state] });

export const listedState = ({ status }: SwarmJob): ListedState => status?.state ?? 'Unknown';

/** Since when it is in its state. */
const stateSince = ({ status }: SwarmJob): string | undefined => status?.history?.[0]?.time;

/** "WaitingForQuota: needs 4 pods, 2 are free" */
export const reasonText = ({ status }: SwarmJob): string =>
  status?.state === undefined
    ? NOT_SEEN
    : [status.reason, status.message].filter((it) => it !== undefined && it !== '').join(': ');

/** Also that its status is that of an earlier generation. `why`: its reason, or a newer one. */
export const currentText = (job: SwarmJob, why = reasonText(job)): string =>
  [why, ...(isStale(job) ? [`changed: ${NOT_CURRENT}`] : [])].join('; ');

const isStale = ({ meta, status }: SwarmJob): boolean =>
  status?.state !== undefined && status.observedGeneration !== meta.generation;

const headline = (job: SwarmJob, now: number): Line => {
  const since = stateSince(job);
  return [
    { text: `SwarmJob ${job.meta.namespace}/${job.meta.name}`, style: 'strong' },
    { text: ': ' },
    spanOf(listedState(job)),
    {
      text: `${since === undefined ? '' : ` for ${sinceText(since, now)}`}: ${currentText(job)}`,
    },
  ];
};

const sizeOf = ({ spec }: SwarmJob): number | undefined => (spec.ok ? spec.value.size : undefined);
export const queueOf = ({ spec }: SwarmJob): string | undefined =>
  spec.ok ? spec.value.queueName : undefined;

/** Who has submitted it, if it says so. */
export const userOf = ({ meta }: SwarmJob): string | undefined => meta.annotations[ANNOTATION_USER];

/** A line of the list. */
export type JobLine = {
  readonly namespace: string;
  readonly name: string;
  readonly queue: string | undefined;
  /** Who has submitted it. */
  readonly user: string | undefined;
  readonly size: number | undefined;
  readonly ready: number | undefined;
  readonly priority: number | undefined;
  readonly attempt: number | undefined;
  readonly state: Span;
  readonly created: string | undefined;
  readonly why: string;
};

export const rowOf = (job: SwarmJob): JobLine => ({
  namespace: job.meta.namespace,
  name: job.meta.name,
  queue: queueOf(job),
  user: userOf(job),
  size: sizeOf(job),
  ready: job.status?.readyRanks,
  priority: job.spec.ok ? job.spec.value.priority : undefined,
  attempt: job.status?.attempt,
  state: spanOf(listedState(job)),
  created: job.meta.creationTimestamp,
  why: reasonText(job),
});

export function rowOfLabelled(job: BatchJob): JobLine {
  const { namespace, name, queue, user, parallelism, ready, end, createdMs } = job;
  const told = stateOfLabelled(job);
  const { state } = told;
  return {
    user: user === '' ? undefined : user,
    ...{ namespace, queue, size: parallelism, ready: end === undefined ? ready : undefined },
    name: `Job/${name}`,
    priority: undefined,
    attempt: undefined,
    state: spanOf(state),
    created: new Date(createdMs).toISOString(),
    why: labelledText(told),
  };
}

export const labelledText = ({ reason, message }: LabelledState): string =>
  [reason, message].filter((it) => it !== undefined && it !== '').join(': ') || NOT_SEEN;

export const jobsTable = (rows: readonly JobLine[], isWide: boolean, now: number): Table => ({
  columns: [
    'NAMESPACE',
    'JOB',
    'QUEUE',
    'USER',
    ...['SIZE', 'READY'].map(right),
    ...(isWide ? [right('PRIORITY'), right('ATTEMPT')] : []),
    'STATE',
    right('AGE'),
    'REASON',
  ],
  rows: rows.map((row): Cell[] => [
    row.namespace,
    { text: row.name, style: 'strong' },
    row.queue,
    row.user,
    row.size,
    row.ready,
    ...(isWide ? [row.priority, row.attempt] : []),
    row.state,
    sinceText(row.created, now),
    row.why,
  ]),
});

export function jobLines(job: SwarmJob, place: Place, width: number, now: number): readonly Line[] {
  const history = job.status?.history ?? [];
  return [
    headline(job, now),
    factsOf(job, place, now).join(', '),
    ...(history.length === 0
      ? []
      : [
          '',
          ...tableLines(
            {
              columns: [right('AGE'), 'STATE', 'REASON', ''],
              rows: history.map((it): Cell[] => [
                sinceText(it.time, now),
                it.state,
                it.reason,
                it.message ?? '',
              ]),
            },
            width,
          ),
        ]),
  ];
}

function heldText(requests: Readonly<Record<string, string>>): string {
  const amounts = amountsIn(requests);
  return amountsText(amounts, [...amounts.keys()]);
}

function factsOf(job: SwarmJob, place: Place, now: number): readonly string[] {
  const { attempt, failures = {}, exitCode, hosts, admission, readyRanks = 0 } = job.status ?? {};
  const failed = Object.entries(failures).flatMap(([cause, count]) =>
    count > 0 ? [`${count} by ${cause}`] : [],
  );
  const size = sizeOf(job);
  return [
    `SwarmQueue ${queueOf(job) ?? 'unknown'}`,
    ...(place.queueProblem === undefined ? [] : [place.queueProblem]),
    ...(place.position === undefined ? [] : [`position ${place.position} of ${place.waiting}`]),
    ...[startText(place, now)].filter((it) => it !== undefined),
    ...(place.endsBy === undefined ? [] : [`its deadline is in ${untilText(place.endsBy, now)}`]),
    ...(place.toldToEndBy === undefined ? [] : [`SIGTERM in ${untilText(place.toldToEndBy, now)}`]),
    ...(size === undefined ? [] : [`${readyRanks} of ${plural(size, 'rank')} ready`]),
    ...(admission === undefined ? [] : [`holds ${heldText(admission.requests)}`]),
    ...(attempt === undefined ? [] : [`attempt ${attempt}`]),
    ...(failed.length === 0 ? [] : [`failed attempts: ${failed.join(', ')}`]),
    ...(exitCode === undefined ? [] : [`exit code ${exitCode}`]),
    ...(hosts === undefined ? [] : [`hosts ${hosts}`]),
  ];
}
