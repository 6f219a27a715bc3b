// What is known of a worker after one more probe? One failure may be chance, and failures of one
// cause have several texts.
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type ProbeAnswer,
  type ReportBound,
  readBoundedReport,
  tooManyJobs,
  type WorkerReport,
} from '../api/report.ts';
import { readTime } from '../api/reported-streams.ts';
import { errorText, oneLine } from '../api/text.ts';

/** A probe may fail on a busy machine: a worker that answered before is silent after so many. */
const FAILURES_THAT_COUNT = 2;
/**
 * A worker that is away refuses connections, then does not answer, then refuses again: another
 * reason is told when it comes so often in a row.
 */
const TIMES_THAT_COUNT = 3;
const LONGEST_REASON = 256;

export type LastAnswer = {
  /** The answer that counts. */
  readonly answer: ProbeAnswer | undefined;
  /** The address that it came from. */
  readonly url: string | undefined;
  /** Of the newest answer that was a report. */
  readonly digest: string;
  /** Probes in a row that failed. */
  readonly failures: number;
  /** So much the worker's clock is ahead of ours; clocks differ a little anyway. */
  readonly aheadMs: number;
  /** Another reason than that of `answer`, and how often it came in a row. */
  readonly other?: { readonly reason: string; readonly times: number };
};

export const NO_ANSWER: LastAnswer = {
  answer: undefined,
  url: undefined,
  digest: '',
  failures: 0,
  aheadMs: 0,
};

/** `digest` is that of the answer's bytes, if the answer was a report. */
export type Heard = {
  readonly answer: ProbeAnswer;
  readonly digest?: string;
  readonly aheadMs?: number;
};

/** Such a difference is told by what a worker says, and nothing is made of it. */
const CLOCKS_DIFFER_MS = 60_000;
/** A header has whole seconds, and an answer takes some time. */
const SAME_MS = 5_000;

/** `date`: the header of its answer. A worker that sends none has our time. */
export function aheadOf({ aheadMs }: LastAnswer, date: string | undefined, now: number): number {
  const ms = Date.parse(date ?? '') - now;
  if (Number.isNaN(ms)) return 0;
  // A little more or less each time would change every time that it tells.
  if (Math.abs(ms - aheadMs) <= SAME_MS) return aheadMs;
  return Math.abs(ms) > CLOCKS_DIFFER_MS ? ms : 0;
}

/** An answer with the same bytes as before is not parsed again. */
export function readAnswer(
  { answer, digest: before }: LastAnswer,
  url: string,
  body: Buffer,
  most: ReportBound,
  aheadMs = 0,
): Heard {
  const digest = hash('sha256', body, 'base64');
  const known = answer?.ok === true ? answer.report : answer?.last;
  const report =
    digest === before && known !== undefined
      ? withinBound(known, most)
      : inOurTime(readBoundedReport(body.toString('utf8'), most.jobs), aheadMs);
  return typeof report === 'string'
    ? { answer: { ok: false, reason: `${url} answers ${report}` } }
    : { answer: { ok: true, report }, digest, aheadMs };
}

/** What it tells of its streams has times of its own clock. */
function inOurTime(report: WorkerReport | string, aheadMs: number): WorkerReport | string {
  if (typeof report === 'string' || report.streams === undefined || aheadMs === 0) return report;
  const streams = Object.entries(report.streams).map(([name, { since, ...stream }]) => {
    const time = since && readTime(new Date(Date.parse(since) - aheadMs).toISOString());
    return [name, { ...stream, ...(time !== undefined && { since: time }) }] as const;
  });
  return { ...report, streams: Object.fromEntries(streams) };
}

function withinBound(report: WorkerReport, most: ReportBound): WorkerReport | string {
  const jobs = report.jobs?.length ?? 0;
  return jobs > most.jobs ? tooManyJobs(jobs, most.jobs) : report;
}

/** The reason stands in conditions; errors of OpenSSL have several lines. */
export const failureAt = (url: string, error: unknown): Heard => ({
  answer: { ok: false, reason: `${url}: ${oneLine(errorText(error), LONGEST_REASON)}` },
});

/** An answer of the same content stays the same object, so conclusions from it can be kept. */
export function lastAnswerAfter(before: LastAnswer, url: string, heard: Heard): LastAnswer {
  const known = before.answer;
  const { answer: said, digest = before.digest, aheadMs = before.aheadMs } = heard;
  if (said.ok)
    return {
      answer: isDeepStrictEqual(known, said) ? known : said,
      ...{ url, digest, failures: 0, aheadMs },
    };
  const failures = before.failures + 1;
  if (known?.ok === true) {
    return failures < FAILURES_THAT_COUNT
      ? { ...before, failures }
      : { answer: { ...said, last: known.report }, url, digest, failures, aheadMs };
  }
  const answer: ProbeAnswer = known?.last === undefined ? said : { ...said, last: known.last };
  if (known === undefined || url !== before.url) return { answer, url, digest, failures, aheadMs };
  if (known.reason === said.reason) return { answer: known, url, digest, failures, aheadMs };
  const times = before.other?.reason === said.reason ? before.other.times + 1 : 1;
  return times >= TIMES_THAT_COUNT
    ? { answer, url, digest, failures, aheadMs }
    : { answer: known, url, digest, failures, aheadMs, other: { reason: said.reason, times } };
}

/** The next failure counts. */
export const nextFailureCounts = (last: LastAnswer): LastAnswer => ({
  ...last,
  failures: Math.max(last.failures, FAILURES_THAT_COUNT - 1),
});

/** Its last probe failed, and its earlier report still counts. */
export const hasJustFailed = ({ answer, failures }: LastAnswer): boolean =>
  failures > 0 && answer?.ok === true;
