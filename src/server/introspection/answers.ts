// Which path gets which answer? None of them changes anything.
import { keyOf, own } from '../../api/objects.ts';
import { orUndefined } from '../../api/text.ts';
import { answerPart, type IntrospectionAnswer, no, nothing, ok } from './answer.ts';
import { answerOfGroup } from './group-answers.ts';
import type { AllSnapshots } from './kinds.ts';
import { openapi } from './openapi.ts';
import { answerOfPool } from './pool-answers.ts';
import { answerOfQueue } from './queues/answers.ts';
import type { Snapshots } from './snapshots.ts';

export type Introspected = { readonly snapshots: AllSnapshots; readonly isLeading: () => boolean };

type Question = {
  /** What follows the kind in the path. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly isLeading: boolean;
};

/** By the part of the path that names the kind. */
const kinds: Readonly<
  Record<keyof AllSnapshots, (all: AllSnapshots, asked: Question) => IntrospectionAnswer>
> = {
  pools: ({ pools }, asked) => answerFrom(pools, 'pools', asked, answerOfPool),
  groups: ({ groups }, asked) => answerFrom(groups, 'groups', asked, answerOfGroup),
  queues: ({ queues }, asked) => answerFrom(queues, 'queues', asked, answerOfQueue),
};

export function answerTo(url: URL, { snapshots, isLeading }: Introspected): IntrospectionAnswer {
  const parts = partsOf(url.pathname);
  if (parts === undefined) return no(400, 'the path is not well encoded');
  const [api, version, what = '', ...path] = parts;
  if (api !== 'api' || version !== 'v1') return nothing();
  if (what === 'openapi.json' && path.join('') === '') return ok(openapi);
  const answer = own(kinds, what);
  if (answer === undefined) return nothing();
  return answer(snapshots, { path, query: url.searchParams, isLeading: isLeading() });
}

function answerFrom<Snapshot>(
  known: Snapshots<Snapshot>,
  plural: string,
  { path: [namespace = '', name = '', ...path], query, isLeading }: Question,
  answer: (
    snapshot: Snapshot,
    path: readonly string[],
    query: URLSearchParams,
  ) => IntrospectionAnswer,
): IntrospectionAnswer {
  if (namespace === '')
    return answerPart(
      known.entries(),
      ([key]) => key,
      ([, snapshot]) => known.inShort(snapshot),
      query,
      { leading: isLeading },
    );
  const snapshot = known.get(keyOf({ namespace, name }));
  if (snapshot !== undefined) return answer(snapshot, path, query);
  return no(
    404,
    isLeading
      ? `there is no ${known.kind} ${namespace}/${name}, or the operator has not reconciled it yet`
      : `this replica is not the leader, and only the leader knows ${plural}; the Lease swarm-operator names the leader`,
  );
}

const partsOf = (path: string): readonly string[] | undefined =>
  orUndefined(() => path.split('/').slice(1).map(decodeURIComponent));
