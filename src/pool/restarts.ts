// Which streams does a user want restarted? An annotation of the pool names them, a line `NAME
// TOKEN` each: with another token than was published for it, a stream is restarted where it is.
import { type ObjectMeta, own } from '../api/objects.ts';
import { oneLine } from '../api/text.ts';
import { listed } from '../core/text.ts';
import type { DesiredState } from './desired-state.ts';
import { ANNOTATION_RESTART } from './labels.ts';
import type { PoolWorld } from './world.ts';

/** In one annotation, and of one worker in the assignment. */
export const MOST_RESTARTS = 100;
const LONGEST_TOKEN = 64;
/** A hundred lines with the longest names. */
const LONGEST_TEXT = 20_000;

type Tokens = ReadonlyMap<string, string>;

const none: Tokens = new Map();

type ReadRestarts = { readonly tokens: Tokens; readonly problem: string | undefined };

export function readRestarts(text: string | undefined): ReadRestarts {
  if (text === undefined) return { tokens: none, problem: undefined };
  if (text.length > LONGEST_TEXT) return { tokens: none, problem: 'it is too long' };
  const tokens = new Map<string, string>();
  let problem: string | undefined;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '') continue;
    if (index >= MOST_RESTARTS) {
      problem ??= `it has more than ${MOST_RESTARTS} lines`;
      break;
    }
    const at = Math.max(line.lastIndexOf(' '), line.lastIndexOf('\t'));
    const token = line.slice(at + 1);
    if (at < 0 || token.length > LONGEST_TOKEN)
      problem ??= `line ${index + 1} is no name and token`;
    else tokens.set(line.slice(0, at).trim(), token);
  }
  return { tokens, problem };
}

/** What is kept of the annotation in memory: of one that is too long, enough to say so. */
export function keptRestarts({
  annotations = {},
}: Pick<ObjectMeta, 'annotations'>): Readonly<Record<string, string>> {
  const text = annotations[ANNOTATION_RESTART];
  return text === undefined ? {} : { [ANNOTATION_RESTART]: text.slice(0, LONGEST_TEXT + 1) };
}

/** A name has no line break, and no blank at its end. */
export const restartText = (tokens: Tokens): string =>
  [...tokens].map(([stream, token]) => `${stream} ${token}`).join('\n');

/**
 * A published token stays while its stream does: so a worker that has not read it yet does, and an
 * annotation that is removed changes nothing.
 */
export function restartsOf(
  tokens: Tokens,
  jobs: readonly string[],
  published: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  if (tokens.size === 0 && published === undefined) return {};
  const wanted: (readonly [string, string])[] = [];
  const kept: (readonly [string, string])[] = [];
  for (const job of jobs) {
    const token = tokens.get(job);
    const before = own(published, job);
    if (token !== undefined) wanted.push([job, token]);
    else if (before !== undefined && before.length <= LONGEST_TOKEN) kept.push([job, before]);
  }
  return Object.fromEntries([...wanted, ...kept].slice(0, MOST_RESTARTS));
}

/** What of the annotation restarts nothing; undefined: all of it does. */
export function ignoredRestarts(
  { pool: { meta } }: Pick<PoolWorld, 'pool'>,
  { streams, unassigned }: DesiredState,
): string | undefined {
  const text = meta.annotations[ANNOTATION_RESTART];
  if (text === undefined) return undefined;
  const { tokens, problem } = readRestarts(text);
  const without = new Set(unassigned.map(({ name }) => name));
  const asked = new Map(
    streams.flatMap((it) => (tokens.has(it.name) ? [[it.name, it] as const] : [])),
  );
  const names = [...tokens.keys()];
  const of = (isOne: (name: string) => boolean): readonly string[] => names.filter(isOne);
  const parts = [
    problem,
    sentence(
      of((name) => !asked.has(name)),
      'not in the list',
    ),
    sentence(
      of((name) => asked.get(name)?.isSuspended === true),
      'suspended',
    ),
    unassignedText(of((name) => without.has(name))),
  ].filter((part) => part !== undefined);
  return parts.length === 0
    ? undefined
    : `of the pool's annotation ${ANNOTATION_RESTART} a part restarts nothing: ${parts.join('; ')}`;
}

const named = (names: readonly string[]): string =>
  listed(
    names.map((name) => oneLine(JSON.stringify(name.slice(0, 128)))),
    3,
  );

const sentence = (names: readonly string[], what: string): string | undefined =>
  names.length === 0 ? undefined : `${named(names)} ${names.length === 1 ? 'is' : 'are'} ${what}`;

const unassignedText = (names: readonly string[]): string | undefined =>
  names.length === 0
    ? undefined
    : `${named(names)} ${names.length === 1 ? 'has' : 'have'} no worker`;
