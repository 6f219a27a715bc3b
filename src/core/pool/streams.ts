// What is to be consumed? The spec's list, checked for what a schema cannot say.
import type { Problem, SwarmPoolSpec } from '../../api/validate.ts';

export type Stream = {
  readonly name: string;
  readonly parameters?: Readonly<Record<string, string>>;
};

export type StreamList =
  | { readonly ok: true; readonly streams: readonly Stream[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function streamsOf(spec: SwarmPoolSpec): StreamList {
  const list = spec.streams ?? [];
  const problems = duplicates(list.map((stream) => stream.name));
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, streams: list.map(({ name, parameters }) => ({ name, ...(parameters !== undefined && { parameters }) })) };
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
