// Which objects stand in these files? Several documents in each; a folder means the manifests in
// it; - is what comes in.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { loadAll, YAMLException } from 'js-yaml';
import {
  asString,
  brokenField,
  dig,
  isKubeObject,
  isRecord,
  type KubeObject,
} from '../../api/objects.ts';
import { CommandError } from '../arguments/command.ts';

export type Manifest = { readonly file: string; readonly text: string };

const manifest = /\.(ya?ml|json)$/;
const stdin = 0;

export function readManifests(files: readonly string[]): readonly Manifest[] {
  return files.flatMap((file) => {
    if (file === '-') return [{ file: 'stdin', text: readFileSync(stdin, 'utf8') }];
    if (!statSync(file).isDirectory()) return [{ file, text: readFileSync(file, 'utf8') }];
    const names = readdirSync(file).filter((name) => manifest.test(name));
    if (names.length === 0)
      throw new CommandError(`${file}: no file in it ends in .yaml, .yml or .json`);
    return names.sort().map((name) => ({
      file: path.join(file, name),
      text: readFileSync(path.join(file, name), 'utf8'),
    }));
  });
}

/** Lists are taken apart. */
export function objectsIn({ file, text }: Manifest): readonly KubeObject[] {
  try {
    return loadAll(text).flatMap((document): readonly KubeObject[] => {
      const items = isList(document) ? document.items : [document];
      return items.flatMap((item) => objectOf(item, file));
    });
  } catch (error) {
    if (error instanceof YAMLException)
      throw new CommandError(`${file}:${(error.mark?.line ?? 0) + 1}: not YAML: ${error.reason}`);
    throw error;
  }
}

/**
 * A document without a name is no object, and skipped. An object with broken metadata is refused.
 */
function objectOf(item: unknown, file: string): readonly KubeObject[] {
  const object = withoutNulls(item);
  if (isKubeObject(object)) return [object];
  const name = asString(dig(object, 'metadata', 'name'));
  if (name === undefined) return [];
  throw new CommandError(
    `${file}: ${brokenField(object)} of ${asString(dig(object, 'kind')) ?? 'object'} ${name} is not of its type`,
  );
}

/** kubectl writes `creationTimestamp: null`; that means the same as no such field. */
export function withoutNulls(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value['metadata'])) return value;
  return {
    ...value,
    metadata: Object.fromEntries(Object.entries(value['metadata']).filter(([, it]) => it !== null)),
  };
}

const isList = (document: unknown): document is { readonly items: readonly unknown[] } =>
  typeof document === 'object' &&
  document !== null &&
  'items' in document &&
  Array.isArray(document.items);
