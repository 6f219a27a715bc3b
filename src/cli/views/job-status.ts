// How is a job shown at a glance? By its status.
import type { SwarmJob, SwarmJobStatus } from '../../api/validate.ts';
import { plural } from '../../core/text.ts';
import { amountsIn, amountsText } from '../../queue/quota/text.ts';
import type { ToldStart } from '../../queue/starts.ts';
import { type Cell, type Line, right, type Span, type Table, tableLines } from '../render.ts';
import { sinceText, startText } from './time.ts';

type State = NonNullable<SwarmJobStatus['state']>;

/** In its queue, while it waits. */
export type Place = ToldStart & { readonly position?: number; readonly waiting?: number };

const stateStyles: Readonly<Record<State, NonNullable<Span['style']>>> = {
  Waiting: 'busy',
  Admitted: 'busy',
  Starting: 'busy',
  Running: 'good',
  Suspending: 'busy',
  Suspended: 'faint',
  Succeeded: 'good',
  Failed: 'bad',
};

export const NOT_SEEN = 'no operator has reconciled it yet';

const stateSpan = ({ status }: SwarmJob): Span =>
  status?.state === undefined
    ? { text: 'Unknown', style: 'busy' }
    : { text: status.state, style: stateStyles[status.state] };

/** Since when it is in its state. */
const stateSince = ({ status }: SwarmJob): string | undefined => status?.history?.[0]?.time;

/** "WaitingForQuota: needs 4 pods, 2 are free" */
export const reasonText = ({ status }: SwarmJob): string =>
  status?.state === undefined
    ? NOT_SEEN
    : [status.reason, status.message].filter((it) => it !== undefined && it !== '').join(': ');

const headline = (job: SwarmJob, now: number): Line => {
  const since = stateSince(job);
  return [
    { text: `SwarmJob ${job.meta.namespace}/${job.meta.name}`, style: 'strong' },
    { text: ': ' },
    stateSpan(job),
    {
      text: `${since === undefined ? '' : ` for ${sinceText(since, now)}`}: ${reasonText(job)}`,
    },
  ];
};

const sizeOf = ({ spec }: SwarmJob): number | undefined => (spec.ok ? spec.value.size : undefined);
export const queueOf = ({ spec }: SwarmJob): string | undefined =>
  spec.ok ? spec.value.queueName : undefined;

export const jobsTable = (jobs: readonly SwarmJob[], isWide: boolean, now: number): Table => ({
  columns: [
    'NAMESPACE',
    'JOB',
    'QUEUE',
    ...['SIZE', 'READY'].map(right),
    ...(isWide ? [right('PRIORITY'), right('ATTEMPT')] : []),
    'STATE',
    right('AGE'),
    'REASON',
  ],
  rows: jobs.map((job): Cell[] => [
    job.meta.namespace,
    { text: job.meta.name, style: 'strong' },
    queueOf(job),
    sizeOf(job),
    job.status?.readyRanks,
    ...(isWide ? [job.spec.ok ? job.spec.value.priority : undefined, job.status?.attempt] : []),
    stateSpan(job),
    sinceText(job.meta.creationTimestamp, now),
    reasonText(job),
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
    ...(place.position === undefined ? [] : [`position ${place.position} of ${place.waiting}`]),
    ...[startText(place, now)].filter((it) => it !== undefined),
    ...(size === undefined ? [] : [`${readyRanks} of ${plural(size, 'rank')} ready`]),
    ...(admission === undefined ? [] : [`holds ${heldText(admission.requests)}`]),
    ...(attempt === undefined ? [] : [`attempt ${attempt}`]),
    ...(failed.length === 0 ? [] : [`failed attempts: ${failed.join(', ')}`]),
    ...(exitCode === undefined ? [] : [`exit code ${exitCode}`]),
    ...(hosts === undefined ? [] : [`hosts ${hosts}`]),
  ];
}
