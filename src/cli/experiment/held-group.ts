// What does an experiment write to a group, and how does the group get back what it had? Each write
// is made on what was just read, so that none undoes what another client has written.
import { kinds } from '../../api/kinds.ts';
import { asRecord, isNewer, type KubeObject, type Ref } from '../../api/objects.ts';
import { parseSwarmGroup, type SwarmGroup, type SwarmGroupSpec } from '../../api/validate.ts';
import { isSameJson } from '../../core/json.ts';
import { isPausedBy } from '../../core/pause.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { hasCode, KubeError } from '../../runtime/client/errors.ts';
import { type Clock, sleep } from '../../runtime/clock.ts';
import { InterruptedByUser, Stopped } from './stopped.ts';

export type Order = SwarmGroupSpec['transition']['order'];
/** The fields that an experiment sets. */
export type Held = { readonly replicas: number; readonly order: Order };

type PutBack = {
  /** What is not put back. */
  readonly others: readonly string[];
  /** No other client has changed anything of it. */
  readonly isAsFound: boolean;
};

type Around = {
  readonly api: Pick<KubeApi, 'get' | 'patch'>;
  readonly clock: Clock;
  readonly tell: (text: string) => void;
};

const AGAIN_MS = 1_000;

export class HeldGroup {
  readonly found: Held;
  readonly #around: Around;
  readonly #ref: Required<Ref>;
  readonly #uid: string;
  /** As found. */
  readonly #spec: Readonly<Record<string, unknown>>;
  /** As written last. */
  #set: Held;
  /** Its answer may have been lost. */
  #tried: Held;
  /** Objects that are older do not have the last write yet. */
  #version = '0';

  constructor(around: Around, object: KubeObject, found: Held) {
    const { name, namespace = '', uid = '' } = object.metadata;
    this.#around = around;
    this.#ref = { name, namespace };
    this.#uid = uid;
    this.#spec = asRecord(object['spec']) ?? {};
    this.found = this.#set = this.#tried = found;
  }

  get name(): string {
    return this.#ref.name;
  }

  /** Retried until it is written, unless another client has changed the group. */
  async set(wanted: Held, signal: AbortSignal): Promise<void> {
    await this.#persist(signal, async () => {
      const now = await this.#read();
      const other = this.whyOther(now);
      if (other !== undefined) throw new Stopped(other);
      this.#tried = wanted;
      this.#version = await this.#write(now, wanted);
      this.#set = wanted;
    });
  }

  /** It is older than the last write: what it says is of no interest. */
  isOld({ metadata: { resourceVersion = '0' } }: KubeObject): boolean {
    return isNewer(this.#version, resourceVersion);
  }

  /** What another client has done to it; undefined: nothing. */
  whyOther(object: KubeObject | undefined): string | undefined {
    if (object === undefined || object.metadata.uid !== this.#uid)
      return 'another client deleted it';
    const { meta, spec } = parseSwarmGroup(object);
    if (meta.isDeleting) return 'another client is deleting it';
    const changed = this.#changedBy(object);
    if (changed.length > 0) return `another client changed ${changed.join(', ')}`;
    return isPausedBy(meta, spec.ok ? spec.value : undefined)
      ? 'another client paused it'
      : undefined;
  }

  #changedBy(object: KubeObject): readonly string[] {
    const now = asRecord(object['spec']) ?? {};
    if (isSameJson(now, this.#specWith(this.#tried))) return [];
    const wanted = this.#specWith(this.#set);
    const fields = [...new Set([...Object.keys(now), ...Object.keys(wanted)])];
    return fields
      .filter((field) => !isSameJson(now[field], wanted[field]))
      .map((field) =>
        field === 'replicas'
          ? `spec.replicas to ${String(now[field])} (the experiment had set ${this.#set.replicas})`
          : `spec.${field}`,
      );
  }

  /**
   * Until the group has what it had, whatever the API server answers; fields that another client
   * has set stay, and are told.
   */
  async putBack(signal: AbortSignal): Promise<PutBack> {
    let others: readonly string[] = [];
    let isAsFound = false;
    const known = [this.#set, this.#tried, this.found];
    await this.#persist(signal, async () => {
      const now = await this.#read();
      const has = heldIn(now);
      if (now.metadata.uid !== this.#uid || has === undefined) {
        others = ['the group was deleted and created again; nothing to restore'];
        return;
      }
      isAsFound = this.whyOther(now) === undefined;
      const isOurs = <Field extends keyof Held>(field: Field): boolean =>
        known.some((it) => it[field] === has[field]);
      const wanted: Held = {
        replicas: isOurs('replicas') ? this.found.replicas : has.replicas,
        order: isOurs('order') ? this.found.order : has.order,
      };
      others = (['replicas', 'order'] as const)
        .filter((field) => !isOurs(field))
        .map((field) => `${pathOf[field]} stays ${has[field]}, because another client set it`);
      this.#tried = wanted;
      this.#version = await this.#write(now, wanted);
      this.#set = wanted;
    }).catch((error: unknown) => {
      if (!hasCode(error, 'NotFound')) throw error;
      others = ['the group was deleted; nothing to restore'];
    });
    return { others, isAsFound };
  }

  /** What may not be as it was found, as far as is known; empty: nothing. */
  get left(): readonly string[] {
    return (['replicas', 'order'] as const).flatMap((field) => {
      const was = this.found[field];
      const other = [this.#tried[field], this.#set[field]].find((it) => it !== was);
      return other === undefined ? [] : [`${pathOf[field]} is ${other}, and was ${was}`];
    });
  }

  async #read(): Promise<KubeObject> {
    return this.#around.api.get(kinds.SwarmGroup, this.#ref);
  }

  #specWith({ replicas, order }: Held): Readonly<Record<string, unknown>> {
    return {
      ...this.#spec,
      replicas,
      transition: { ...asRecord(this.#spec['transition']), order },
    };
  }

  /** By the scale subresource, as an autoscaler does, where the size alone changes. */
  async #write(now: KubeObject, wanted: Held): Promise<string> {
    const has = heldIn(now);
    const { uid, resourceVersion = '0' } = now.metadata;
    const metadata = { uid, resourceVersion };
    const { replicas, order } = wanted;
    const isSized = has?.replicas === replicas;
    if (isSized && has.order === order) return resourceVersion;
    const { api } = this.#around;
    const written =
      has?.order === order
        ? await api.patch(
            kinds.SwarmGroup,
            this.#ref,
            { type: 'merge', body: { metadata, spec: { replicas } } },
            'scale',
          )
        : await api.patch(kinds.SwarmGroup, this.#ref, {
            type: 'merge',
            body: { metadata, spec: { transition: { order }, ...(!isSized && { replicas }) } },
          });
    return written.metadata.resourceVersion ?? '0';
  }

  /** The operator writes status at any time: a conflict is no reason to stop. */
  async #persist(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    let told = '';
    for (;;) {
      if (signal.aborted) throw new InterruptedByUser();
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof KubeError) || error.verdict !== 'retry') throw error;
        if (hasCode(error, 'Conflict')) continue;
        if (error.message !== told) this.#around.tell(`${error.message}; retrying`);
        told = error.message;
        await sleep(this.#around.clock, AGAIN_MS, signal);
      }
    }
  }
}

const pathOf = { replicas: 'spec.replicas', order: 'spec.transition.order' } as const;

/** Undefined: its size is left out, or its spec is invalid. */
export function heldIn(object: KubeObject): Held | undefined {
  const { spec }: SwarmGroup = parseSwarmGroup(object);
  if (!spec.ok || spec.value.replicas === undefined) return undefined;
  return { replicas: spec.value.replicas, order: spec.value.transition.order };
}
