// Which files does a volume hold right now? Pure: everything that has to be fetched is given.

import type { EnvironmentInputs, Missing } from '../containers/environment.ts';
import { fieldOf, resourceOf } from '../pods/fields.ts';
import { everyContainer } from '../pods/pod-spec.ts';
import type { DownwardItem, FileSource, Volume } from './volume-spec.ts';

export type PayloadFile = { readonly data: Buffer; readonly mode: number };

/** By path below the volume. */
export type Payload = ReadonlyMap<string, PayloadFile>;

export type PayloadInputs = Omit<EnvironmentInputs, 'given'> & {
  /** A token that lives at least until the next look. */
  readonly token: (source: Extract<FileSource, { from: 'token' }>) => string | undefined;
};

type FilesVolume = Extract<Volume, { type: 'files' }>;

/** Of sources that write the same path the last one wins, as in a kubelet. */
export function payloadOf(volume: FilesVolume, inputs: PayloadInputs): Payload | Missing {
  const files = new Map<string, PayloadFile>();
  for (const source of volume.sources) {
    const part = filesOf(source, volume.mode, inputs);
    if ('missing' in part) return part;
    // With a group of their own the files are for it to read, as a kubelet sees to.
    const forGroup = inputs.pod.fsGroup === undefined ? 0 : 0o440;
    for (const [path, { data, mode }] of part) files.set(path, { data, mode: mode | forGroup });
  }
  return files;
}

function filesOf(source: FileSource, mode: number, inputs: PayloadInputs): Payload | Missing {
  switch (source.from) {
    case 'configMap':
    case 'secret':
      return keysOf(source, mode, inputs);
    case 'token': {
      const token = inputs.token(source);
      if (token === undefined)
        return { missing: `no token of service account ${inputs.pod.serviceAccount} yet` };
      return new Map([[source.path, { data: Buffer.from(token), mode }]]);
    }
    case 'downwardAPI': {
      const files = new Map<string, PayloadFile>();
      for (const item of source.items) {
        const value = downwardValue(item, inputs);
        if (value === undefined)
          return { missing: `the downward API has no such value for ${item.path}` };
        files.set(item.path, { data: Buffer.from(value), mode: item.mode ?? mode });
      }
      return files;
    }
    default:
      return source satisfies never;
  }
}

function keysOf(
  source: Extract<FileSource, { from: 'configMap' | 'secret' }>,
  mode: number,
  inputs: PayloadInputs,
): Payload | Missing {
  const data = inputs.lookup(source.from, source.name);
  const kind = source.from.toLowerCase();
  if (data === undefined)
    return source.optional ? new Map() : { missing: `${kind} "${source.name}" not found` };
  if (source.items === undefined)
    return new Map([...data].map(([key, value]) => [key, { data: value, mode }]));
  const files = new Map<string, PayloadFile>();
  for (const item of source.items) {
    const value = data.get(item.key);
    if (value !== undefined) files.set(item.path, { data: value, mode: item.mode ?? mode });
    else if (!source.optional)
      return { missing: `${kind} "${source.name}" references non-existent key: ${item.key}` };
  }
  return files;
}

function downwardValue({ value }: DownwardItem, inputs: PayloadInputs): string | undefined {
  if (value.from === 'field') return fieldOf(inputs, value.path);
  const owner = everyContainer(inputs.pod).find(({ name }) => name === value.container);
  return owner === undefined
    ? undefined
    : resourceOf(owner, value.resource, value.divisor, inputs.allocatable);
}
