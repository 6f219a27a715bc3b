// Which streams does a list in a key of a ConfigMap name? YAML, or a line `name`, `name=weight` or
// `name suspend` for each stream.
import type { ErrorObject } from 'ajv';
import { MOST_PROBLEMS, MOST_STREAMS } from './bounds.ts';
import type { PoolStream } from './generated/types.ts';
import { validatePoolStream } from './generated/validators.cjs';
import type { Problem } from './own-object.ts';
import { readText } from './yaml.ts';

export type ReadStreamList =
  /** `lines`: the line of each stream, for problems that are found later. */
  | { readonly ok: true; readonly streams: readonly PoolStream[]; readonly lines: Int32Array }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly isTooMany?: true };

/** `source` names the place of the text in problems. */
export function readStreamList(text: string, source: string): ReadStreamList {
  return isYaml(text) ? readYaml(text, source) : readLines(text, source);
}

/**
 * Copies all texts: a name that is a part of the whole text would keep that text in memory, and a
 * stream may stay for many versions of its list.
 */
export const apart = (read: ReadStreamList): ReadStreamList =>
  read.ok ? { ...read, streams: JSON.parse(JSON.stringify(read.streams)) } : read;

/** A list that begins with a dash or a bracket; in YAML, stream names that do must be quoted. */
export const isYaml = (text: string): boolean =>
  /^(?:[^\S\n]*(?:#[^\n]*)?\n)*[^\S\n]*(?:-\s|\[|---)/.test(text);

/** `from` is the number of lines before the text. */
export function readLines(text: string, source: string, from = 0): ReadStreamList {
  const items: Item[] = [];
  let number = from;
  for (let at = 0; at <= text.length; ) {
    const end = text.indexOf('\n', at);
    const raw = text.slice(at, end < 0 ? text.length : end);
    at = end < 0 ? text.length + 1 : end + 1;
    number += 1;
    const line = withoutComment(raw).trim();
    if (line === '') continue;
    if (items.length === MOST_STREAMS) return tooMany(source, `more than ${MOST_STREAMS}`);
    items.push({ line: number, value: streamIn(line) });
  }
  return checked(items, source);
}

/** A pattern up to the end of the line would search it once for each `#`. */
function withoutComment(line: string): string {
  const at = line.search(/(?:^|\s)#/);
  return at < 0 ? line : line.slice(0, at);
}

const refused = (source: string, message: string): ReadStreamList => ({
  ok: false,
  problems: [{ field: source, message }],
});

const tooMany = (source: string, count: string): ReadStreamList => ({
  ok: false,
  isTooMany: true,
  problems: [
    { field: source, message: `${count} streams, but a pool can have at most ${MOST_STREAMS}` },
  ],
});

/** `name=20 suspend`; names with an equals sign, or that end with ` suspend`, need YAML. */
function streamIn(line: string): Partial<PoolStream> {
  const suspended = /^(.*\S)\s+suspend$/.exec(line)?.[1];
  if (suspended !== undefined) return { ...weighted(suspended), suspend: true };
  return weighted(line);
}

function weighted(line: string): Partial<PoolStream> {
  const at = line.lastIndexOf('=');
  if (at < 0) return { name: line };
  // Number would read an empty text as 0.
  return { name: line.slice(0, at).trim(), weight: Number(line.slice(at + 1).trim() || 'NaN') };
}

function readYaml(text: string, source: string): ReadStreamList {
  const read = readText(text);
  if (!read.ok)
    return refused(read.line === undefined ? source : `${source} line ${read.line}`, read.problem);
  const { value } = read;
  if (!Array.isArray(value)) return refused(source, 'not a list of streams');
  if (value.length > MOST_STREAMS) return tooMany(source, String(value.length));
  const lines = itemLines(text, value.length);
  return checked(
    value.map((item: unknown, index) => ({
      line: lines?.[index] ?? 0,
      value: typeof item === 'string' ? { name: item } : item,
    })),
    source,
  );
}

/**
 * Items of a block list begin with a dash at the smallest indentation. Undefined: the list is in
 * brackets.
 */
function itemLines(text: string, count: number): readonly number[] | undefined {
  const dashes = text.split('\n').flatMap((line, index) => {
    const indentation = /^( *)-(\s|$)/.exec(line)?.[1]?.length;
    return indentation === undefined ? [] : [{ line: index + 1, indentation }];
  });
  const least = dashes.reduce(
    (smallest, { indentation }) => Math.min(smallest, indentation),
    Infinity,
  );
  const lines = dashes.filter(({ indentation }) => indentation === least).map(({ line }) => line);
  return lines.length === count ? lines : undefined;
}

type Item = { readonly line: number; readonly value: unknown };

function checked(items: readonly Item[], source: string): ReadStreamList {
  const streams: PoolStream[] = [];
  const lines = new Int32Array(items.length);
  const problems: Problem[] = [];
  for (const [index, { line, value }] of items.entries()) {
    if (validatePoolStream(value)) {
      lines[streams.length] = line;
      streams.push(value);
      continue;
    }
    const position = line === 0 ? `${source} item ${index + 1}` : `${source} line ${line}`;
    for (const problem of rulesOf(position, validatePoolStream.errors ?? []))
      problems.push(problem);
    if (problems.length >= MOST_PROBLEMS) break;
  }
  return problems.length > 0
    ? { ok: false, problems: problems.slice(0, MOST_PROBLEMS) }
    : { ok: true, streams, lines };
}

/** Names the field and the rule, never the value: the ConfigMap may contain passwords of others. */
const rulesOf = (position: string, errors: readonly ErrorObject[]): readonly Problem[] =>
  errors.slice(0, MOST_PROBLEMS).map(({ instancePath, message }) => {
    const [, field = ''] = instancePath.split('/', 2);
    return {
      field: FIELDS.has(field) ? `${position}.${field}` : position,
      message: message ?? 'is not allowed',
    };
  });

const FIELDS: ReadonlySet<string> = new Set([
  'name',
  'weight',
  'parameters',
  'priority',
  'spreadGroup',
  'ordinal',
  'suspend',
]);
