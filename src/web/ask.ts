// How does the page read the operator's state? From its introspection, at the same address as the
// page.
import type { GroupDetail, ShownGroups } from '../api/introspection/groups.ts';
import type { QueueDetail, ShownQueues } from '../api/introspection/queues.ts';
import type { Page } from '../api/introspection/schema.ts';
import type {
  Explanation,
  Plan,
  PoolDetail,
  ShownBoard,
  ShownPools,
  ShownStream,
} from '../api/introspection.ts';

/** `isSilent`: there was no answer at all. */
export type Failure = { readonly ok: false; readonly isSilent: boolean; readonly error: string };
type Answer<T> = { readonly ok: true; readonly value: T } | Failure;

const LONGEST_ANSWER_MS = 15_000;

async function ask<T>(path: string, signal?: AbortSignal): Promise<Answer<T>> {
  const late = AbortSignal.timeout(LONGEST_ANSWER_MS);
  try {
    const response = await fetch(path, {
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    });
    if (response.ok) return { ok: true, value: (await response.json()) as T };
    return { ok: false, isSilent: false, error: await errorIn(response) };
  } catch {
    return { ok: false, isSilent: true, error: 'The operator does not answer.' };
  }
}

async function errorIn(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  return typeof body === 'object' && body !== null && 'error' in body
    ? String(body.error)
    : response.statusText;
}

const MOST = 1_000;

export const askPools = (): Promise<Answer<ShownPools>> => ask(`/api/v1/pools?limit=${MOST}`);
export const askGroups = (): Promise<Answer<ShownGroups>> => ask(`/api/v1/groups?limit=${MOST}`);

export const askQueues = (): Promise<Answer<ShownQueues>> => ask(`/api/v1/queues?limit=${MOST}`);

const encode = encodeURIComponent;

export const groupApi = (namespace: string, name: string) => (): Promise<Answer<GroupDetail>> =>
  ask(`/api/v1/groups/${encode(namespace)}/${encode(name)}`);

export const queueApi = (namespace: string, name: string) => (): Promise<Answer<QueueDetail>> =>
  ask(`/api/v1/queues/${encode(namespace)}/${encode(name)}`);

export type PoolApi = ReturnType<typeof poolApi>;

export function poolApi(namespace: string, name: string) {
  const pool = `/api/v1/pools/${encode(namespace)}/${encode(name)}`;
  return {
    detail: () => ask<PoolDetail>(pool),
    board: () => ask<ShownBoard>(`${pool}/board`),
    plan: (workers: number, signal: AbortSignal) =>
      ask<Plan>(`${pool}/plan?workers=${workers}`, signal),
    why: (stream: string, signal: AbortSignal) =>
      ask<Explanation>(`${pool}/streams/${encode(stream)}`, signal),
    search: (text: string, limit: number, signal: AbortSignal) =>
      ask<Page<ShownStream>>(`${pool}/streams?contains=${encode(text)}&limit=${limit}`, signal),
    streamsOf: (worker: string, limit: number, after: string) =>
      ask<Page<ShownStream>>(
        `${pool}/workers/${encode(worker)}/streams?limit=${limit}${after === '' ? '' : `&after=${encode(after)}`}`,
      ),
  };
}
