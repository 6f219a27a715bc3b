// Which streams does a user want to restart, and with which tokens are they published?
import { type ObjectMeta, own } from '../../api/objects.ts';

/**
 * On a pool: streams to restart, one line `NAME TOKEN` for each. A stream with a token that differs
 * from its published one restarts at its worker.
 */
export const ANNOTATION_RESTART = 'k8slab.info/restart';

/** The most restarts in one annotation, and for one worker in the assignment. */
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
      problem ??= `line ${index + 1} is not a name and a token`;
    else tokens.set(line.slice(0, at).trim(), token);
  }
  return { tokens, problem };
}

/**
 * The part of the annotation that is kept in memory: enough of a longer one to report that it is
 * too long.
 */
export function keptRestarts({
  annotations = {},
}: Pick<ObjectMeta, 'annotations'>): Readonly<Record<string, string>> {
  const text = annotations[ANNOTATION_RESTART];
  return text === undefined ? {} : { [ANNOTATION_RESTART]: text.slice(0, LONGEST_TEXT + 1) };
}

/** A name contains no line break, and no blank at its end. */
export const restartText = (tokens: Tokens): string =>
  [...tokens].map(([stream, token]) => `${stream} ${token}`).join('\n');

/**
 * A published token stays as long as its stream: a worker that has not read it yet still reads it,
 * and removing the annotation changes nothing.
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
