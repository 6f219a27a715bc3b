// What does the API server answer to each pod of these namespaces, and what do their quotas count
// then? Every pod is made for real, and none runs: there is no node.
import { type Kind, kinds } from '../../../../src/api/kinds.ts';
import { asList, asRecord, asString, dig, type KubeObject } from '../../../../src/api/objects.ts';
import { parseQuantity, quantityText } from '../../../../src/core/quantity.ts';
import type { KubeClient } from '../../../../src/runtime/client/client.ts';
import { hasCode, KubeError } from '../../../../src/runtime/client/errors.ts';
import { eventually } from '../../../support/processes.ts';
import {
  type Answer,
  type AnsweredCase,
  type ClusterObjects,
  type NamedObject,
  type QuotaCase,
  refusalIn,
} from '../../../support/quota-answers/case.ts';
import { objectOf } from '../../../support/quota-answers/judge.ts';

export type PlayedCase = {
  /** With its LimitRange as the API server has completed it. */
  readonly answered: AnsweredCase;
  /** Each pod as it is stored, in their order. Undefined: it was refused. */
  readonly stored: readonly (KubeObject | undefined)[];
};

type Made =
  | { readonly pod: KubeObject; readonly refusal?: undefined }
  | { readonly refusal: Answer; readonly pod?: undefined };

/** Namespaces at a time. */
const AT_A_TIME = 6;

export class QuotaPlay {
  readonly #api: KubeClient;

  constructor(api: KubeClient) {
    this.#api = api;
  }

  /** Plays cases with a default PriorityClass last, since it is one for the whole cluster. */
  async play(
    cases: readonly QuotaCase[],
    { runtimeClasses, priorityClasses }: ClusterObjects,
  ): Promise<readonly PlayedCase[]> {
    const others = priorityClasses.filter(({ globalDefault }) => globalDefault !== true);
    const defaults = priorityClasses.filter(({ globalDefault }) => globalDefault === true);
    await this.#makeClasses(kinds.RuntimeClass, runtimeClasses);
    await this.#makeClasses(kinds.PriorityClass, others);
    await this.#makeNamespace('quota-trial');
    for (const { name } of others)
      await this.#until(`PriorityClass ${name} is in use`, () => this.#isUsed(name, name));
    await inParallel(cases, (it) => this.#setUp(it));
    await this.#untilCounted(cases);
    const played = new Map<string, PlayedCase>();
    const playAll = (all: readonly QuotaCase[]): Promise<void> =>
      inParallel(all, async (it) => {
        played.set(it.name, await this.#playCase(it));
      });
    await playAll(cases.filter(({ hasDefaultClass }) => !hasDefaultClass));
    await this.#makeClasses(kinds.PriorityClass, defaults);
    for (const { name } of defaults)
      await this.#until(`PriorityClass ${name} is the default`, () => this.#isUsed('', name));
    await playAll(cases.filter(({ hasDefaultClass }) => hasDefaultClass));
    return cases.flatMap(({ name }) => played.get(name) ?? []);
  }

  async #makeClasses(kind: Kind, classes: readonly NamedObject[]): Promise<void> {
    for (const { name, ...rest } of classes)
      await this.#api.create(kind, objectOf(kind, { name }, rest));
  }

  async #isUsed(wanted: string, name: string): Promise<boolean> {
    try {
      const spec = { priorityClassName: wanted, containers: [{ name: 'main', image: 'sim' }] };
      const pod = objectOf(kinds.Pod, { namespace: 'quota-trial', name: 'trial' }, { spec });
      const made = await this.#api.create(kinds.Pod, pod, { isTrial: true });
      return dig(made, 'spec', 'priorityClassName') === name;
    } catch (error) {
      if (hasCode(error, 'Forbidden')) return false;
      throw error;
    }
  }

  async #makeNamespace(namespace: string): Promise<void> {
    await this.#api.create(kinds.Namespace, objectOf(kinds.Namespace, { name: namespace }, {}));
    const account = objectOf(kinds.ServiceAccount, { namespace, name: 'default' }, {});
    await this.#api.create(kinds.ServiceAccount, account).catch((error: unknown) => {
      // Its controller was faster.
      if (!hasCode(error, 'AlreadyExists')) throw error;
    });
  }

  async #setUp({ name: namespace, limitRange, quotas }: QuotaCase): Promise<void> {
    await this.#makeNamespace(namespace);
    const make = (kind: Kind, name: string, spec: object) =>
      this.#api.create(kind, objectOf(kind, { namespace, name }, { spec }));
    if (limitRange !== undefined) await make(kinds.LimitRange, 'limits', limitRange);
    for (const [name, spec] of Object.entries(quotas)) await make(kinds.ResourceQuota, name, spec);
  }

  /** The API server knows one quota later than another: the last one shows that it knows all. */
  async #untilCounted(cases: readonly QuotaCase[]): Promise<void> {
    const names = new Set(cases.map(({ name }) => name));
    await this.#until('all quotas are counted', async () => {
      const { items } = await this.#api.list(kinds.ResourceQuota, undefined);
      return items
        .filter(({ metadata }) => names.has(metadata.namespace ?? ''))
        .every(({ spec, status }) => size(dig(status, 'used')) === size(dig(spec, 'hard')));
    });
    const namespace = 'quota-trial';
    const last = { spec: { hard: { configmaps: '0' } } };
    await this.#api.create(
      kinds.ResourceQuota,
      objectOf(kinds.ResourceQuota, { namespace, name: 'last' }, last),
    );
    await this.#until('the last quota is in use', async () => {
      const configMap = objectOf(kinds.ConfigMap, { namespace, name: 'trial' }, {});
      const made = this.#api.create(kinds.ConfigMap, configMap, { isTrial: true });
      return made.then(
        () => false,
        (error: unknown) => String(error).includes('exceeded quota: last'),
      );
    });
  }

  async #playCase({ pods, ...rest }: QuotaCase): Promise<PlayedCase> {
    const answered: AnsweredCase['pods'][number][] = [];
    const stored: (KubeObject | undefined)[] = [];
    let quotas = await this.#quotasIn(rest.name);
    for (const [at, spec] of pods.entries()) {
      const made = await this.#make(rest.name, `pod-${at}`, spec);
      stored.push(made.pod);
      const before = quotas;
      if (made.pod !== undefined) quotas = await this.#quotasIn(rest.name);
      const created: Answer = { is: 'created', takes: growth(before, quotas) };
      answered.push({ spec, answer: made.refusal ?? created });
    }
    const [range] = (await this.#api.list(kinds.LimitRange, rest.name)).items;
    const limitRange = asRecord(range?.['spec']);
    const completed = { ...rest, ...(limitRange !== undefined && { limitRange }) };
    return { answered: { ...completed, pods: answered }, stored };
  }

  async #make(namespace: string, name: string, spec: object): Promise<Made> {
    const withImages = Object.fromEntries(
      ['containers', 'initContainers'].map((field) => [
        field,
        asList(dig(spec, field)).map((it) => ({ ...asRecord(it), image: 'example.org/sim' })),
      ]),
    );
    // No scheduler has this name.
    const whole = { ...spec, ...withImages, restartPolicy: 'Never', schedulerName: 'nobody' };
    try {
      const pod = objectOf(kinds.Pod, { namespace, name }, { spec: whole });
      return { pod: await this.#api.create(kinds.Pod, pod) };
    } catch (error) {
      if (!(error instanceof KubeError) || !hasCode(error, 'Forbidden', 'Invalid')) throw error;
      const refusal = refusalIn(error.message) ?? { is: 'invalid', message: error.message };
      return { refusal };
    }
  }

  async #quotasIn(namespace: string): Promise<readonly KubeObject[]> {
    return (await this.#api.list(kinds.ResourceQuota, namespace)).items;
  }

  #until(what: string, holds: () => Promise<boolean>): Promise<unknown> {
    return eventually(what, holds);
  }
}

const size = (record: unknown): number => Object.keys(asRecord(record) ?? {}).length;

function growth(
  before: readonly KubeObject[],
  after: readonly KubeObject[],
): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const earlier = new Map(before.map((quota) => [quota.metadata.name, usedIn(quota)]));
  return Object.fromEntries(
    after.map((quota) => {
      const { name } = quota.metadata;
      const grown = [...usedIn(quota)].flatMap(([resource, amount]): [string, string][] => {
        const more = amount - (earlier.get(name)?.get(resource) ?? 0n);
        return more === 0n ? [] : [[resource, quantityText(more)]];
      });
      return [name, Object.fromEntries(grown)];
    }),
  );
}

const usedIn = ({ status }: KubeObject): ReadonlyMap<string, bigint> =>
  new Map(
    Object.entries(asRecord(dig(status, 'used')) ?? {}).map(([resource, text]) => [
      resource,
      parseQuantity(asString(text) ?? '') ?? 0n,
    ]),
  );

async function inParallel<T>(all: readonly T[], run: (one: T) => Promise<void>): Promise<void> {
  const rest = [...all];
  const work = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
}
