// What is to be consumed? The spec's list with its defaults, checked for what a schema cannot say.
import type { Problem, SwarmPoolSpec } from '../../api/validate.ts';
import type { AssignStream } from './assign/assign.ts';

export type Stream = AssignStream & { readonly parameters?: Readonly<Record<string, string>> };

export type StreamList =
  | { readonly ok: true; readonly streams: readonly Stream[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type SpecStream = NonNullable<SwarmPoolSpec['streams']>[number];

export function streamsOf(spec: SwarmPoolSpec): StreamList {
  const list = spec.streams ?? [];
  const problems = duplicates(list.map((stream) => stream.name));
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, streams: list.map((stream) => complete(stream, spec.streamDefaults.weight)) };
}

function complete({ name, weight, priority, spreadGroup, ordinal, parameters }: SpecStream, defaultWeight: number): Stream {
  return {
    name,
    weight: weight ?? defaultWeight,
    priority: priority ?? 0,
    ...(spreadGroup !== undefined && { spreadGroup }),
    ...(ordinal !== undefined && { ordinal }),
    ...(parameters !== undefined && { parameters }),
  };
}

function duplicates(names: readonly string[]): readonly Problem[] {
  const first = new Map<string, number>();
  return names.flatMap((name, index) => {
    const earlier = first.get(name);
    if (earlier !== undefined) return [{ field: `spec.streams[${index}].name`, message: `"${name}" is already spec.streams[${earlier}]` }];
    first.set(name, index);
    return [];
  });
}
