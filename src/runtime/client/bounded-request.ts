// What does a server answer, within a bound on time and one on bytes? No redirect is followed.
import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, request } from 'undici';
import { errorCode, errorText } from '../../api/text.ts';
import { deadlineIn } from './deadline.ts';

export type RequestBounds = {
  readonly answerMs: number;
  readonly mostBytes: number;
  /** Stands in the reason when an answer is longer. */
  readonly mostFor?: string;
  /** Any other status is a failure, and its body is not read. */
  readonly wants200?: true;
  /** Called with the bytes that were read, also when the answer is refused. */
  readonly onRead?: (bytes: number) => void;
  readonly onHeaders?: (headers: IncomingHttpHeaders) => void;
};

export type BoundedAnswer =
  | { readonly ok: true; readonly status: number; readonly body: Buffer }
  | {
      readonly ok: false;
      readonly reason: string;
      readonly why: 'late' | 'too-long' | 'status' | 'lost';
      /** Node's, where it was lost. */
      readonly code?: string;
      readonly isRefused: boolean;
    };

type Options = Pick<Dispatcher.RequestOptions, 'headers' | 'reset'> & {
  readonly method?: 'GET' | 'HEAD';
  readonly dispatcher?: Dispatcher;
};

export async function boundedRequest(
  url: string,
  {
    answerMs,
    mostBytes,
    mostFor,
    wants200,
    onRead,
    onHeaders,
    ...options
  }: RequestBounds & Options,
): Promise<BoundedAnswer> {
  const failed = (why: 'late' | 'too-long' | 'status', reason: string): BoundedAnswer => ({
    ...{ ok: false, why, reason, isRefused: false },
  });
  const tooLong = `answers more than ${mostBytes} bytes${mostFor === undefined ? '' : `, the limit for ${mostFor}`}`;
  const deadline = deadlineIn(answerMs);
  try {
    const response = await request(url, { ...options, signal: deadline.signal });
    const { statusCode: status, headers, body } = response;
    onHeaders?.(headers);
    const isUnwanted = wants200 === true && status !== 200;
    if (isUnwanted || Number(headers['content-length'] ?? 0) > mostBytes) {
      // A body that is destroyed unread emits an error, and an error without a listener ends the
      // process.
      body.on('error', () => undefined).destroy();
      return isUnwanted ? failed('status', `answers ${status}`) : failed('too-long', tooLong);
    }
    const chunks: AsyncIterable<Uint8Array> = body;
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of chunks) {
      length += part.length;
      onRead?.(part.length);
      if (length > mostBytes) return failed('too-long', tooLong);
      parts.push(part);
    }
    return { ok: true, status, body: Buffer.concat(parts) };
  } catch (error) {
    if (deadline.isPassed()) return failed('late', `no answer within ${answerMs / 1000} s`);
    const code = errorCode(error);
    return {
      ...{ ok: false, why: 'lost', reason: reasonOf(error) },
      ...(code !== undefined && { code }),
      isRefused: code === 'ECONNREFUSED',
    };
  } finally {
    deadline.end();
  }
}

/** The code says more than some texts, such as that of an error for several addresses. */
function reasonOf(error: unknown): string {
  const [text, code = ''] = [errorText(error), errorCode(error)];
  return text.includes(code) ? text : `${text} (${code})`;
}
