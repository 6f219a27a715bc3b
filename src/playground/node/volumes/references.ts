// The contents of the ConfigMaps and Secrets that a pod refers to.
import { kinds } from '../../../api/kinds.ts';
import { asRecord, asString, type KubeObject } from '../../../api/objects.ts';
import type { KubeApi } from '../../../runtime/client/api.ts';
import { hasCode, KubeError } from '../../../runtime/client/errors.ts';

export type Reference = { readonly from: 'configMap' | 'secret'; readonly name: string };

/** A ConfigMap's or a Secret's contents; undefined: there is no such object. */
export type Lookup = (from: Reference['from'], name: string) => Contents | undefined;

type Contents = ReadonlyMap<string, Buffer>;

type Named = { readonly name?: string };

/** Of the two fields of a pod's spec that refer to contents, one is set. */
export function referenceTo(configMap?: Named, secret?: Named): Reference | undefined {
  if (configMap !== undefined) return { from: 'configMap', name: configMap.name ?? '' };
  return secret && { from: 'secret', name: secret.name ?? '' };
}

/**
 * Read by GET each time. While the API server cannot be reached, the contents that were read last
 * are used: a node that is cut off can still restart its containers.
 */
export class References {
  readonly #api: Pick<KubeApi, 'get'>;
  readonly #namespace: string;
  readonly #last = new Map<string, Contents | undefined>();

  constructor(api: Pick<KubeApi, 'get'>, namespace: string) {
    this.#api = api;
    this.#namespace = namespace;
  }

  async read(references: Iterable<Reference>): Promise<Lookup> {
    const wanted = new Map([...references].map((reference) => [keyOf(reference), reference]));
    const found = new Map<string, Contents | undefined>();
    await Promise.all(
      [...wanted].map(async ([key, reference]) => found.set(key, await this.#get(key, reference))),
    );
    return (from, name) => found.get(keyOf({ from, name }));
  }

  async #get(key: string, { from, name }: Reference): Promise<Contents | undefined> {
    const kind = from === 'configMap' ? kinds.ConfigMap : kinds.Secret;
    try {
      const object = await this.#api.get(kind, { namespace: this.#namespace, name });
      this.#last.set(key, contentsOf(from, object));
    } catch (error) {
      if (hasCode(error, 'NotFound')) this.#last.set(key, undefined);
      else if (!(error instanceof KubeError && error.verdict === 'retry' && this.#last.has(key)))
        throw error;
    }
    return this.#last.get(key);
  }
}

const keyOf = ({ from, name }: Reference): string => `${from}/${name}`;

function contentsOf(from: Reference['from'], object: KubeObject): Contents {
  if (from === 'secret') return decoded(object['data'], 'base64');
  return new Map([...decoded(object['data'], 'utf8'), ...decoded(object['binaryData'], 'base64')]);
}

const decoded = (value: unknown, encoding: BufferEncoding): Contents =>
  new Map(
    Object.entries(asRecord(value) ?? {}).map(([key, text]) => [
      key,
      Buffer.from(asString(text) ?? '', encoding),
    ]),
  );
