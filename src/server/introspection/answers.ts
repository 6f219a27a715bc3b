// Which question gets which answer? Questions only: there is nothing here that changes anything.

import { openapi } from './openapi.ts';
import { askedIn, type Page, pageOf } from './page.ts';
import { detailOf, summaryOf } from './pools.ts';
import type { Snapshot, Snapshots } from './snapshots.ts';
import { type StreamList, streamsLike, streamsOf, workersOf } from './workers.ts';

export type Answer = { readonly status: number; readonly body: object };

export type Introspected = { readonly snapshots: Snapshots; readonly isLeading: () => boolean };

const ok = (body: object): Answer => ({ status: 200, body });
const no = (status: number, error: string): Answer => ({ status, body: { error } });

export function answerTo(url: URL, introspected: Introspected): Answer {
  const asked = askedIn(url.searchParams);
  if (typeof asked === 'string') return no(400, asked);
  const parts = partsOf(url.pathname);
  if (parts === undefined) return no(400, 'the path is not well encoded');
  const [api, version, kind, namespace = '', name = '', ...rest] = parts;
  if (api !== 'api' || version !== 'v1') return nothing();
  if (kind === 'openapi.json' && namespace === '') return ok(openapi);
  if (kind !== 'pools') return nothing();
  const { snapshots, isLeading } = introspected;
  if (namespace === '') {
    const page = pageOf(
      snapshots.entries(),
      ([key]) => key,
      asked,
      ([, snapshot]) => summaryOf(snapshot),
    );
    return ok({ leading: isLeading(), ...page });
  }
  const snapshot = snapshots.get(namespace, name);
  if (snapshot === undefined) return no(404, unknownPool(namespace, name, isLeading()));
  if (rest.length === 0) return ok(detailOf(snapshot));
  const page = partOf(snapshot, rest, url.searchParams.get('contains') ?? '', (list) => pageOf(list.names, (it) => it, asked, list.show));
  if (page !== undefined) return ok(page);
  return rest.length === 1 && rest[0] === 'workers'
    ? ok(
        pageOf(
          workersOf(snapshot),
          (it) => it.name,
          asked,
          (it) => it,
        ),
      )
    : nothing();
}

function partOf(
  snapshot: Snapshot,
  [what, worker = '', streams, ...more]: readonly string[],
  contains: string,
  page: (list: StreamList) => Page<object>,
): Page<object> | undefined {
  if (what === 'streams' && worker === '') return page(streamsLike(snapshot, contains));
  if (what !== 'workers' || streams !== 'streams' || more.length > 0) return undefined;
  const list = streamsOf(snapshot, worker);
  return list === undefined ? undefined : page(list);
}

function partsOf(path: string): readonly string[] | undefined {
  try {
    return path.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

const nothing = (): Answer => no(404, `there is nothing here; ask ${Object.keys(openapi.paths).join(', ')}`);

const unknownPool = (namespace: string, name: string, isLeading: boolean): string =>
  isLeading
    ? `there is no SwarmPool ${namespace}/${name}, or it was not looked at yet`
    : 'this replica does not lead, and knows no pools; the Lease swarm-operator names the one that does';
