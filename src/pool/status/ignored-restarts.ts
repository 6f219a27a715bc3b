// What of the annotation for restarts restarts nothing, and why?
import { oneLine } from '../../api/text.ts';
import { listed } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import { ANNOTATION_RESTART, readRestarts } from '../streams/streams.ts';
import type { PoolWorld } from '../world.ts';

/** Undefined: all of it restarts something. */
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
    : `part of the pool's annotation ${ANNOTATION_RESTART} has no effect: ${parts.join('; ')}`;
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
