// What is wrong with the lists that a pool names, as far as the files have their ConfigMaps?
import { asList, asString, dig } from '../../api/objects.ts';
import type { Problem } from '../../api/own-object.ts';
import { type ReadStreamList, readStreamList } from '../../api/stream-list.ts';
import { specValidators } from '../../api/validate.ts';
import { streamsOf } from '../../pool/streams/join.ts';
import { sourceOf } from '../../pool/streams/streams.ts';
import { type Located, type LocatedProblem, locate, type OwnDocument } from './documents.ts';
import { whyTooHeavy, withDefaults } from './warnings.ts';

type List = {
  readonly source: string;
  readonly read: ReadStreamList;
  readonly document: Located;
  readonly field: string;
};

type ListCheck = {
  readonly problems: readonly LocatedProblem[];
  /** The ConfigMaps that were read. */
  readonly read: readonly Located[];
};

export function checkLists(pool: OwnDocument, others: readonly Located[]): ListCheck {
  if (pool.kind !== 'SwarmPool') return { problems: [], read: [] };
  const spec = withDefaults(dig(pool.value, 'spec'));
  const lists = listsOf(pool, spec, others);
  const warnings = lists.flatMap((list) =>
    heavyIn(spec, list).map((problem) => ({ ...inList(list, problem), isWarning: true })),
  );
  return {
    read: lists.map(({ document }) => document),
    problems: [...refusals(spec, lists).flatMap((it) => located(pool, lists, it)), ...warnings],
  };
}

function listsOf(pool: OwnDocument, spec: unknown, others: readonly Located[]): readonly List[] {
  return asList(dig(spec, 'streamsFrom')).flatMap((item) => {
    const [name = '', key = ''] = ['name', 'key'].map((field) =>
      asString(dig(item, 'configMapKeyRef', field)),
    );
    const document = others.find((it) => isConfigMap(it.value, name, pool.value));
    const text = asString(dig(document?.value, 'data', key));
    if (document === undefined || text === undefined) return [];
    const source = sourceOf({ name, key });
    return [{ source, read: readStreamList(text, source), document, field: `data.${key}` }];
  });
}

/** Left out, a namespace is the one that both are applied to. */
function isConfigMap(value: unknown, name: string, pool: unknown): boolean {
  const [its, pools] = [value, pool].map((it) => dig(it, 'metadata', 'namespace'));
  return (
    dig(value, 'kind') === 'ConfigMap' &&
    dig(value, 'metadata', 'name') === name &&
    (its === undefined || pools === undefined || its === pools)
  );
}

/** What the operator refuses of them. */
function refusals(spec: unknown, lists: readonly List[]): readonly Problem[] {
  if (!specValidators.SwarmPool(spec))
    return lists.flatMap(({ read }) => (read.ok ? [] : read.problems));
  const joined = streamsOf(spec, lists);
  return joined.ok ? [] : joined.problems;
}

const heavyIn = (spec: unknown, { source, read }: List): readonly Problem[] =>
  !read.ok
    ? []
    : read.streams.flatMap(({ weight = 0 }, index) => {
        const message = whyTooHeavy(spec, weight);
        return message === undefined
          ? []
          : [{ field: `${source} line ${read.lines[index]}`, message: `weighs ${message}` }];
      });

/** A mistake in the spec alone is none of a list, and is told as one of the spec. */
function located(
  pool: OwnDocument,
  lists: readonly List[],
  problem: Problem,
): readonly LocatedProblem[] {
  const list = lists.find(({ source }) => `${problem.field} `.startsWith(`${source} `));
  if (list !== undefined) return [inList(list, problem)];
  return problem.field.startsWith('spec.streams[')
    ? []
    : [locate(pool, { ...problem, field: 'spec.streamsFrom' })];
}

function inList({ document, field, source }: List, problem: Problem): LocatedProblem {
  const at = locate(document, { ...problem, field });
  const [, line = '0'] = /^ line (\d+)/.exec(problem.field.slice(source.length)) ?? [];
  const into = isBlock(document, at.line) ? Number(line) : 0;
  return { ...at, field: problem.field, line: at.line + into };
}

/** Does the text begin in the next line, each of its lines in one of the file? */
const isBlock = ({ manifest }: Located, line: number): boolean =>
  /\|[-+\d]*\s*$/.test(manifest.text.split('\n')[line - 1] ?? '');
