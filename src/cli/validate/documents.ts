// Which objects of our kinds do these manifests hold, and in which line is each of their fields?
import { YAMLException } from 'js-yaml';
import { kinds, type OwnKindName, ownKindNames } from '../../api/kinds.ts';
import { nearest } from '../../api/nearest.ts';
import { asList, asString, dig } from '../../api/objects.ts';
import type { Problem } from '../../api/own-object.ts';
import { listed } from '../../core/text.ts';
import { readAsKubectl } from '../files/kubectl-yaml.ts';
import type { Manifest } from '../files/read.ts';
import { type FieldLines, fieldLinesIn, lineOf } from './field-lines.ts';

export type LocatedProblem = Problem & {
  readonly file: string;
  readonly line: number;
  /** It would be taken, and is probably not what is meant. */
  readonly isWarning?: boolean;
};

/** `value`: as parsed; `at`: its path in the document, `items[1]` in a list, else empty. */
export type Located = {
  readonly manifest: Manifest;
  readonly lines: FieldLines;
  readonly value: unknown;
  readonly at: string;
};

export type OwnDocument = Located & { readonly kind: OwnKindName };

/** The objects of our kinds of a file, those in lists too; or why it cannot be read. */
export function ownObjectsIn(manifest: Manifest): {
  readonly own: readonly OwnDocument[];
  readonly others: readonly Located[];
  readonly found: readonly LocatedProblem[];
} {
  try {
    const repeated: LocatedProblem[] = [];
    const message = 'stands twice; kubectl takes the last one';
    const lines = fieldLinesIn(manifest.text, (field, line) =>
      repeated.push({ file: manifest.file, line, field, message, isWarning: true }),
    );
    const documents = readAsKubectl(manifest.text).flatMap((document, index) => {
      const shared = { manifest, lines: lines[index] ?? new Map<string, number>() };
      if (asString(dig(document, 'kind'))?.endsWith('List') !== true)
        return document === null ? [] : [{ ...shared, value: document, at: '' }];
      const items = asList(dig(document, 'items'));
      return items.map((value, number) => ({ ...shared, value, at: `items[${number}]` }));
    });
    const own: OwnDocument[] = [];
    const others: Located[] = [];
    for (const document of documents) {
      const kind = ownKindNames.find((name) => name === dig(document.value, 'kind'));
      if (kind === undefined) others.push(document);
      else own.push({ ...document, kind });
    }
    const found = [...repeated, ...others.flatMap(problemWithKind)];
    if (documents.length === 0)
      found.push({ file: manifest.file, line: 1, field: '', message: 'contains no object' });
    return { own, others, found };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = (error.mark?.line ?? 0) + 1;
    const message = `not YAML: ${error.reason}`;
    return { own: [], others: [], found: [{ file: manifest.file, line, field: '', message }] };
  }
}

/** Of our group, or nearly called like one of our kinds. */
function problemWithKind(document: Located): readonly LocatedProblem[] {
  const [kind, version] = ['kind', 'apiVersion'].map((field) => dig(document.value, field));
  const { group } = kinds.SwarmPool;
  const isOfGroup = asString(version)?.startsWith(`${group}/`) === true;
  if (!isOfGroup && nearest(asString(kind) ?? '', ownKindNames) === undefined) return [];
  const message = `is ${JSON.stringify(kind) ?? 'missing'}; allowed are ${listed(ownKindNames)}`;
  return [locate(document, { field: 'kind', message })];
}

export function locate(
  { manifest, lines, at }: Located,
  { field, message }: Problem,
): LocatedProblem {
  const line = lineOf(lines, [at, field].filter(Boolean).join('.'));
  return { file: manifest.file, line, field, message };
}
