// What did a container write, and when? Kept in files of a kubelet's format: `<time> stdout F
// <line>`.
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

export type LogQuery = {
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  readonly since: Date | undefined;
};

/**
 * Then the file becomes the former one, of which one is kept: a kubelet rotates at the same size.
 */
const ROTATE_BYTES = 10 * 1024 * 1024;
/**
 * A line longer than this is cut into parts, so that a program that never ends its line does not
 * fill the memory.
 */
const LONGEST_LINE = 16 * 1024;

export class ContainerLog {
  readonly #file: string;
  readonly #followers = new Set<(line: string | undefined) => void>();
  readonly #partial = { stdout: '', stderr: '' };
  #descriptor: number | undefined;
  #size = 0;
  #lastLines: string[] = [];

  constructor(file: string) {
    this.#file = file;
    mkdirSync(path.dirname(file), { recursive: true });
    this.#descriptor = openSync(file, 'a');
  }

  /** The end of it, for a container that asks for its log as its termination message. */
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

  /** Ends those who follow. */
  close(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#partial[stream] !== '') this.#append(stream, this.#partial[stream], 'P');
      this.#partial[stream] = '';
    }
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    for (const tell of this.#followers) tell(undefined);
  }

  remove(): void {
    this.close();
    for (const file of [this.#file, `${this.#file}.1`]) rmSync(file, { force: true });
  }

  /** As text, line by line, as `kubectl logs` shows it. */
  async *read(query: LogQuery, signal: AbortSignal): AsyncGenerator<string> {
    // Subscribed first: what is written while the file is read comes after it, and nothing is lost
    // between.
    const queue: (string | undefined)[] = [];
    let wake = Promise.withResolvers<void>();
    const tell = (line: string | undefined): void => {
      queue.push(line);
      wake.resolve();
    };
    const isLive = query.follow && this.#descriptor !== undefined;
    if (isLive) this.#followers.add(tell);
    const stop = (): void => tell(undefined);
    signal.addEventListener('abort', stop, { once: true });
    try {
      yield* limited(
        this.#all(
          query,
          this.#size,
          queue,
          () => wake.promise.then(() => (wake = Promise.withResolvers())),
          isLive,
        ),
        query,
      );
    } finally {
      this.#followers.delete(tell);
      signal.removeEventListener('abort', stop);
    }
  }

  async *#all(
    query: LogQuery,
    size: number,
    queue: (string | undefined)[],
    woken: () => Promise<unknown>,
    isLive: boolean,
  ): AsyncGenerator<string> {
    yield* tailOf(stored(this.#file, size), query);
    while (isLive) {
      while (queue.length > 0) {
        const line = queue.shift();
        if (line === undefined) return;
        yield line;
      }
      await woken();
    }
  }

  #append(stream: 'stdout' | 'stderr', text: string, tag: 'F' | 'P'): void {
    if (this.#descriptor === undefined) return;
    const line = `${new Date().toISOString()} ${stream} ${tag} ${text}\n`;
    this.#size += writeSync(this.#descriptor, line);
    this.#lastLines = [...this.#lastLines.slice(-79), text];
    for (const tell of this.#followers) tell(line.slice(0, -1));
    if (this.#size > ROTATE_BYTES) this.#rotate(this.#descriptor);
  }

  #rotate(descriptor: number): void {
    closeSync(descriptor);
    renameSync(this.#file, `${this.#file}.1`);
    this.#descriptor = openSync(this.#file, 'a');
    this.#size = 0;
  }
}

/** What the files hold; of the current one no more than was there when the reading began. */
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

/** Takes the format off again, and stops at the limit. */
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
