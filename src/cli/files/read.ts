// Which objects stand in these files? Several documents in each; a folder means the manifests in it; - is what comes in.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { loadAll, YAMLException } from 'js-yaml';
import { isKubeObject, type KubeObject } from '../../api/objects.ts';
import { Trouble } from '../arguments/main.ts';

export type Manifest = { readonly file: string; readonly text: string };

const manifest = /\.(ya?ml|json)$/;
const stdin = 0;

export function readManifests(files: readonly string[]): readonly Manifest[] {
  return files.flatMap((file) => {
    if (file === '-') return [{ file: 'stdin', text: readFileSync(stdin, 'utf8') }];
    if (!statSync(file).isDirectory()) return [{ file, text: readFileSync(file, 'utf8') }];
    const names = readdirSync(file).filter((name) => manifest.test(name));
    if (names.length === 0) throw new Trouble(`${file}: no file in it ends in .yaml, .yml or .json`);
    return names.sort().map((name) => ({ file: path.join(file, name), text: readFileSync(path.join(file, name), 'utf8') }));
  });
}

/** Lists are taken apart; what is no object at all is nobody's. */
export function objectsIn({ file, text }: Manifest): readonly KubeObject[] {
  try {
    return loadAll(text).flatMap((document): readonly KubeObject[] => {
      const items = isList(document) ? document.items : [document];
      return items.filter(isKubeObject);
    });
  } catch (error) {
    if (error instanceof YAMLException) throw new Trouble(`${file}:${(error.mark?.line ?? 0) + 1}: not YAML: ${error.reason}`);
    throw error;
  }
}

const isList = (document: unknown): document is { readonly items: readonly unknown[] } =>
  typeof document === 'object' && document !== null && 'items' in document && Array.isArray(document.items);
