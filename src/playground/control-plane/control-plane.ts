// How does a Kubernetes control plane come up on this machine, and go without a trace?
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dump } from 'js-yaml';
import { findBinaries } from '../binaries/binaries.ts';
import { type Guard, startGuard } from '../processes/guard.ts';
import { claimPorts, type PortClaim } from '../processes/ports.ts';
import { Component } from './component.ts';
import {
  apiServerArguments,
  auditPolicy,
  type ControlPlaneLayout,
  controllerManagerArguments,
  etcdArguments,
  filesIn,
  type Ports,
} from './component-arguments.ts';
import {
  admin,
  authorityOf,
  type ClientIdentity,
  controllerManager,
  servingCertificateIn,
  type User,
  writeKubeconfig,
  writePair,
  writeServiceAccountKey,
  writeTokens,
} from './credentials.ts';
import { Prober, type ReadinessProblem, waitUntil } from './readiness.ts';
import { type RestoreOptions, restoreSnapshot, saveSnapshot } from './snapshots.ts';

export interface ControlPlaneOptions {
  /**
   * Left out: a fresh temporary folder, which stop() removes. A folder that is given stays, and its
   * data are there at the next start.
   */
  readonly dir?: string;
  /**
   * Besides the admin, who may do everything: users with a token, who may do what RBAC grants them.
   */
  readonly users?: readonly User[];
  /** Writes who asked for what to `auditLog`, each line before its answer is sent. */
  readonly audit?: boolean;
  /** How long a node may be silent before it counts as lost; 10 if left out. */
  readonly nodeMonitorGraceSeconds?: number;
  /** An address of this machine at which pods of a real node reach the API server. */
  readonly address?: string;
  readonly extraArguments?: Partial<Readonly<Record<ComponentName, readonly string[]>>>;
  /** A guard that is shared with others; left out: one of its own. */
  readonly guard?: Guard;
  /** For each step of the start and of a restart; 60 if left out. */
  readonly timeoutSeconds?: number;
}

export type ComponentName = 'etcd' | 'apiServer' | 'controllerManager';

export interface RestartOptions {
  /** SIGKILL shows what a crash leaves behind. */
  readonly signal?: 'SIGTERM' | 'SIGKILL';
  /** Done between the end and the new start. */
  readonly whileDown?: () => Promise<void>;
}

export interface ControlPlane {
  readonly url: string;
  readonly dir: string;
  /** The admin's. */
  readonly kubeconfig: string;
  /** The certificate of the authority that clients trust (PEM). */
  readonly authority: string;
  /** The client certificate that the API server shows to nodes (PEM). */
  readonly nodeClient: string;
  readonly auditLog: string | undefined;
  readonly binaries: Readonly<Record<(typeof wantedBinaries)[number], string>>;
  readonly pids: Readonly<Record<ComponentName, number | undefined>>;
  tokenOf(user: string): string;
  /** A kubeconfig file for one of the users by name, or for whomever a token was issued to. */
  kubeconfigFor(identity: string | ClientIdentity): string;
  /** Both keep ports and data, and return when the API server is ready again. */
  restartApiServer(options?: RestartOptions): Promise<void>;
  restartEtcd(options?: RestartOptions): Promise<void>;
  /** All that etcd holds at this moment, as a file. */
  saveSnapshot(file: string): Promise<void>;
  /**
   * All components end, etcd begins from the file, and all start again; needs etcdutl, which is
   * fetched or built for it.
   */
  restoreSnapshot(file: string, options?: RestoreOptions): Promise<void>;
  stop(): Promise<void>;
}

const wantedBinaries = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'] as const;

/**
 * etcd, kube-apiserver and kube-controller-manager on loopback ports of their own; as many at once
 * on one machine as its memory allows.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const binaries = await findBinaries(wantedBinaries);
  const guard = options.guard ?? (await startGuard());
  const dir =
    options.dir === undefined
      ? await mkdtemp(path.join(tmpdir(), 'swarm-operator-'))
      : path.resolve(options.dir);
  if (options.dir === undefined) guard.watchFolder(dir);
  const plane = new LocalControlPlane(options, binaries, guard, dir, await claimPorts(4));
  try {
    await plane.start();
    return plane;
  } catch (error) {
    await plane.abandon();
    throw error;
  }
}

class LocalControlPlane implements ControlPlane {
  readonly url: string;
  readonly dir: string;
  readonly kubeconfig: string;
  readonly auditLog: string | undefined;
  readonly binaries: ControlPlane['binaries'];
  readonly #options: ControlPlaneOptions;
  readonly #guard: Guard;
  readonly #claim: PortClaim;
  readonly #ports: Ports;
  readonly #host: string;
  readonly #components: Readonly<Record<ComponentName, Component>>;
  #tokens: ReadonlyMap<string, string> = new Map();
  #authority: string | undefined;
  #stopped: Promise<void> | undefined;

  constructor(
    options: ControlPlaneOptions,
    binaries: ControlPlane['binaries'],
    guard: Guard,
    dir: string,
    claim: PortClaim,
  ) {
    const { first } = claim;
    const files = filesIn(dir);
    this.dir = dir;
    this.binaries = binaries;
    this.kubeconfig = files.kubeconfig;
    this.auditLog = options.audit ? files.auditLog : undefined;
    this.#options = options;
    this.#guard = guard;
    this.#claim = claim;
    this.#ports = {
      etcd: first,
      etcdPeer: first + 1,
      apiServer: first + 2,
      controllerManager: first + 3,
    };
    // With an address the certificate is for that one and for the name localhost.
    this.#host = options.address === undefined ? '127.0.0.1' : 'localhost';
    this.url = `https://${this.#host}:${this.#ports.apiServer}`;
    this.#components = this.#describe();
  }

  get pids(): ControlPlane['pids'] {
    const { etcd, apiServer, controllerManager } = this.#components;
    return { etcd: etcd.pid, apiServer: apiServer.pid, controllerManager: controllerManager.pid };
  }

  get authority(): string {
    if (this.#authority === undefined)
      throw new Error('the API server has not made its certificate yet');
    return this.#authority;
  }

  get nodeClient(): string {
    return readFileSync(filesIn(this.dir).apiServerClient.certificate, 'utf8');
  }

  tokenOf(user: string): string {
    const token = this.#tokens.get(user);
    if (token === undefined)
      throw new Error(`no user ${user}; there are ${[...this.#tokens.keys()].join(', ')}`);
    return token;
  }

  kubeconfigFor(identity: string | ClientIdentity): string {
    const { name, token } =
      typeof identity === 'string' ? { name: identity, token: this.tokenOf(identity) } : identity;
    const file = path.join(this.dir, `${encodeURIComponent(name)}.kubeconfig`);
    writeKubeconfig(file, this.url, this.authority, { name, token });
    return file;
  }

  async start(): Promise<void> {
    const { etcd, apiServer } = this.#components;
    this.#writeInputs();
    await etcd.start();
    await apiServer.start();
    await this.#untilAuthorityKnown();
    await this.#startRest();
  }

  async #startRest(): Promise<void> {
    const { controllerManager } = this.#components;
    await this.#untilServing();
    // Not sooner: it gives up on an API server that is not ready within 10 s, which a busy machine
    // can need.
    await controllerManager.start();
    await this.#untilControlling();
  }

  restartApiServer(options?: RestartOptions): Promise<void> {
    return this.#restart(this.#components.apiServer, options);
  }

  restartEtcd(options?: RestartOptions): Promise<void> {
    return this.#restart(this.#components.etcd, options);
  }

  saveSnapshot(file: string): Promise<void> {
    return saveSnapshot(this.#layout, file);
  }

  async restoreSnapshot(file: string, options: RestoreOptions = {}): Promise<void> {
    const { etcd, apiServer, controllerManager } = this.#components;
    for (const component of [controllerManager, apiServer, etcd]) await component.end();
    await restoreSnapshot(this.#layout, file, options);
    await etcd.start();
    await apiServer.start();
    await this.#startRest();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end(async () => {
      if (this.#options.dir === undefined) await rm(this.dir, { recursive: true, force: true });
    });
    return this.#stopped;
  }

  /** After a failed start: all but the data stays, for the logs are what one wants to see. */
  abandon(): Promise<void> {
    return this.#end(async () => {
      this.#guard.forgetFolder(this.dir);
      if (this.#options.dir === undefined)
        await rm(filesIn(this.dir).etcdData, { recursive: true, force: true });
    });
  }

  get #layout(): ControlPlaneLayout {
    const { address, audit = false, nodeMonitorGraceSeconds = 10 } = this.#options;
    return { folder: this.dir, ports: this.#ports, address, audit, nodeMonitorGraceSeconds };
  }

  #describe(): Record<ComponentName, Component> {
    const { extraArguments = {} } = this.#options;
    const layout = this.#layout;
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
    const files = filesIn(this.dir);
    for (const folder of [files.etcdData, files.certificates])
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    writePair(files.etcd, 'etcd');
    writePair(files.apiServerClient, 'apiserver-client');
    writeServiceAccountKey(files.serviceAccountKey);
    this.#tokens = writeTokens(files.tokens, [
      admin,
      controllerManager,
      ...(this.#options.users ?? []),
    ]);
    if (this.#options.audit) writeFileSync(files.auditPolicy, dump(auditPolicy));
  }

  /** The API server makes its certificate when it starts; whoever is to trust it waits for that. */
  async #untilAuthorityKnown(): Promise<void> {
    const files = filesIn(this.dir);
    const serving = servingCertificateIn(files.certificates);
    await this.#waitFor(this.#components.apiServer, () => {
      this.#authority = authorityOf(serving);
      return this.#authority === undefined ? `there is no ${serving.certificateFile}` : undefined;
    });
    writeFileSync(files.authority, this.authority);
    writeKubeconfig(files.kubeconfig, this.url, this.authority, {
      name: admin.name,
      token: this.tokenOf(admin.name),
    });
    const manager = { name: controllerManager.name, token: this.tokenOf(controllerManager.name) };
    writeKubeconfig(files.controllerManagerKubeconfig, this.url, this.authority, manager);
  }

  /**
   * Reads an object too: readiness has a connection to etcd of its own, and may be ahead of the one
   * that serves objects.
   */
  #untilServing(): Promise<void> {
    const { apiServer } = this.#components;
    return this.#untilAnswered(apiServer, [
      `${this.url}/readyz`,
      `${this.url}/api/v1/namespaces/default`,
    ]);
  }

  /**
   * Until pods could be made: they need the service account of their namespace, and its tokens the
   * authority's certificate.
   */
  #untilControlling(): Promise<void> {
    const namespace = `${this.url}/api/v1/namespaces/default`;
    return this.#untilAnswered(this.#components.controllerManager, [
      `https://${this.#host}:${this.#ports.controllerManager}/healthz`,
      `${namespace}/serviceaccounts/default`,
      `${namespace}/configmaps/kube-root-ca.crt`,
    ]);
  }

  async #untilAnswered(awaited: Component, urls: readonly string[]): Promise<void> {
    const prober = new Prober(this.authority, this.tokenOf(admin.name));
    try {
      for (const url of urls) await this.#waitFor(awaited, () => prober.ask(url));
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

  async #end(cleanUp: () => Promise<void>): Promise<void> {
    const { etcd, apiServer, controllerManager } = this.#components;
    // Where the folder goes, nobody will read what they would still write.
    const signal = this.#options.dir === undefined ? 'SIGKILL' : 'SIGTERM';
    // In the order in which they need one another, so that none waits for what is gone already.
    for (const component of [controllerManager, apiServer, etcd]) await component.end(signal);
    await cleanUp();
    this.#guard.forgetFolder(this.dir);
    if (this.#options.guard === undefined) await this.#guard.close();
    await this.#claim.release();
  }
}
