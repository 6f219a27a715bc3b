// The log of a container, in a kubelet's format: `<time> stdout F <line>`.
import {
  closeSync,
  createReadStream,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';

export type LogQuery = {
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  readonly since: Date | undefined;
};

/** As a kubelet, the log rotates at this size and keeps one former file. */
const ROTATE_BYTES = 10 * 1024 * 1024;
/** A longer line is cut into parts, so that an endless one does not fill the memory. */
const LONGEST_LINE = 16 * 1024;

export class ContainerLog {
  readonly #file: string;
  readonly #followers = new Set<PassThrough>();
  readonly #partial = { stdout: '', stderr: '' };
  #descriptor: number | undefined;
  #size = 0;
  #lastLines: string[] = [];

  constructor(file: string) {
    this.#file = file;
    mkdirSync(path.dirname(file), { recursive: true });
    this.#descriptor = openSync(file, 'a');
  }

  /** The termination message of a container that falls back to its log. */
  get tail(): string {
    return this.#lastLines.join('\n').slice(-2048);
  }

  write(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    const lines = (this.#partial[stream] + chunk.toString()).split('\n');
    this.#partial[stream] = lines.pop() ?? '';
    for (const line of lines) this.#append(stream, line, 'F');
    while (this.#partial[stream].length > LONGEST_LINE) {
      this.#append(stream, this.#partial[stream].slice(0, LONGEST_LINE), 'P');
      this.#partial[stream] = this.#partial[stream].slice(LONGEST_LINE);
    }
  }

  /** Ends the reads that follow it. */
  close(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#partial[stream] !== '') this.#append(stream, this.#partial[stream], 'P');
      this.#partial[stream] = '';
    }
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    for (const follower of this.#followers) follower.end();
    this.#followers.clear();
  }

  remove(): void {
    this.close();
    for (const file of [this.#file, `${this.#file}.1`]) rmSync(file, { force: true });
  }

  /** As text, line by line, as `kubectl logs` shows it. */
  async *read(query: LogQuery, signal: AbortSignal): AsyncGenerator<string> {
    const follower = new PassThrough({ objectMode: true });
    const stop = (): void => {
      this.#followers.delete(follower);
      follower.end();
    };
    // Followed before the file is read, up to its size at that time: no line is lost or repeated.
    if (query.follow && this.#descriptor !== undefined) this.#followers.add(follower);
    else stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      yield* limited(this.#storedAndFollowed(query, this.#size, follower), query);
    } finally {
      stop();
      signal.removeEventListener('abort', stop);
    }
  }

  async *#storedAndFollowed(
    query: LogQuery,
    size: number,
    follower: AsyncIterable<string>,
  ): AsyncGenerator<string> {
    yield* tailOf(stored(this.#file, size), query);
    yield* follower;
  }

  #append(stream: 'stdout' | 'stderr', text: string, tag: 'F' | 'P'): void {
    if (this.#descriptor === undefined) return;
    const line = `${new Date().toISOString()} ${stream} ${tag} ${text}\n`;
    this.#size += writeSync(this.#descriptor, line);
    this.#lastLines = [...this.#lastLines.slice(-79), text];
    for (const follower of this.#followers) follower.write(line.slice(0, -1));
    if (this.#size > ROTATE_BYTES) this.#rotate(this.#descriptor);
  }

  #rotate(descriptor: number): void {
    closeSync(descriptor);
    renameSync(this.#file, `${this.#file}.1`);
    this.#descriptor = openSync(this.#file, 'a');
    this.#size = 0;
  }
}

/** Lines of the former file, and of the current one up to `size`. */
async function* stored(file: string, size: number): AsyncGenerator<string> {
  if (statSync(`${file}.1`, { throwIfNoEntry: false }) !== undefined)
    yield* createInterface({ input: createReadStream(`${file}.1`) });
  if (size > 0) yield* createInterface({ input: createReadStream(file, { end: size - 1 }) });
}

async function* tailOf(
  lines: AsyncIterable<string>,
  { tailLines, since }: LogQuery,
): AsyncGenerator<string> {
  const last: string[] = [];
  for await (const line of lines) {
    if (since !== undefined && line < since.toISOString()) continue;
    if (tailLines === undefined) yield line;
    else if (last.push(line) > tailLines) last.shift();
  }
  yield* last;
}

/** Removes the format, and stops at the limit. */
async function* limited(
  lines: AsyncIterable<string>,
  { timestamps, limitBytes }: LogQuery,
): AsyncGenerator<string> {
  let left = limitBytes ?? Number.POSITIVE_INFINITY;
  for await (const line of lines) {
    const [time = '', , tag] = line.split(' ', 3);
    const text = line.slice(line.indexOf(` ${tag} `) + 3);
    const shown = Buffer.from(`${timestamps ? `${time} ` : ''}${text}${tag === 'P' ? '' : '\n'}`);
    yield shown.subarray(0, left).toString();
    left -= shown.length;
    if (left <= 0) return;
  }
}
