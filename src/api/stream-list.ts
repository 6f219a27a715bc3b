// Which streams stand in a list of its own, a key of a ConfigMap? YAML, or a line `name` or `name=weight` for each.
import { load, YAMLException } from 'js-yaml';
import type { PoolStream } from './generated/types.ts';
import { validatePoolStream } from './generated/validators.cjs';
import { type Problem, problemsOf } from './validate.ts';

/** With the line of each stream, so that a mistake that shows only later can be found as well. */
export type ListedStream = { readonly stream: PoolStream; readonly line: number };

export type ReadStreamList =
  | { readonly ok: true; readonly streams: readonly ListedStream[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** `source` says where the text stands, as the problems name it. */
export function readStreamList(text: string, source: string): ReadStreamList {
  return isYaml(text) ? readYaml(text, source) : readLines(text, source);
}

/** YAML lists begin with a dash or a bracket; no stream's name does, or it must be quoted in YAML. */
const isYaml = (text: string): boolean => /^(\s*(#.*)?\n)*\s*(-\s|\[|---)/.test(text);

function readLines(text: string, source: string): ReadStreamList {
  const read = text.split('\n').flatMap((raw, index) => {
    const line = raw.replace(/(^|\s)#.*$/, '').trim();
    return line === '' ? [] : [{ line: index + 1, ...nameAndWeight(line) }];
  });
  return checked(
    read.map(({ line, name, weight }) => ({ line, value: weight === undefined ? { name } : { name, weight: Number(weight) } })),
    source,
  );
}

/** `name=20`; a name with an equals sign in it can only stand in YAML. */
function nameAndWeight(line: string): { readonly name: string; readonly weight?: string } {
  const at = line.lastIndexOf('=');
  return at < 0 ? { name: line } : { name: line.slice(0, at).trim(), weight: line.slice(at + 1).trim() || 'NaN' };
}

function readYaml(text: string, source: string): ReadStreamList {
  let value: unknown;
  try {
    value = load(text);
  } catch (error) {
    const line = error instanceof YAMLException ? error.mark?.line : undefined;
    const place = line === undefined ? source : `${source} line ${line + 1}`;
    const reason = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    return { ok: false, problems: [{ field: place, message: `not YAML: ${reason}` }] };
  }
  if (!Array.isArray(value)) return { ok: false, problems: [{ field: source, message: 'not a list of streams' }] };
  const lines = itemLines(text, value.length);
  return checked(
    value.map((item: unknown, index) => ({ line: lines?.[index] ?? 0, value: typeof item === 'string' ? { name: item } : item })),
    source,
  );
}

/** Items of a block list begin with a dash at the smallest indentation. Undefined: written in brackets, where lines say little. */
function itemLines(text: string, count: number): readonly number[] | undefined {
  const dashes = text.split('\n').flatMap((line, index) => {
    const indentation = /^( *)-(\s|$)/.exec(line)?.[1]?.length;
    return indentation === undefined ? [] : [{ line: index + 1, indentation }];
  });
  const least = Math.min(...dashes.map(({ indentation }) => indentation));
  const lines = dashes.filter(({ indentation }) => indentation === least).map(({ line }) => line);
  return lines.length === count ? lines : undefined;
}

function checked(items: readonly { readonly line: number; readonly value: unknown }[], source: string): ReadStreamList {
  const streams: ListedStream[] = [];
  const problems: Problem[] = [];
  items.forEach(({ line, value }, index) => {
    const place = line === 0 ? `${source} item ${index + 1}` : `${source} line ${line}`;
    if (validatePoolStream(value)) streams.push({ stream: value, line });
    else problems.push(...problemsOf(place, validatePoolStream.errors ?? []));
  });
  return problems.length > 0 ? { ok: false, problems } : { ok: true, streams };
}
