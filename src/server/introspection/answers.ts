// Which path gets which answer? None of them changes anything.
import type { Pool, ShownBoard } from '../../api/introspection.ts';
import { orUndefined } from '../../api/text.ts';
import { timeText } from '../../core/text.ts';
import { explain } from '../../pool/plan/explain.ts';
import { openapi } from './openapi.ts';
import { firstOf, pageOf, pageRequestIn } from './page.ts';
import { blockedText, planFor, workersIn } from './plans.ts';
import { detailOf, type Snapshot, type Snapshots, summaryOf } from './pools.ts';
import {
  namedStreams,
  type StreamIndex,
  streamsLike,
  streamsOf,
  workersInOrder,
  workersOf,
} from './workers.ts';

type IntrospectionAnswer = { readonly status: number; readonly body: object };

export type Introspected = { readonly snapshots: Snapshots; readonly isLeading: () => boolean };

const ok = (body: object): IntrospectionAnswer => ({ status: 200, body });
const no = (status: number, error: string): IntrospectionAnswer => ({ status, body: { error } });

export function answerTo(url: URL, introspected: Introspected): IntrospectionAnswer {
  const parts = partsOf(url.pathname);
  if (parts === undefined) return no(400, 'the path is not well encoded');
  const [api, version, kind, namespace = '', name = '', ...rest] = parts;
  if (api !== 'api' || version !== 'v1') return nothing();
  if (kind === 'openapi.json' && namespace === '') return ok(openapi);
  if (kind !== 'pools') return nothing();
  const { snapshots, isLeading } = introspected;
  if (namespace === '') return poolsIn(snapshots, isLeading(), url.searchParams);
  const snapshot = snapshots.get(namespace, name);
  if (snapshot === undefined) return no(404, unknownPool(namespace, name, isLeading()));
  return ofPool(snapshot, rest, url.searchParams);
}

function poolsIn(
  snapshots: Snapshots,
  leading: boolean,
  query: URLSearchParams,
): IntrospectionAnswer {
  const entries = snapshots.entries();
  const summary = ([, snapshot]: readonly [string, Snapshot]): Pool => summaryOf(snapshot);
  return answerPart(entries, ([key]) => key, summary, query, { leading });
}

/** The part of a list that `query` asks for; `head`: what stands before it. */
function answerPart<T, U>(
  sorted: readonly T[],
  nameOf: (item: T) => string,
  show: (item: T) => U,
  query: URLSearchParams,
  head: object = {},
): IntrospectionAnswer {
  const request = pageRequestIn(query);
  return typeof request === 'string'
    ? no(400, request)
    : ok({ ...head, ...pageOf(sorted, nameOf, request, show) });
}

const itself = <T>(it: T): T => it;

function ofPool(
  snapshot: Snapshot,
  [what, item, part, ...more]: readonly string[],
  query: URLSearchParams,
): IntrospectionAnswer {
  if (what === undefined) return ok(detailOf(snapshot));
  if (more.length > 0) return nothing();
  if (item === undefined) return wholePool(snapshot, what, query);
  if (what === 'streams' && part === undefined) return explained(snapshot, item);
  if (what !== 'workers' || part !== 'streams') return nothing();
  const list = streamsOf(snapshot, item);
  return list === undefined ? nothing() : streamsIn(list, query);
}

function wholePool(snapshot: Snapshot, what: string, query: URLSearchParams): IntrospectionAnswer {
  switch (what) {
    case 'board':
      return ok(boardOf(snapshot));
    case 'plan':
      return planned(snapshot, query);
    case 'streams':
      return streamsIn(streamsLike(snapshot, query.get('contains') ?? ''), query);
    case 'workers':
      return answerPart(workersOf(snapshot), ({ name }) => name, itself, query);
    default:
      return nothing();
  }
}

const streamsIn = ({ names, show }: StreamIndex, query: URLSearchParams): IntrospectionAnswer =>
  answerPart(names, itself, show, query);

function planned(snapshot: Snapshot, query: URLSearchParams): IntrospectionAnswer {
  const workers = workersIn(query);
  if (typeof workers === 'string') return no(400, workers);
  const plan = planFor(snapshot, workers);
  return typeof plan === 'string' ? no(409, plan) : ok(plan);
}

function explained({ world, decision }: Snapshot, stream: string): IntrospectionAnswer {
  if (decision.basis === undefined) return nothing();
  const found = explain(world, decision.basis, stream);
  return found.ok ? ok(found.explanation) : no(409, blockedText(found.blocked));
}

const partsOf = (path: string): readonly string[] | undefined =>
  orUndefined(() => path.split('/').slice(1).map(decodeURIComponent));

const nothing = (): IntrospectionAnswer =>
  no(404, `there is nothing here; ask ${Object.keys(openapi.paths).join(', ')}`);

const unknownPool = (namespace: string, name: string, isLeading: boolean): string =>
  isLeading
    ? `there is no SwarmPool ${namespace}/${name}, or it was not looked at yet`
    : 'this replica does not lead, and knows no pools; the Lease swarm-operator names the one that does';

/** More would be too small to see, and too long an answer. */
const MOST_NAMED = 1_500;
const MOST_NAMES_LENGTH = 100_000;
const MOST_WORKERS = 500;

/** A whole pool at once, with its streams by name if those are few enough to be drawn. */
function boardOf(snapshot: Snapshot): ShownBoard {
  const { world, now, lastChange } = snapshot;
  const workers = workersInOrder(snapshot);
  const shown = firstOf(workers, MOST_WORKERS);
  const named = namedStreams(snapshot, MOST_NAMED, MOST_NAMES_LENGTH);
  const { spec } = world.pool;
  return {
    asOf: timeText(now),
    version: workers.reduce((highest, { version = 0 }) => Math.max(highest, version), 0),
    capacity: spec.ok ? spec.value.workers.capacity : 0,
    streams: workers.reduce((sum, { streams }) => sum + streams, 0),
    isNamed: named !== undefined,
    workers: {
      total: shown.total,
      first:
        named === undefined
          ? shown.first
          : shown.first.map((worker) => ({ ...worker, ...named.get(worker.name) })),
    },
    ...(lastChange !== undefined && { lastChange }),
  };
}
