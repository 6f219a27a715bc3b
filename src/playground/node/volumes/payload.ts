// The files of a volume, made from what was read for it.
import type {
  V1ConfigMapProjection,
  V1DownwardAPIProjection,
  V1SecretProjection,
  V1ServiceAccountTokenProjection,
  V1Volume,
  V1VolumeProjection,
} from '@kubernetes/client-node';
import {
  type EnvironmentInputs,
  isMissing,
  type Missing,
  notFound,
} from '../containers/environment.ts';
import { downwardValue, serviceAccountOf } from '../pods/fields.ts';
import { type Reference, referenceTo } from './references.ts';

/** By path below the volume. */
export type Payload = ReadonlyMap<string, { readonly data: Buffer; readonly mode: number }>;

export type PayloadInputs = Omit<EnvironmentInputs, 'given'> & {
  readonly token: (projection: V1ServiceAccountTokenProjection) => string | undefined;
};

/** A volume of one source is read as a projection of it. */
export function projectionsOf(volume: V1Volume): readonly V1VolumeProjection[] {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (projected !== undefined) return projected.sources ?? [];
  if (configMap !== undefined) return [{ configMap }];
  if (downwardAPI !== undefined) return [{ downwardAPI }];
  if (secret === undefined) return [];
  const { secretName: name = '', ...rest } = secret;
  return [{ secret: { ...rest, name } }];
}

const volumeTypes = ['emptyDir', 'configMap', 'secret', 'downwardAPI', 'projected'];
const projectionTypes = ['configMap', 'secret', 'downwardAPI', 'serviceAccountToken'];

/** The field of a volume that the node cannot provide. */
export function unsupportedField({ name: _, ...sources }: V1Volume): string | undefined {
  const type = Object.keys(sources).find((field) => !volumeTypes.includes(field));
  if (type !== undefined) return type;
  const projections = sources.projected?.sources ?? [];
  const projection = projections
    .flatMap((source) => Object.keys(source))
    .find((field) => !projectionTypes.includes(field));
  return projection && `projected.sources.${projection}`;
}

export const referencesOf = (volume: V1Volume): readonly Reference[] =>
  projectionsOf(volume)
    .map(({ configMap, secret }) => referenceTo(configMap, secret))
    .filter((reference) => reference !== undefined);

/** Of sources that write the same path the last one wins, as in a kubelet. */
export function payloadOf(volume: V1Volume, inputs: PayloadInputs): Payload | Missing {
  const { configMap, secret, downwardAPI, projected } = volume;
  const defaultMode = (configMap ?? secret ?? downwardAPI ?? projected)?.defaultMode ?? 0o644;
  // The group of the pod may read its files.
  const forGroup = inputs.pod.spec.securityContext?.fsGroup === undefined ? 0 : 0o440;
  const files = new Map<string, { data: Buffer; mode: number }>();
  for (const projection of projectionsOf(volume)) {
    const part = filesOf(projection, inputs);
    if (isMissing(part)) return part;
    for (const { path, data, mode = defaultMode } of part)
      files.set(path, { data, mode: mode | forGroup });
  }
  return files;
}

type File = { readonly path: string; readonly data: Buffer; readonly mode?: number | undefined };

function filesOf(
  { configMap, secret, downwardAPI, serviceAccountToken }: V1VolumeProjection,
  inputs: PayloadInputs,
): readonly File[] | Missing {
  if (configMap !== undefined) return keysOf('configMap', configMap, inputs);
  if (secret !== undefined) return keysOf('secret', secret, inputs);
  if (downwardAPI !== undefined) return downwardFiles(downwardAPI, inputs);
  if (serviceAccountToken === undefined) return [];
  const token = inputs.token(serviceAccountToken);
  return token === undefined
    ? { missing: `no token of service account ${serviceAccountOf(inputs.pod)} yet` }
    : [{ path: serviceAccountToken.path, data: Buffer.from(token) }];
}

function keysOf(
  from: Reference['from'],
  { name = '', items, optional }: V1ConfigMapProjection | V1SecretProjection,
  { lookup }: PayloadInputs,
): readonly File[] | Missing {
  const contents = lookup(from, name);
  if (contents === undefined) return optional ? [] : notFound({ from, name });
  if (items === undefined) return [...contents].map(([path, data]) => ({ path, data }));
  const absent = items.find(({ key }) => !contents.has(key));
  if (absent !== undefined && !optional)
    return {
      missing: `${from.toLowerCase()} "${name}" references non-existent key: ${absent.key}`,
    };
  return items.flatMap(({ key, path, mode }) => {
    const data = contents.get(key);
    return data === undefined ? [] : [{ path, data, mode }];
  });
}

function downwardFiles(
  { items = [] }: V1DownwardAPIProjection,
  inputs: PayloadInputs,
): readonly File[] | Missing {
  const files: File[] = [];
  for (const { path, mode, ...selector } of items) {
    const value = downwardValue(selector, inputs);
    if (value === undefined) return { missing: `the downward API has no such value for ${path}` };
    files.push({ path, mode, data: Buffer.from(value) });
  }
  return files;
}
