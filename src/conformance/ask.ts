// What does a worker answer? Requests to it have the bounds of the operator's probes.
import { asRecord } from '../api/objects.ts';
import { readReport, type WorkerReport } from '../api/report.ts';
import { parseJson } from '../api/text.ts';
import { type BoundedAnswer, boundedRequest } from '../runtime/client/bounded-request.ts';
import type { Credentials } from '../runtime/client/config.ts';

const bounds = { answerMs: 2_000, mostBytes: 4 * 1024 * 1024 };

export type WorkerResponse =
  | { readonly ok: true; readonly status: number; readonly text: string }
  | Extract<BoundedAnswer, { readonly ok: false }>;

export type RequestWorker = (path: string, method?: 'GET' | 'HEAD') => Promise<WorkerResponse>;

export function askAt(
  base: string,
  credentials: Credentials = async () => ({ headers: {} }),
): RequestWorker {
  const root = base.replace(/\/+$/, '');
  return async (path, method = 'GET') => {
    const options = { ...(await credentials()), ...bounds, method };
    const answer = await boundedRequest(`${root}${path}`, options);
    return answer.ok
      ? { ok: true, status: answer.status, text: answer.body.toString('utf8') }
      : answer;
  };
}

/** A text: what came instead of a report. */
export function reportIn(answer: WorkerResponse): WorkerReport | string {
  if (!answer.ok) return answer.reason;
  if (answer.status !== 200) return `status ${answer.status}`;
  return readReport(answer.text) ?? shown(answer.text);
}

/** The fields as the worker sent them: `readReport` drops those of a wrong type. */
export const fieldsIn = (answer: WorkerResponse): Readonly<Record<string, unknown>> =>
  (answer.ok ? asRecord(parseJson(answer.text)) : undefined) ?? {};

const longestShown = 120;

/** As JSON, cut so that it fits a line. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > longestShown
    ? `${text.slice(0, longestShown)}… (${text.length} characters)`
    : text;
}
