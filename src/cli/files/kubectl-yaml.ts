// How does kubectl read YAML? As go-yaml does, mostly by YAML 1.1: `on` and `no` are booleans, 0777
// is octal, and a key that stands twice has its last value.
import {
  defineMappingTag,
  defineScalarTag,
  defineSequenceTag,
  FAILSAFE_SCHEMA,
  loadAll,
  mapTag,
  NOT_RESOLVED,
  seqTag,
} from 'js-yaml';

/** All documents of the text. Fails with a YAMLException. */
export const readAsKubectl = (text: string): readonly unknown[] => loadAll(text, { schema });

const inEachCase = (word: string): readonly string[] => [
  word,
  `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`,
  word.toUpperCase(),
];

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['y', 'yes', 'true', 'on'].flatMap(inEachCase).map((it) => [it, true] as const),
  ...['n', 'no', 'false', 'off'].flatMap(inEachCase).map((it) => [it, false] as const),
]);
const nulls: ReadonlySet<string> = new Set(['', '~', ...inEachCase('null')]);

const INTEGER = /^([-+]?)(?:(0[xX][0-9a-fA-F]+|0[bB][01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const [LEAST, MOST] = [-(2n ** 63n), 2n ** 64n - 1n];

/** Underscores separate digits, except in a number that begins with its point. */
function integerIn(source: string): number | undefined {
  const [, sign, prefixed, octal, decimal] = INTEGER.exec(source.replaceAll('_', '')) ?? [];
  const digits = prefixed ?? (octal === undefined ? decimal : `0o${octal}`);
  if (digits === undefined || !/^[-+0-9]/.test(source)) return undefined;
  const value = sign === '-' ? -BigInt(digits) : BigInt(digits);
  return value < LEAST || value > MOST ? undefined : Number(value);
}

function floatIn(source: string): number | undefined {
  const special = /^([-+]?)\.(inf|Inf|INF)$/.exec(source);
  if (special !== null) return special[1] === '-' ? -Infinity : Infinity;
  if (/^\.(nan|NaN|NAN)$/.test(source)) return Number.NaN;
  const plain = source.startsWith('.') ? source : source.replaceAll('_', '');
  if (source.startsWith('_') || !FLOAT.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}

/** Stands for the unquoted key `<<`, until the map around it is filled. */
const merge = Symbol('<<');
const unmerged = (value: unknown): unknown => (value === merge ? '<<' : value);

const isNumberOfJson = (value: unknown): boolean =>
  typeof value !== 'number' || Number.isFinite(value);
const NOT_OF_JSON = 'kubectl sends JSON, which has no .inf and no .nan';

type Fields = Record<string, unknown>;
const isMap = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first of several maps counts; all of them count more than a field before the `<<`. */
function addMerged(map: Fields, value: unknown): string {
  const sources: readonly unknown[] = Array.isArray(value) ? value.toReversed() : [value];
  if (!sources.every(isMap)) return '<< needs a map, or a list of maps';
  for (const source of sources)
    for (const [key, inner] of Object.entries(source)) mapTag.addPair(map, key, inner);
  return '';
}

const kubectlMap = defineMappingTag<Fields>('tag:yaml.org,2002:map', {
  create: () => ({}),
  addPair: (map, key, value) => {
    if (!isNumberOfJson(value)) return NOT_OF_JSON;
    if (key === merge) return addMerged(map, value);
    if (key === null) return 'kubectl accepts no null as a key';
    return mapTag.addPair(map, key, unmerged(value));
  },
  // A key that stands again takes the place of the first one.
  has: () => false,
  keys: (map) => Object.keys(map),
  get: (map, key) => map[String(key)],
  identify: () => false,
});

const kubectlList = defineSequenceTag<unknown[]>('tag:yaml.org,2002:seq', {
  create: seqTag.create,
  addItem: (list, item) => {
    list.push(unmerged(item));
    return isNumberOfJson(item) ? '' : NOT_OF_JSON;
  },
  identify: () => false,
});

const scalar = (
  name: string,
  resolve: (source: string) => unknown,
): ReturnType<typeof defineScalarTag<unknown>> =>
  defineScalarTag<unknown>(`tag:yaml.org,2002:${name}`, {
    implicit: true,
    resolve: (source) => resolve(source),
    identify: () => false,
  });

const schema = FAILSAFE_SCHEMA.withTags(
  kubectlMap,
  kubectlList,
  scalar('null', (source) => (nulls.has(source) ? null : NOT_RESOLVED)),
  scalar('bool', (source) => booleans.get(source) ?? NOT_RESOLVED),
  scalar('int', (source) => integerIn(source) ?? NOT_RESOLVED),
  scalar('float', (source) => integerIn(source) ?? floatIn(source) ?? NOT_RESOLVED),
  scalar('kubectl-merge', (source) => (source === '<<' ? merge : NOT_RESOLVED)),
);
