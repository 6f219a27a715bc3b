// Which volumes does a pod declare, and what are they made of?
import { asList, asNumber, asRecord, asString, dig } from '../../../api/objects.ts';

export type Item = {
  readonly key: string;
  readonly path: string;
  readonly mode: number | undefined;
};

export type DownwardItem = {
  readonly path: string;
  readonly mode: number | undefined;
  readonly value:
    | { readonly from: 'field'; readonly path: string }
    | {
        readonly from: 'resource';
        readonly container: string | undefined;
        readonly resource: string;
        readonly divisor: string;
      };
};

/** What files are made from. `items` undefined: every key becomes a file of its name. */
export type FileSource =
  | {
      readonly from: 'configMap' | 'secret';
      readonly name: string;
      readonly optional: boolean;
      readonly items: readonly Item[] | undefined;
    }
  | { readonly from: 'downwardAPI'; readonly items: readonly DownwardItem[] }
  | {
      readonly from: 'token';
      readonly path: string;
      readonly audience: string | undefined;
      readonly seconds: number;
    };

export type Volume =
  | {
      readonly type: 'files';
      readonly name: string;
      readonly mode: number;
      readonly sources: readonly FileSource[];
    }
  | { readonly type: 'emptyDir'; readonly name: string }
  | { readonly type: 'unsupported'; readonly name: string; readonly field: string };

const DEFAULT_MODE = 0o644;

export const readVolumes = (value: unknown): readonly Volume[] => asList(value).map(readVolume);

function readVolume(value: unknown): Volume {
  const name = asString(dig(value, 'name')) ?? '';
  const given = Object.entries(asRecord(value) ?? {}).find(
    ([field, source]) => field !== 'name' && source !== null,
  );
  // A volume without any source is an emptyDir.
  const [type, source] = given ?? ['emptyDir', {}];
  const mode = asNumber(dig(source, 'defaultMode')) ?? DEFAULT_MODE;
  switch (type) {
    case 'emptyDir':
      return { type: 'emptyDir', name };
    case 'configMap':
    case 'secret':
    case 'downwardAPI':
      return { type: 'files', name, mode, sources: [readSource(type, source)] };
    case 'projected': {
      const sources = asList(dig(source, 'sources')).map(readProjection);
      const unsupported = sources.find((projection) => typeof projection === 'string');
      if (unsupported !== undefined)
        return { type: 'unsupported', name, field: `projected.sources.${unsupported}` };
      return {
        type: 'files',
        name,
        mode,
        sources: sources.filter((projection) => typeof projection !== 'string'),
      };
    }
    default:
      return { type: 'unsupported', name, field: type };
  }
}

/** A field's name when the node does not know such a source. */
function readProjection(value: unknown): FileSource | string {
  const [type, source] = Object.entries(asRecord(value) ?? {})[0] ?? ['nothing', {}];
  switch (type) {
    case 'configMap':
    case 'secret':
    case 'downwardAPI':
      return readSource(type, source);
    case 'serviceAccountToken':
      return {
        from: 'token',
        path: asString(dig(source, 'path')) ?? 'token',
        audience: asString(dig(source, 'audience')),
        seconds: asNumber(dig(source, 'expirationSeconds')) ?? 3600,
      };
    default:
      return type;
  }
}

function readSource(type: 'configMap' | 'secret' | 'downwardAPI', source: unknown): FileSource {
  if (type === 'downwardAPI')
    return { from: type, items: asList(dig(source, 'items')).map(readDownwardItem) };
  const items = dig(source, 'items');
  return {
    from: type,
    // In a volume it is secretName, in a projection name.
    name: asString(dig(source, 'name')) ?? asString(dig(source, 'secretName')) ?? '',
    optional: dig(source, 'optional') === true,
    items: items === undefined ? undefined : asList(items).map(readItem),
  };
}

function readItem(value: unknown): Item {
  return {
    key: asString(dig(value, 'key')) ?? '',
    path: asString(dig(value, 'path')) ?? '',
    mode: asNumber(dig(value, 'mode')),
  };
}

function readDownwardItem(value: unknown): DownwardItem {
  const at = { path: asString(dig(value, 'path')) ?? '', mode: asNumber(dig(value, 'mode')) };
  const field = asString(dig(value, 'fieldRef', 'fieldPath'));
  if (field !== undefined) return { ...at, value: { from: 'field', path: field } };
  const ref = dig(value, 'resourceFieldRef');
  return {
    ...at,
    value: {
      from: 'resource',
      container: asString(dig(ref, 'containerName')),
      resource: asString(dig(ref, 'resource')) ?? '',
      divisor: String(dig(ref, 'divisor') ?? '0'),
    },
  };
}
