// How does a released file get here whole, over connections that break?
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import { errorText } from '../../api/text.ts';

const mostRedirections = 5;
const mostBytes = 1024 ** 3;
const mostTextBytes = 1024 ** 2;

type OnBytes = (received: number, total: number | undefined) => void;

interface Transfer {
  readonly url: string;
  readonly file: string;
  readonly dispatcher: Dispatcher;
  readonly onBytes: OnBytes;
  /** After a break, and after each try that brought no byte; after the last it has failed. */
  readonly pausesMilliseconds: readonly number[];
}

/**
 * Continues behind the bytes that `file` has, and tries again when the connection breaks. A server
 * that never sent a byte is not tried again: this machine has no way to it.
 */
export async function transfer(wanted: Transfer): Promise<void> {
  const { file, pausesMilliseconds } = wanted;
  for (let failures = 0; ; failures++) {
    const before = await sizeOf(file);
    try {
      await receive(wanted, before);
      return;
    } catch (error) {
      const now = await sizeOf(file);
      if (now > before) failures = 0;
      const pause = pausesMilliseconds[failures];
      if (error instanceof Refusal || now === 0 || pause === undefined) throw error;
      await delay(pause);
    }
  }
}

export async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => ({ size: 0 }))).size;
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Over TLS alone, also where it redirects: a checksum that others can change proves nothing. */
export async function textOverTls(url: string, dispatcher: Dispatcher): Promise<string> {
  const { body } = await get(url, dispatcher, {}, true);
  let text = '';
  for await (const chunk of body.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > mostTextBytes) throw new Refusal(`${url} is longer than 1 MiB`);
  }
  return text;
}

/** Another try would get the same answer. */
class Refusal extends Error {}

async function receive({ url, file, dispatcher, onBytes }: Transfer, have: number): Promise<void> {
  const range = have > 0 ? { range: `bytes=${have}-` } : undefined;
  const { body, headers, statusCode } = await get(url, dispatcher, range);
  if (statusCode === 416) {
    await body.dump();
    return;
  }
  // A server that knows no ranges sends the whole file.
  const from = statusCode === 206 && startOf(headers['content-range']) === have ? have : 0;
  if (statusCode === 206 && from !== have) {
    body.destroy();
    throw new Refusal(`${url} answered with another part than was asked for`);
  }
  const length = Number(headers['content-length']);
  const total = Number.isSafeInteger(length) && length > 0 ? from + length : undefined;
  let received = from;
  onBytes(received, total);
  const handle = await open(file, from > 0 ? 'a' : 'w');
  try {
    for await (const chunk of body) {
      received += chunk.length;
      if (received > mostBytes) throw new Refusal(`${url} is larger than 1 GiB`);
      await handle.write(chunk);
      onBytes(received, total);
    }
  } catch (error) {
    throw error instanceof Refusal ? error : new Error(`${url}: ${errorText(error)}`);
  } finally {
    await handle.close();
  }
}

async function get(
  url: string,
  dispatcher: Dispatcher,
  headers: Readonly<Record<string, string>> = {},
  overTlsAlone = false,
): Promise<Dispatcher.ResponseData> {
  let at = new URL(url);
  for (let hops = 0; hops <= mostRedirections; hops++) {
    if (overTlsAlone && at.protocol !== 'https:')
      throw new Refusal(
        `${at} is not read: a checksum from the publisher is trusted only over https`,
      );
    const response = await request(at, { dispatcher, headers }).catch((error: unknown) => {
      throw new Error(`${url}: ${errorText(error)}`, { cause: error });
    });
    const { statusCode, headers: answered } = response;
    if ([200, 206, 416].includes(statusCode)) return response;
    await response.body.dump();
    const { location } = answered;
    if (statusCode < 300 || statusCode > 399 || typeof location !== 'string') {
      const message = `${url}: it answered ${statusCode}`;
      throw statusCode >= 500 || statusCode === 429 ? new Error(message) : new Refusal(message);
    }
    at = new URL(location, at);
  }
  throw new Refusal(`${url}: it redirects more than ${mostRedirections} times`);
}

function startOf(contentRange: string | string[] | undefined): number | undefined {
  const [, start] = /^bytes (\d+)-/.exec(String(contentRange)) ?? [];
  return start === undefined ? undefined : Number(start);
}
