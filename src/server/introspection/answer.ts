// What is an answer made of? A status, and a body; of a long list, the part that is asked for.
import { openapi } from './openapi.ts';
import { pageOf, pageRequestIn } from './page.ts';

export type IntrospectionAnswer = { readonly status: number; readonly body: object };

export const ok = (body: object): IntrospectionAnswer => ({ status: 200, body });
export const no = (status: number, error: string): IntrospectionAnswer => ({
  status,
  body: { error },
});

export const nothing = (): IntrospectionAnswer =>
  no(404, `no such path; available are ${Object.keys(openapi.paths).join(', ')}`);

/** The part of a list that `query` asks for; `head`: what stands before it. */
export function answerPart<T, U>(
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
