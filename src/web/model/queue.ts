// What does the page draw of a queue: its quota, its admitted jobs with their ranks, and its
// waiting jobs?
import type {
  AdmittedJob,
  QueueDetail,
  QueuedJob,
  QueueResource,
  Ranks,
} from '../../api/introspection/queues.ts';
import type { Tone } from './blocks.ts';
import { type JobTile, rankTilesOf } from './ranks.ts';
import { type Segment, segmentsFor } from './segments.ts';
import { agoText, counted, numberText, reasonText, untilText } from './words.ts';

export type QuotaBar = {
  readonly resource: string;
  readonly text: string;
  /** 0 to 1; undefined: there is no limit. */
  readonly part: number | undefined;
  readonly isExceeded: boolean;
};

export const quotaBars = (quota: readonly QueueResource[]): readonly QuotaBar[] =>
  quota.map(({ resource, quota: bound, perUser, used, free, part = 0 }) => ({
    resource,
    text: [
      bound === undefined ? `${used} in use, no bound` : `${used} of ${bound} in use, ${free} free`,
      ...(perUser === undefined ? [] : [`${perUser} for a user`]),
    ].join(', '),
    part: bound === undefined ? undefined : Math.min(1, part),
    isExceeded: part > 1,
  }));

export type JobRow = {
  readonly key: string;
  readonly name: string;
  readonly tone: Tone;
  readonly state: string;
  readonly count: string;
  /** Kind (omitted for SwarmJobs) and timestamps. */
  readonly about: string;
  readonly message: string;
  /** In order of rank; empty for a batch Job. */
  readonly tiles: readonly JobTile[];
  /** Of a batch Job, with one scale for all of them. */
  readonly segments: readonly Segment[];
};

export function jobRows({ admittedJobs }: QueueDetail, now: number): readonly JobRow[] {
  const { first } = admittedJobs;
  const inBars = first.filter(({ rankTiles }) => rankTiles === undefined);
  const most = Math.max(1, ...inBars.map(({ size }) => size));
  return first.map((job) => {
    const { kind, name, state, since, endsBy, message = '', size, ranks, rankTiles } = job;
    return {
      key: `${kind}/${name}`,
      name,
      tone: toneOf(job),
      state,
      count: countText(ranks, size),
      about: [
        ...(kind === 'Job' ? ['batch Job'] : []),
        `admitted ${agoText(since, now)}`,
        endsBy === undefined ? 'no deadline' : `ends in ${untilText(endsBy, now)} at the latest`,
        ...(rankTiles === undefined || rankTiles.ranksEach === 1
          ? []
          : [`a tile is ${numberText(rankTiles.ranksEach)} ranks`]),
      ].join(' · '),
      message: /^\d+ of \d+ ranks? runs?$/.test(message) ? '' : message,
      tiles: rankTilesOf(job),
      segments: rankTiles === undefined ? segmentsOf(ranks, most) : [],
    };
  });
}

const segmentsOf = (ranks: Ranks, most: number): readonly Segment[] =>
  segmentsFor(
    [
      ['ready', ranks.running],
      ['done', ranks.succeeded],
      ['waiting', ranks.starting + ranks.missing],
      ['stuck', ranks.failing],
      ['leaving', ranks.ending],
    ],
    most,
  );

const countText = ({ running, succeeded }: Ranks, size: number): string =>
  [
    `${numberText(running + succeeded)} of ${numberText(size)} run`,
    ...(succeeded > 0 ? [`${numberText(succeeded)} done`] : []),
  ].join(', ');

function toneOf({ state, ranks }: AdmittedJob): Tone {
  if (state === 'Failed' || ranks.failing > 0) return 'bad';
  return state === 'Running' || state === 'Succeeded' ? 'good' : 'busy';
}

export type QueuedRow = {
  readonly key: string;
  /** A dash: the job cannot start unless a user changes something. */
  readonly position: string;
  readonly name: string;
  readonly about: string;
  readonly reason: string;
  readonly message: string;
  readonly start: string;
  readonly isKnown: boolean;
  /** A user has to change something. */
  readonly isStuck: boolean;
};

const NEVER: ReadonlySet<string> = new Set([
  'DeadlineTooLong',
  'InvalidDeadlineSignal',
  'PriorityTooHigh',
  'QueueBlocked',
  'RequestMissing',
  'ResourceNotOffered',
  'TooLargeEver',
]);

export const waitingRows = ({ waitingJobs }: QueueDetail, now: number): readonly QueuedRow[] =>
  waitingJobs.first.map((job) => {
    const { position, kind, name, priority, size, reason, message } = job;
    return {
      key: `${kind}/${name}`,
      position: position === undefined ? '–' : numberText(position),
      name,
      about: [
        ...(kind === 'Job' ? ['batch Job'] : []),
        counted(size, 'pod'),
        ...(priority === 0 ? [] : [`priority ${priority}`]),
      ].join(' · '),
      reason: reasonText(reason),
      message,
      start: startText(job, now),
      isKnown: job.startsBy !== undefined,
      isStuck: NEVER.has(reason),
    };
  });

function startText({ startsBy, noEstimate }: QueuedJob, now: number): string {
  if (startsBy !== undefined) return `starts in ${untilText(startsBy, now)} at the latest`;
  return noEstimate === undefined ? '' : `no estimate: ${noEstimate}`;
}

export type FailedRow = {
  readonly key: string;
  readonly name: string;
  readonly about: string;
  readonly reason: string;
  readonly message: string;
};

export const failedRows = ({ failedJobs }: QueueDetail, now: number): readonly FailedRow[] =>
  failedJobs.first.map(({ kind, name, reason, message, time }) => ({
    key: `${kind}/${name}`,
    name,
    about: [
      ...(kind === 'Job' ? ['batch Job'] : []),
      ...(time === undefined ? [] : [`failed ${agoText(time, now)}`]),
    ].join(' · '),
    reason: reasonText(reason),
    message,
  }));

/** Describes a list of which only a part is shown. */
export const partText = (total: number, shown: number): string =>
  total > shown ? `the first ${numberText(shown)} of ${numberText(total)}` : '';
