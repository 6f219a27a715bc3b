// Which streams does a list name after an edit? Only the lines that differ are read.
import { MOST_STREAMS } from './bounds.ts';
import { apart, isYaml, type ReadStreamList, readLines } from './stream-list.ts';

/** A larger edit is read as a whole list. */
const MOST_EDITED = 50_000;
/** Texts are compared in blocks, so that equal ones are compared as fast as memory is read. */
const BLOCK = 4_096;

type Earlier = { readonly text: string; readonly read: ReadStreamList };

/** Undefined: the whole text has to be read, for example if it is YAML or has an error. */
export function rereadStreamList(
  text: string,
  source: string,
  { text: before, read }: Earlier,
): ReadStreamList | undefined {
  if (!read.ok || isYaml(text) || isYaml(before)) return undefined;
  const start = lineStart(before, sameFromStart(before, text));
  const end = wholeLines(text, sameFromEnd(before, text, start));
  const gone = before.slice(start, before.length - end);
  const come = text.slice(start, text.length - end);
  if (come.length > MOST_EDITED) return undefined;
  const first = breaksIn(before.slice(0, start));
  const fresh = apart(readLines(come, source, first));
  if (!fresh.ok) return undefined;
  const { streams, lines } = read;
  const last = first + breaksIn(gone);
  const kept = upTo(lines, first);
  const next = end === 0 ? lines.length : upTo(lines, last);
  const shift = breaksIn(come) - breaksIn(gone);
  const now = new Int32Array(kept + fresh.lines.length + lines.length - next);
  now.set(lines.subarray(0, kept));
  now.set(fresh.lines, kept);
  for (let at = next; at < lines.length; at += 1)
    now[kept + fresh.lines.length + at - next] = (lines[at] ?? 0) + shift;
  return now.length > MOST_STREAMS
    ? undefined
    : {
        ok: true,
        streams: streams.slice(0, kept).concat(fresh.streams, streams.slice(next)),
        lines: now,
      };
}

/** `length` characters are the same: the start of the line that contains the next one. */
const lineStart = (text: string, length: number): number =>
  length === 0 ? 0 : text.lastIndexOf('\n', length - 1) + 1;

/** The number of equal characters at the start. */
function sameFromStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.slice(at, at + BLOCK) === b.slice(at, at + BLOCK)) at += BLOCK;
  at = Math.min(at, most);
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}

/** The number of equal characters at the end, after `start`. */
function sameFromEnd(a: string, b: string, start: number): number {
  const most = Math.min(a.length, b.length) - start;
  const blockOf = (text: string, at: number): string =>
    text.slice(Math.max(start, text.length - at - BLOCK), text.length - at);
  let at = 0;
  while (at + BLOCK <= most && blockOf(a, at) === blockOf(b, at)) at += BLOCK;
  while (at < most && a.charCodeAt(a.length - 1 - at) === b.charCodeAt(b.length - 1 - at)) at += 1;
  return at;
}

/** The number of the last characters that belong to lines that begin among them. */
function wholeLines(text: string, length: number): number {
  const at = text.indexOf('\n', text.length - length);
  return length === 0 || at < 0 ? 0 : text.length - at - 1;
}

function breaksIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The number of these ascending lines up to this one. */
function upTo(lines: Int32Array, line: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle] ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  return low;
}
