// Where do changes of the cluster come in? Through the framework's operator: `init` registers the
// definitions, then it watches each kind.
import dotI, {
  type OperatorLogger,
  type ResourceEvent,
  type ResourceEventType,
  type ResourceMeta,
} from '@dot-i/k8s-operator';
import { CoreV1Api, type KubeConfig, type KubernetesObject } from '@kubernetes/client-node';
import { apiVersionOf, type Kind, kinds } from '../../api/kinds.ts';
import { errorText } from '../../api/text.ts';
import type { Change, Slim } from '../client/api.ts';
import { Deliveries } from './deliveries.ts';
import {
  applyDefinition,
  definedBy,
  type RegistrationLog,
  readDefinition,
} from './registration.ts';
import { type Subscription, type Watched, watchedFor } from './subscriptions.ts';
import { Watches, type WatchesOptions } from './watches.ts';

type OperatorOptions = WatchesOptions & {
  readonly kubeConfig: KubeConfig;
  readonly logger: OperatorLogger & RegistrationLog;
  /** Definitions to register; in a cluster, manifests bring them. */
  readonly crdFiles: readonly string[];
  readonly subscriptions: readonly Subscription[];
};

/** Of a watch: what the framework has no words for. */
type WatchDetails = Slim & { readonly kind: Kind; readonly onListed?: () => void };

/**
 * The framework's lifecycle and its methods, with other insides: the framework's watch has no list,
 * loses deletions and ends the process on any error. Its status and finalizer calls are not to be
 * used (docs/decisions/0001-framework-subclass.md). No other file imports the framework.
 */
export class SwarmOperator extends dotI.default {
  readonly watches: Watches;
  readonly #options: OperatorOptions;
  readonly #watched: readonly Delivered[];
  readonly #stopping = new AbortController();

  constructor(options: OperatorOptions) {
    super(options.logger);
    // The parent has made both from the environment, perhaps for another cluster.
    this.kubeConfig = options.kubeConfig;
    this.k8sApi = options.kubeConfig.makeApiClient(CoreV1Api);
    this.#options = options;
    this.watches = new Watches(options, this.#stopping.signal);
    const { clock, logger } = options;
    const onError = (message: string): void => logger.error(message);
    this.#watched = watchedFor(options.subscriptions).map((watched) => ({
      ...watched,
      deliveries: new Deliveries({ ...watched, clock, onError }),
    }));
  }

  /** Resolves when every kind has been listed once, or cannot be read. */
  protected override async init(): Promise<void> {
    for (const crdFile of this.#options.crdFiles)
      await this.registerCustomResourceDefinition(crdFile);
    await Promise.all(
      this.#watched.flatMap((watched) => {
        const { group, version, plural } = watched.kind;
        const onEvent = async ({ change }: WatchedEvent) => watched.deliveries.deliver(change);
        return this.#namespacesOf(watched).map((namespace) =>
          this.watchResource(group, version, plural, onEvent, namespace, watched),
        );
      }),
    );
  }

  /** Undefined: the whole cluster. */
  #namespacesOf({ kind, alsoIn }: Watched): readonly (string | undefined)[] {
    const { namespaces } = this.#options;
    return namespaces.length === 0 || !kind.namespaced
      ? [undefined]
      : [...new Set([...namespaces, ...alsoIn])];
  }

  /**
   * Applies the definition, so that an existing one is updated. Waits for an API server that is
   * away; throws a StartError when the server keeps refusing.
   */
  protected override async registerCustomResourceDefinition(
    crdFile: string,
  ): ReturnType<dotI.default['registerCustomResourceDefinition']> {
    const { api, clock, logger } = this.#options;
    const crd = readDefinition(crdFile);
    await applyDefinition(crd, { api, clock, logger, stopping: this.#stopping.signal });
    return definedBy(crd);
  }

  /**
   * Calls the handler for every object of a list, and then for every change, in order and at once:
   * it does not wait for what the handler awaits. Resolves when the objects have been listed once,
   * or cannot be read; no error ends the watch. Without `details` whole objects are watched.
   */
  protected override async watchResource(
    group: string,
    version: string,
    plural: string,
    onEvent: (event: WatchedEvent) => Promise<void>,
    namespace?: string,
    details: WatchDetails = { kind: kindAt(group, version, plural) },
  ): Promise<void> {
    await this.watches.begin({
      ...details,
      namespace,
      onChange: (change) => this.#handle(new WatchedEvent(details.kind, change), onEvent),
    });
  }

  #handle(event: WatchedEvent, onEvent: (event: WatchedEvent) => Promise<void>): void {
    const fail = (error: unknown): void =>
      this.logger.error(`a handler of ${event.meta.id} failed: ${errorText(error)}`);
    // Not awaited: that would take 0.15 s more for a list of 100,000 objects.
    try {
      onEvent(event).catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  /** Objects whose last change some listener has not taken, and does not get any more. */
  get undelivered(): readonly string[] {
    return this.#watched.flatMap(({ deliveries }) => deliveries.undelivered);
  }

  override stop(): void {
    this.#stopping.abort();
    for (const { deliveries } of this.#watched) deliveries.stop();
  }

  /** Resolves when no watch runs any more, after `stop`. */
  async stopped(): Promise<void> {
    await this.watches.ended();
  }
}

type Delivered = Watched & { readonly deliveries: Deliveries };

/**
 * The framework's event, and the change that it reports: our own handlers read only that. All else
 * is made when a handler reads it.
 */
class WatchedEvent implements ResourceEvent {
  readonly change: Change;
  readonly #kind: Kind;

  constructor(kind: Kind, change: Change) {
    this.#kind = kind;
    this.change = change;
  }

  get type(): ResourceEventType {
    return eventTypes[this.change.type];
  }

  get meta(): ResourceMeta {
    const { name, namespace, resourceVersion = '' } = this.change.object.metadata;
    const apiVersion = apiVersionOf(this.#kind);
    return {
      id: `${this.#kind.plural}.${apiVersion}`,
      ...{ name, resourceVersion, apiVersion, kind: this.#kind.kind },
      ...(namespace !== undefined && { namespace }),
    };
  }

  /** In the client's type, whose times are dates. */
  get object(): KubernetesObject {
    const { metadata, ...rest } = this.change.object;
    const { creationTimestamp, deletionTimestamp, ownerReferences, finalizers, ...plain } =
      metadata;
    return {
      ...rest,
      metadata: {
        ...plain,
        ...(ownerReferences !== undefined && { ownerReferences: [...ownerReferences] }),
        ...(finalizers !== undefined && { finalizers: [...finalizers] }),
        ...(creationTimestamp !== undefined && { creationTimestamp: new Date(creationTimestamp) }),
        ...(deletionTimestamp !== undefined && { deletionTimestamp: new Date(deletionTimestamp) }),
      },
    };
  }
}

/** Lists bring objects without the name of their kind. */
function kindAt(group: string, version: string, plural: string): Kind {
  const found = Object.values(kinds).find(
    (kind) => kind.group === group && kind.version === version && kind.plural === plural,
  );
  if (found === undefined)
    throw new Error(`there is no ${plural} of ${group}/${version} in src/api/kinds.ts`);
  return found;
}

const { Added, Modified, Deleted } = dotI.ResourceEventType;
const eventTypes = { ADDED: Added, MODIFIED: Modified, DELETED: Deleted } as const;
