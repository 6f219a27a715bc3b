// How does a list come that may be of any length? In pages that fit into memory and into time.
import { HttpMethod } from '@kubernetes/client-node';
import { apiVersionOf, type Kind, pathOf } from '../../api/kinds.ts';
import {
  asList,
  asString,
  dig,
  isKubeObject,
  isRecord,
  type KubeObject,
} from '../../api/objects.ts';
import type { CallOptions, Listing, Selectors, Slim } from './api.ts';
import { hasCode, KubeError } from './errors.ts';
import { type ApiRequest, answerOf, type Requests } from './requests.ts';

/** Of so many objects is a page of a list, and of fewer where they are large. */
const PAGE = 500;
const LEAST_PAGE = 2;
/** A page is held whole, as text and as objects. */
const MOST_PAGE_BYTES = 2 * 1024 * 1024;

export class Pages {
  readonly #requests: Requests;
  /** By path, where it is fewer than PAGE: how many objects the next page may have. */
  readonly #sizes = new Map<string, number>();

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  async list(
    kind: Kind,
    namespace: string | undefined,
    selectors: Selectors,
    { slim = (object) => object, ...options }: CallOptions & Slim,
  ): Promise<Listing> {
    const items: KubeObject[] = [];
    const request: ApiRequest = {
      verb: 'list',
      method: HttpMethod.GET,
      path: pathOf(kind, { namespace }),
      accept: accepted(kind, 'List'),
    };
    const { path } = request;
    let from: string | undefined;
    for (;;) {
      const most = this.#sizes.get(path) ?? PAGE;
      const query = { ...selectors, limit: String(most), continue: from };
      const text = await this.#page({ ...request, query }, options, most);
      if (text === undefined) continue;
      if (text.length < MOST_PAGE_BYTES / 4) this.#allow(path, 2 * most);
      const answer = answerOf(text, request);
      const resourceVersion = versionIn(kind, answer);
      for (const item of asList(dig(answer, 'items'))) items.push(slim(typed(kind, item)));
      from = asString(dig(answer, 'metadata', 'continue'));
      if (from === undefined || from === '') return { items, resourceVersion };
    }
  }

  #allow(path: string, objects: number): void {
    if (objects < PAGE) this.#sizes.set(path, objects);
    else this.#sizes.delete(path);
  }

  /**
   * Undefined: it is too large, and the next is to be smaller, as it is after one that came too
   * late.
   */
  async #page(
    request: ApiRequest,
    options: CallOptions,
    objects: number,
  ): Promise<string | undefined> {
    const smaller = (): void =>
      this.#allow(request.path, Math.max(LEAST_PAGE, Math.ceil(objects / 4)));
    try {
      const text = await this.#requests.text(
        request,
        options,
        objects === LEAST_PAGE ? Number.POSITIVE_INFINITY : MOST_PAGE_BYTES,
      );
      if (text === undefined) smaller();
      return text;
    } catch (error) {
      if (hasCode(error, 'Timeout')) smaller();
      throw error;
    }
  }
}

export const accepted = (kind: Kind, suffix = ''): string =>
  kind.metadataOnly === true
    ? `application/json;as=PartialObjectMetadata${suffix};g=meta.k8s.io;v=v1`
    : 'application/json';

/**
 * List items come without kind and apiVersion; everywhere else in the project an object says what
 * it is.
 */
export function versionIn(kind: Kind, answer: unknown): string {
  const version = asString(dig(answer, 'metadata', 'resourceVersion'));
  if (version !== undefined && isRecord(answer) && 'items' in answer) return version;
  throw new KubeError('BadAnswer', `the answer to a list of ${kind.plural} is not a list`);
}

function typed(kind: Kind, item: unknown): KubeObject {
  if (!isKubeObject(item))
    throw new KubeError('BadAnswer', `an item in a list of ${kind.plural} is not an object`);
  return { ...item, apiVersion: apiVersionOf(kind), kind: kind.kind };
}
