// A Kubernetes control plane as processes of this machine.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { dump } from 'js-yaml';
import { findBinaries } from '../binaries/binaries.ts';
import { folderFor, type Guard, startGuard } from '../processes/guard.ts';
import { claimPorts, type PortClaim } from '../processes/ports.ts';
import { Component } from './component.ts';
import {
  apiServerArguments,
  auditPolicy,
  type ControlPlaneLayout,
  controllerManagerArguments,
  etcdArguments,
  filesIn,
} from './component-arguments.ts';
import {
  admin,
  authorityOf,
  type ClientIdentity,
  controllerManager,
  type User,
  writeKubeconfig,
  writePair,
  writeServiceAccountKey,
  writeTokens,
} from './credentials.ts';
import { Prober, type ReadinessProblem, waitUntil } from './readiness.ts';
import { type RestoreOptions, restoreSnapshot, saveSnapshot } from './snapshots.ts';

export interface ControlPlaneOptions {
  /** Kept with its data for the next start. Left out: a temporary one, which stop() removes. */
  readonly dir?: string;
  /** Users besides the admin; they have a token and the rights that RBAC grants them. */
  readonly users?: readonly User[];
  /** Writes every request to `auditLog`, each line before its response is sent. */
  readonly audit?: boolean;
  /** How long a node may miss its heartbeats before it is lost; 10 if left out. */
  readonly nodeMonitorGraceSeconds?: number;
  /** An address of this machine at which pods of a real node reach the API server. */
  readonly address?: string;
  readonly extraArguments?: Partial<Readonly<Record<ComponentName, readonly string[]>>>;
  /** Shared with others; left out: one of its own. */
  readonly guard?: Guard;
  /** For each step of the start and of a restart; 60 if left out. */
  readonly timeoutSeconds?: number;
}

export type ComponentName = 'etcd' | 'apiServer' | 'controllerManager';

export interface RestartOptions {
  /** SIGKILL simulates a crash. */
  readonly signal?: 'SIGTERM' | 'SIGKILL';
  /** Runs between the end and the new start. */
  readonly whileDown?: () => Promise<void>;
}

const wantedBinaries = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'] as const;
type Binaries = Readonly<Record<(typeof wantedBinaries)[number], string>>;

/**
 * etcd, kube-apiserver and kube-controller-manager on loopback ports of their own; a machine can
 * run several control planes at once.
 */
class RunningControlPlane {
  readonly url: string;
  readonly dir: string;
  /** The admin's. */
  readonly kubeconfig: string;
  readonly auditLog: string | undefined;
  readonly binaries: Binaries;
  readonly #options: ControlPlaneOptions;
  readonly #guard: Guard;
  readonly #claim: PortClaim;
  readonly #layout: ControlPlaneLayout;
  readonly #files: ReturnType<typeof filesIn>;
  readonly #host: string;
  readonly #components: Readonly<Record<ComponentName, Component>>;
  #tokens: ReadonlyMap<string, string> = new Map();
  #authority: string | undefined;
  #stopped: Promise<void> | undefined;

  private constructor(
    options: ControlPlaneOptions,
    binaries: Binaries,
    guard: Guard,
    dir: string,
    claim: PortClaim,
  ) {
    const { address, audit = false, nodeMonitorGraceSeconds = 10 } = options;
    const { first } = claim;
    const ports = {
      etcd: first,
      etcdPeer: first + 1,
      apiServer: first + 2,
      controllerManager: first + 3,
    };
    this.#files = filesIn(dir);
    this.dir = dir;
    this.binaries = binaries;
    this.kubeconfig = this.#files.kubeconfig;
    this.auditLog = audit ? this.#files.auditLog : undefined;
    this.#options = options;
    this.#guard = guard;
    this.#claim = claim;
    this.#layout = { folder: dir, ports, address, audit, nodeMonitorGraceSeconds };
    // With an address the certificate is for that one and for the name localhost.
    this.#host = address === undefined ? '127.0.0.1' : 'localhost';
    this.url = `https://${this.#host}:${ports.apiServer}`;
    this.#components = this.#makeComponents();
  }

  static async start(options: ControlPlaneOptions): Promise<RunningControlPlane> {
    const binaries = await findBinaries(wantedBinaries);
    const guard = options.guard ?? (await startGuard());
    const dir = await folderFor(options.dir, 'swarm-operator-', guard);
    const plane = new RunningControlPlane(options, binaries, guard, dir, await claimPorts(4));
    try {
      plane.#writeInputs();
      await plane.#startEtcdAndApiServer();
      await plane.#untilAuthorityKnown();
      await plane.#startControllerManager();
      return plane;
    } catch (error) {
      await plane.#abandon();
      throw error;
    }
  }

  get pids(): Readonly<Record<ComponentName, number | undefined>> {
    const { etcd, apiServer, controllerManager } = this.#components;
    return { etcd: etcd.pid, apiServer: apiServer.pid, controllerManager: controllerManager.pid };
  }

  /** The certificate of the authority that clients trust (PEM). */
  get authority(): string {
    if (this.#authority === undefined)
      throw new Error('the API server has not made its certificate yet');
    return this.#authority;
  }

  /** The client certificate that the API server shows to nodes (PEM). */
  get nodeClient(): string {
    return readFileSync(this.#files.apiServerClient.certificate, 'utf8');
  }

  tokenOf(user: string): string {
    const token = this.#tokens.get(user);
    if (token === undefined)
      throw new Error(`no user ${user}; there are ${[...this.#tokens.keys()].join(', ')}`);
    return token;
  }

  /** A kubeconfig file for one of the users by name, or for the holder of a token. */
  kubeconfigFor(identity: string | ClientIdentity): string {
    const { name, token } =
      typeof identity === 'string' ? { name: identity, token: this.tokenOf(identity) } : identity;
    const file = path.join(this.dir, `${encodeURIComponent(name)}.kubeconfig`);
    writeKubeconfig(file, this.url, this.authority, { name, token });
    return file;
  }

  /** Keeps ports and data; resolves when the API server is ready again. */
  restartApiServer(options?: RestartOptions): Promise<void> {
    return this.#restart(this.#components.apiServer, options);
  }

  /** Keeps ports and data; resolves when the API server is ready again. */
  restartEtcd(options?: RestartOptions): Promise<void> {
    return this.#restart(this.#components.etcd, options);
  }

  saveSnapshot(file: string): Promise<void> {
    return saveSnapshot(this.#layout, file);
  }

  /** Restarts all components, etcd with the data of the file. Needs etcdutl. */
  async restoreSnapshot(file: string, options: RestoreOptions = {}): Promise<void> {
    await this.#endComponents();
    await restoreSnapshot(this.#layout, file, options);
    await this.#startEtcdAndApiServer();
    await this.#startControllerManager();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end(this.dir);
    return this.#stopped;
  }

  /** After a failed start the logs stay. */
  #abandon(): Promise<void> {
    return this.#end(this.#files.etcdData);
  }

  async #startEtcdAndApiServer(): Promise<void> {
    await this.#components.etcd.start();
    await this.#components.apiServer.start();
  }

  /** It would end if the API server took more than 10 s to be ready, so it starts after that. */
  async #startControllerManager(): Promise<void> {
    await this.#untilServing();
    await this.#components.controllerManager.start();
    await this.#untilControlling();
  }

  #makeComponents(): Record<ComponentName, Component> {
    const { extraArguments = {} } = this.#options;
    const component = (
      name: 'etcd' | 'kube-apiserver' | 'kube-controller-manager',
      own: string[],
      extra: readonly string[] = [],
    ): Component =>
      new Component({
        name,
        file: this.binaries[name],
        arguments: [...own, ...extra],
        folder: this.dir,
        guard: this.#guard,
      });
    const layout = this.#layout;
    return {
      etcd: component('etcd', etcdArguments(layout), extraArguments.etcd),
      apiServer: component('kube-apiserver', apiServerArguments(layout), extraArguments.apiServer),
      controllerManager: component(
        'kube-controller-manager',
        controllerManagerArguments(layout),
        extraArguments.controllerManager,
      ),
    };
  }

  #writeInputs(): void {
    const { users = [], audit } = this.#options;
    const files = this.#files;
    for (const folder of [files.etcdData, files.certificates])
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    writePair(files.etcd, 'etcd');
    writePair(files.apiServerClient, 'apiserver-client');
    writeServiceAccountKey(files.serviceAccountKey);
    this.#tokens = writeTokens(files.tokens, [admin, controllerManager, ...users]);
    if (audit) writeFileSync(files.auditPolicy, dump(auditPolicy));
  }

  /** The API server makes its certificate when it starts. */
  async #untilAuthorityKnown(): Promise<void> {
    const files = this.#files;
    await this.#waitFor(this.#components.apiServer, () => {
      this.#authority = authorityOf(files.serving);
      return this.#authority === undefined ? `there is no ${files.serving.certificate}` : undefined;
    });
    writeFileSync(files.authority, this.authority);
    for (const [file, { name }] of [
      [files.kubeconfig, admin],
      [files.controllerManagerKubeconfig, controllerManager],
    ] as const)
      writeKubeconfig(file, this.url, this.authority, { name, token: this.tokenOf(name) });
  }

  /** Reads an object too: readiness is checked on another connection to etcd than objects use. */
  #untilServing(): Promise<void> {
    return this.#untilAnswered(this.#components.apiServer, [
      `${this.url}/readyz`,
      `${this.url}/api/v1/namespaces/default`,
    ]);
  }

  /** Pods need the service account of their namespace, and tokens the authority's certificate. */
  #untilControlling(): Promise<void> {
    const namespace = `${this.url}/api/v1/namespaces/default`;
    return this.#untilAnswered(this.#components.controllerManager, [
      `https://${this.#host}:${this.#layout.ports.controllerManager}/healthz`,
      `${namespace}/serviceaccounts/default`,
      `${namespace}/configmaps/kube-root-ca.crt`,
    ]);
  }

  async #untilAnswered(awaited: Component, urls: readonly string[]): Promise<void> {
    const prober = new Prober(this.authority, this.tokenOf(admin.name));
    try {
      for (const url of urls) await this.#waitFor(awaited, () => prober.problemOf(url));
    } finally {
      await prober.close();
    }
  }

  #waitFor(
    awaited: Component,
    check: () => Promise<ReadinessProblem> | ReadinessProblem,
  ): Promise<void> {
    const { etcd, apiServer } = this.#components;
    const { timeoutSeconds = 60 } = this.#options;
    return waitUntil(check, awaited, [etcd, apiServer], performance.now() + timeoutSeconds * 1_000);
  }

  async #restart(
    component: Component,
    { signal = 'SIGTERM', whileDown }: RestartOptions = {},
  ): Promise<void> {
    await component.end(signal);
    await whileDown?.();
    await component.start();
    await this.#untilServing();
  }

  /** Each component ends before the one that it needs. */
  async #endComponents(signal?: NodeJS.Signals): Promise<void> {
    const { etcd, apiServer, controllerManager } = this.#components;
    for (const component of [controllerManager, apiServer, etcd]) await component.end(signal);
  }

  async #end(temporary: string): Promise<void> {
    const isTemporary = this.#options.dir === undefined;
    // Nobody will read what the components would still write to a temporary folder.
    await this.#endComponents(isTemporary ? 'SIGKILL' : 'SIGTERM');
    if (isTemporary) await rm(temporary, { recursive: true, force: true });
    this.#guard.forgetFolder(this.dir);
    if (this.#options.guard === undefined) await this.#guard.close();
    await this.#claim.release();
  }
}

export type ControlPlane = Pick<RunningControlPlane, keyof RunningControlPlane>;

export const startControlPlane = (options: ControlPlaneOptions = {}): Promise<ControlPlane> =>
  RunningControlPlane.start(options);
