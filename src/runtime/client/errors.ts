// What went wrong with a request, and is it worth another try?
import { oneLine } from '../../api/text.ts';

type Verdict = 'retry' | 'terminal';

/** Stable codes; the verdict belongs to the code, so that no caller decides it anew. */
const verdicts = {
  NotFound: 'terminal', // 404: the object or the kind is not there
  Conflict: 'retry', // 409: the object changed meanwhile; look again and decide again
  Stale: 'retry', // the object that was meant has been replaced by another of its name
  AlreadyExists: 'retry', // 409 on create: another client was faster; look again
  Gone: 'retry', // 410: the watch or page is too old; list again
  Forbidden: 'terminal', // 403: rights, quota or admission; tried again only at the slow pace of a resync
  NamespaceTerminating: 'terminal', // 403: nothing is created in a namespace that is being deleted
  Unauthorized: 'retry', // 401: a token that is being rotated
  Invalid: 'terminal', // 400, 422: the same body will be refused again
  TooManyRequests: 'retry', // 429
  EvictionRefused: 'retry', // 429 of an eviction: a PodDisruptionBudget does not allow it now
  Unavailable: 'retry', // 5xx
  Timeout: 'retry', // no answer within the request's own limit
  Unreachable: 'retry', // no connection, or it broke
  BadAnswer: 'retry', // an answer that is not what the API promises (a proxy's page, half an object)
} as const satisfies Record<string, Verdict>;

export type KubeErrorCode = keyof typeof verdicts;

export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: KubeErrorCode;
  readonly verdict: Verdict;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    code: KubeErrorCode,
    message: string,
    details: { status?: number; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(oneLine(message), { cause: details.cause });
    this.code = code;
    this.verdict = verdicts[code];
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }
}

export const hasCode = (error: unknown, ...codes: readonly KubeErrorCode[]): boolean =>
  error instanceof KubeError && codes.includes(error.code);

/** Undefined: it is not there. */
export async function orNothing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (hasCode(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Kubernetes' own word among the causes of a refusal. */
const NAMESPACE_TERMINATING = 'NamespaceTerminating';

/** All that the API server says of a JSON patch that cannot be applied. */
const FAILED_TEST = 'the server rejected our request due to an error in our request';

const isOfAnotherUid = (message: string): boolean =>
  /metadata\.uid/.test(message) && /immutable/.test(message);

/** An HTTP status, the API's own reason, its message and causes, as one of our codes. */
export function codeOf(
  status: number,
  reason: string,
  message: string,
  causes: readonly string[] = [],
): KubeErrorCode {
  switch (status) {
    case 400:
      return 'Invalid';
    case 401:
      return 'Unauthorized';
    case 403:
      return causes.includes(NAMESPACE_TERMINATING) ? 'NamespaceTerminating' : 'Forbidden';
    case 404:
      return 'NotFound';
    case 408:
    case 504:
      return 'Timeout';
    case 409:
      return reason === 'AlreadyExists' ? 'AlreadyExists' : 'Conflict';
    case 410:
      return 'Gone';
    case 422:
      // A patch that names another UID is answered "metadata.uid: field is immutable": the object
      // was replaced, the body is not at fault. Nor is it where a `test` of a JSON patch fails.
      return isOfAnotherUid(message) || message.endsWith(FAILED_TEST) ? 'Stale' : 'Invalid';
    case 429:
      return 'TooManyRequests';
    default:
      return status >= 500 ? 'Unavailable' : 'Invalid';
  }
}

/** An answer that asks for a longer wait is retried after this. */
const LONGEST_WAIT_MS = 120_000;

/**
 * Undefined for 0 or less: the caller's own backoff counts, so that no answer makes it retry in a
 * tight loop.
 */
export function waitMs(ms: number): number | undefined {
  return ms > 0 ? Math.min(ms, LONGEST_WAIT_MS) : undefined;
}

/** Retry-After is seconds or an HTTP date. */
export function retryAfterMs(header: string | null | undefined, nowMs: number): number | undefined {
  if (header === null || header === undefined || header === '') return undefined;
  const seconds = Number(header);
  return waitMs(Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - nowMs);
}
