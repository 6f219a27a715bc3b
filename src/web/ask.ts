// How is the operator asked? Its own introspection, from the same address as the page.
import type {
  Explanation,
  Page,
  Plan,
  PoolDetail,
  ShownBoard,
  ShownPools,
  ShownStream,
} from '../api/introspection.ts';

/** `status` 0: nobody answered. */
export type PoolsAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly status: number; readonly error: string };

const PATIENCE_MS = 15_000;

async function ask<T>(path: string, signal?: AbortSignal): Promise<PoolsAnswer<T>> {
  const signals = [AbortSignal.timeout(PATIENCE_MS), ...(signal === undefined ? [] : [signal])];
  try {
    const response = await fetch(path, { signal: AbortSignal.any(signals) });
    if (response.ok) return { ok: true, value: (await response.json()) as T };
    return { ok: false, status: response.status, error: await errorIn(response) };
  } catch (error) {
    return { ok: false, status: 0, error: String(error) };
  }
}

async function errorIn(response: Response): Promise<string> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null && 'error' in body
      ? String(body.error)
      : response.statusText;
  } catch {
    return response.statusText;
  }
}

const api = '/api/v1/pools';
const MOST_POOLS = 1_000;

export const askPools = (): Promise<PoolsAnswer<ShownPools>> => ask(`${api}?limit=${MOST_POOLS}`);

export type PoolApi = ReturnType<typeof poolApi>;

export function poolApi(namespace: string, name: string) {
  const pool = `${api}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
  const page = (limit: number, after: string): string =>
    `limit=${limit}${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`;
  return {
    detail: (): Promise<PoolsAnswer<PoolDetail>> => ask(pool),
    board: (): Promise<PoolsAnswer<ShownBoard>> => ask(`${pool}/board`),
    plan: (workers: number, signal: AbortSignal): Promise<PoolsAnswer<Plan>> =>
      ask(`${pool}/plan?workers=${workers}`, signal),
    why: (stream: string, signal: AbortSignal): Promise<PoolsAnswer<Explanation>> =>
      ask(`${pool}/streams/${encodeURIComponent(stream)}`, signal),
    search: (
      text: string,
      limit: number,
      signal: AbortSignal,
    ): Promise<PoolsAnswer<Page<ShownStream>>> =>
      ask(`${pool}/streams?contains=${encodeURIComponent(text)}&${page(limit, '')}`, signal),
    streamsOf: (
      worker: string,
      limit: number,
      after: string,
    ): Promise<PoolsAnswer<Page<ShownStream>>> =>
      ask(`${pool}/workers/${encodeURIComponent(worker)}/streams?${page(limit, after)}`),
  };
}
