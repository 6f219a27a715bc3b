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
  /** Another reason than that of `answer`, and how often it came in a row. */
  readonly other?: { readonly reason: string; readonly times: number };
};

export const NO_ANSWER: LastAnswer = { answer: undefined, url: undefined, digest: '', failures: 0 };

/** `digest` is that of the answer's bytes, if the answer was a report. */
export type Heard = { readonly answer: ProbeAnswer; readonly digest?: string };

/** An answer with the same bytes as before is not parsed again. */
export function readAnswer(
  { answer, digest: before }: LastAnswer,
  url: string,
  body: Buffer,
  most: ReportBound,
): Heard {
  const digest = hash('sha256', body, 'base64');
  const known = answer?.ok === true ? answer.report : answer?.last;
  const report =
    digest === before && known !== undefined
      ? withinBound(known, most)
      : readBoundedReport(body.toString('utf8'), most.jobs);
  return typeof report === 'string'
    ? { answer: { ok: false, reason: `${url} answers ${report}` } }
    : { answer: { ok: true, report }, digest };
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
  const { answer: said, digest = before.digest } = heard;
  if (said.ok)
    return { answer: isDeepStrictEqual(known, said) ? known : said, url, digest, failures: 0 };
  const failures = before.failures + 1;
  if (known?.ok === true) {
    return failures < FAILURES_THAT_COUNT
      ? { ...before, failures }
      : { answer: { ...said, last: known.report }, url, digest, failures };
  }
  const answer: ProbeAnswer = known?.last === undefined ? said : { ...said, last: known.last };
  if (known === undefined || url !== before.url) return { answer, url, digest, failures };
  if (known.reason === said.reason) return { answer: known, url, digest, failures };
  const times = before.other?.reason === said.reason ? before.other.times + 1 : 1;
  return times >= TIMES_THAT_COUNT
    ? { answer, url, digest, failures }
    : { answer: known, url, digest, failures, other: { reason: said.reason, times } };
}

/** The next failure counts. */
export const doubted = (last: LastAnswer): LastAnswer => ({
  ...last,
  failures: Math.max(last.failures, FAILURES_THAT_COUNT - 1),
});

/** Its last probe failed, and its earlier report still counts. */
export const hasJustFailed = ({ answer, failures }: LastAnswer): boolean =>
  failures > 0 && answer?.ok === true;
