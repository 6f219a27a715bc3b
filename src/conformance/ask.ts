// How is a worker asked, and what did it answer? As the operator asks: no redirect is followed,
// nothing is waited for too long, no flood is read.
import { request } from 'undici';
import { errorText } from '../api/error-text.ts';
import { asString, dig, isRecord } from '../api/objects.ts';
import { readReport, type WorkerReport } from '../api/report.ts';
import type { Credentials } from '../runtime/client/credentials.ts';
import { deadlineIn } from '../runtime/client/deadline.ts';

const longestAnswerMs = 2_000;
const longestAnswerBytes = 4 * 1024 * 1024;

export type WorkerResponse =
  | { readonly ok: true; readonly status: number; readonly text: string; readonly ms: number }
  | { readonly ok: false; readonly why: string; readonly isRefused: boolean };

export type RequestWorker = (path: string, method?: 'GET' | 'HEAD') => Promise<WorkerResponse>;

export function askAt(
  base: string,
  passport: Credentials = async () => ({ headers: {} }),
): RequestWorker {
  const root = base.replace(/\/+$/, '');
  return async (path, method = 'GET') => {
    const deadline = deadlineIn(longestAnswerMs);
    const before = performance.now();
    try {
      const response = await request(`${root}${path}`, {
        ...(await passport()),
        method,
        signal: deadline.signal,
      });
      const text = await textOf(response.body);
      return { ok: true, status: response.statusCode, text, ms: performance.now() - before };
    } catch (error) {
      const why = deadline.isPassed()
        ? `no answer within ${longestAnswerMs / 1000} s`
        : whyOf(error);
      return { ok: false, why, isRefused: codeOf(error) === 'ECONNREFUSED' };
    } finally {
      deadline.end();
    }
  };
}

async function textOf(body: AsyncIterable<unknown>): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    if (!(part instanceof Uint8Array)) continue;
    length += part.length;
    if (length > longestAnswerBytes)
      throw new Error(`an answer of more than ${longestAnswerBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

const codeOf = (error: unknown): string => asString(dig(error, 'code')) ?? '';

function whyOf(error: unknown): string {
  const text = errorText(error);
  const code = codeOf(error);
  return text.includes(code) ? text : `${text} (${code})`;
}

/** The report, or in words what came instead. */
export function reportIn(answer: WorkerResponse): WorkerReport | string {
  if (!answer.ok) return answer.why;
  if (answer.status !== 200) return `status ${answer.status}`;
  return readReport(answer.text) ?? shown(answer.text);
}

/** What a reader of reports is lenient about. */
export function fieldsIn(answer: WorkerResponse): Readonly<Record<string, unknown>> {
  if (!answer.ok) return {};
  try {
    const value: unknown = JSON.parse(answer.text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const longestShown = 120;

/** As much of a text as fits a line. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > longestShown
    ? `${text.slice(0, longestShown)}… (${text.length} characters)`
    : text;
}
