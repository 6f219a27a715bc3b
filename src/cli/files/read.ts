// Which objects do these files hold? Each has one document or several; a folder means the manifests
// in it, - means standard input.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isatty } from 'node:tty';
import { YAMLException } from 'js-yaml';
import {
  asString,
  brokenField,
  dig,
  isKubeObject,
  isRecord,
  type KubeObject,
} from '../../api/objects.ts';
import { CommandError } from '../arguments/command.ts';
import { readAsKubectl } from './kubectl-yaml.ts';

export type Manifest = { readonly file: string; readonly text: string };

const isManifest = (name: string): boolean => /\.(ya?ml|json)$/.test(name);
const stdin = 0;
const standardInput = {
  isTerminal: (): boolean => isatty(stdin),
  read: (): string => readFileSync(stdin, 'utf8'),
  note: (line: string): void => void process.stderr.write(`${line}\n`),
};

/** - means standard input; on a terminal the user would wait for a command that waits for input. */
export function readText(file: string, input = standardInput): Manifest {
  if (file === '-') {
    if (input.isTerminal()) input.note('reading from the terminal until Ctrl-D');
    return { file: 'stdin', text: input.read() };
  }
  if (statSync(file).isDirectory()) throw new CommandError(`${file} is a folder; expected a file`);
  return { file, text: readFileSync(file, 'utf8') };
}

/** `isRecursive`: folders within folders, too. */
export function readManifests(files: readonly string[], isRecursive = false): readonly Manifest[] {
  return files.flatMap((file) => {
    if (file === '-' || !statSync(file).isDirectory()) return [readText(file)];
    const all = readdirSync(file, { recursive: isRecursive, encoding: 'utf8' });
    const names = all.filter(isManifest);
    if (names.length === 0)
      throw new CommandError(
        `${file} contains no .yaml, .yml or .json file${isRecursive ? '' : '; use -R to read its subfolders'}`,
      );
    return names.sort().map((name) => ({
      file: path.join(file, name),
      text: readFileSync(path.join(file, name), 'utf8'),
    }));
  });
}

/** The items of a List count one by one. */
export function objectsIn({ file, text }: Manifest): readonly KubeObject[] {
  try {
    return readAsKubectl(text).flatMap((document): readonly KubeObject[] => {
      const items = dig(document, 'items');
      return (Array.isArray(items) ? items : [document]).flatMap((item) => objectOf(item, file));
    });
  } catch (error) {
    if (error instanceof YAMLException)
      throw new CommandError(`${file}:${(error.mark?.line ?? 0) + 1}: not YAML: ${error.reason}`);
    throw error;
  }
}

/** Skips a document without a name, and refuses an object with broken metadata. */
function objectOf(item: unknown, file: string): readonly KubeObject[] {
  const object = withoutNulls(item);
  if (isKubeObject(object)) return [object];
  const name = asString(dig(object, 'metadata', 'name'));
  if (name === undefined) return [];
  throw new CommandError(
    `${file}: ${brokenField(object)} of ${asString(dig(object, 'kind')) ?? 'object'} ${name} has the wrong type`,
  );
}

/** kubectl writes `creationTimestamp: null`, which means the same as no such field. */
export function withoutNulls(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value['metadata'])) return value;
  return {
    ...value,
    metadata: Object.fromEntries(Object.entries(value['metadata']).filter(([, it]) => it !== null)),
  };
}
