// A Kubernetes control plane as processes of this machine.
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dump } from 'js-yaml';
import { Agent } from 'undici';
import { boundedRequest } from '../../runtime/client/bounded-request.ts';
import { findBinaries } from '../binaries/binaries.ts';
import { folderFor, type Guard, startGuard } from '../processes/guard.ts';
import { claimPorts, type PortClaim } from '../processes/ports.ts';
import { Component } from './component.ts';
import {
  apiServerArguments,
  auditPolicy,
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
  type User,
  writeCredentials,
  writeKubeconfig,
} from './credentials.ts';

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

const programs = {
  etcd: 'etcd',
  apiServer: 'kube-apiserver',
  controllerManager: 'kube-controller-manager',
} as const;
type ComponentName = keyof typeof programs;
/** Each needs those before it. */
const startOrder = ['etcd', 'apiServer', 'controllerManager'] as const;

export interface RestartOptions {
  /** SIGKILL simulates a crash. */
  readonly signal?: 'SIGTERM' | 'SIGKILL';
  /** Runs between the end and the new start. */
  readonly whileDown?: () => Promise<void>;
}

const wantedBinaries = [...Object.values(programs), 'kubectl'] as const;
type Binaries = Readonly<Record<(typeof wantedBinaries)[number], string>>;

const answerBounds = { answerMs: 2_000, mostBytes: 1024 * 1024 };
const pollMilliseconds = 50;

/**
 * etcd, kube-apiserver and kube-controller-manager on loopback ports of their own; a machine can
 * run several control planes at once.
 */
class RunningControlPlane {
  readonly url: string;
  readonly dir: string;
  readonly ports: Ports;
  /** The admin's. */
  readonly kubeconfig: string;
  readonly auditLog: string | undefined;
  readonly binaries: Binaries;
  readonly #options: ControlPlaneOptions;
  readonly #guard: Guard;
  readonly #claim: PortClaim;
  readonly #files: ReturnType<typeof filesIn>;
  readonly #host: string;
  readonly #components: Readonly<Record<ComponentName, Component>>;
  readonly #tokens: ReadonlyMap<string, string>;
  #authority = '';
  #stopped: Promise<void> | undefined;

  private constructor(
    options: ControlPlaneOptions,
    binaries: Binaries,
    guard: Guard,
    dir: string,
    claim: PortClaim,
  ) {
    const { address, audit = false, users = [] } = options;
    const { first: etcd } = claim;
    this.ports = { etcd, etcdPeer: etcd + 1, apiServer: etcd + 2, controllerManager: etcd + 3 };
    this.#files = filesIn(dir);
    this.dir = dir;
    this.binaries = binaries;
    this.kubeconfig = this.#files.kubeconfig;
    this.auditLog = audit ? this.#files.auditLog : undefined;
    this.#options = options;
    this.#guard = guard;
    this.#claim = claim;
    // With an address the certificate is for that one and for the name localhost.
    this.#host = address === undefined ? '127.0.0.1' : 'localhost';
    this.url = `https://${this.#host}:${this.ports.apiServer}`;
    this.#components = this.#makeComponents();
    this.#tokens = writeCredentials(this.#files, [admin, controllerManager, ...users]);
    if (audit) writeFileSync(this.#files.auditPolicy, dump(auditPolicy));
  }

  static async start(options: ControlPlaneOptions): Promise<RunningControlPlane> {
    const binaries = await findBinaries(wantedBinaries);
    const guard = options.guard ?? (await startGuard());
    const dir = await folderFor(options.dir, 'swarm-operator-', guard);
    const plane = new RunningControlPlane(options, binaries, guard, dir, await claimPorts(4));
    try {
      await plane.#startComponents(startOrder);
      return plane;
    } catch (error) {
      // The logs stay.
      await plane.#end(plane.#files.etcdData);
      throw error;
    }
  }

  get pids(): Readonly<Record<ComponentName, number | undefined>> {
    const { etcd, apiServer, controllerManager } = this.#components;
    return { etcd: etcd.pid, apiServer: apiServer.pid, controllerManager: controllerManager.pid };
  }

  /** The certificate of the authority that clients trust (PEM). */
  get authority(): string {
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
  async restart(
    names: readonly ComponentName[],
    { signal = 'SIGTERM', whileDown }: RestartOptions = {},
  ): Promise<void> {
    await this.#endComponents(names, signal);
    await whileDown?.();
    await this.#startComponents(names);
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end(this.dir);
    return this.#stopped;
  }

  #makeComponents(): Record<ComponentName, Component> {
    const { address, audit = false, nodeMonitorGraceSeconds = 10, extraArguments } = this.#options;
    const { dir: folder, ports, binaries } = this;
    const layout = { folder, ports, address, audit, nodeMonitorGraceSeconds };
    const component = (name: ComponentName, own: readonly string[]): Component =>
      new Component({
        name: programs[name],
        file: binaries[programs[name]],
        arguments: [...own, ...(extraArguments?.[name] ?? [])],
        folder,
        guard: this.#guard,
      });
    return {
      etcd: component('etcd', etcdArguments(layout)),
      apiServer: component('apiServer', apiServerArguments(layout)),
      controllerManager: component('controllerManager', controllerManagerArguments(layout)),
    };
  }

  /** Each component starts after the one that it needs. */
  async #startComponents(names: readonly ComponentName[]): Promise<void> {
    const { etcd, apiServer, controllerManager } = this.#components;
    if (names.includes('etcd')) await etcd.start();
    if (names.includes('apiServer')) await apiServer.start();
    if (this.#authority === '') await this.#untilAuthorityKnown();
    await this.#untilServing();
    if (!names.includes('controllerManager')) return;
    // It would end if the API server took more than 10 s to be ready, so it starts after that.
    await controllerManager.start();
    await this.#untilControlling();
  }

  async #endComponents(names: readonly ComponentName[], signal: NodeJS.Signals): Promise<void> {
    for (const name of startOrder.toReversed())
      if (names.includes(name)) await this.#components[name].end(signal);
  }

  /** The API server makes its certificate when it starts for the first time. */
  async #untilAuthorityKnown(): Promise<void> {
    const files = this.#files;
    await this.#waitFor(this.#components.apiServer, () => {
      this.#authority = authorityOf(files.serving) ?? '';
      return this.#authority === '' ? `there is no ${files.serving.certificate}` : undefined;
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
      `https://${this.#host}:${this.ports.controllerManager}/healthz`,
      `${namespace}/serviceaccounts/default`,
      `${namespace}/configmaps/kube-root-ca.crt`,
    ]);
  }

  /** Until the admin's request for each URL succeeds. */
  async #untilAnswered(awaited: Component, urls: readonly string[]): Promise<void> {
    const dispatcher = new Agent({
      connect: { ca: this.authority, timeout: answerBounds.answerMs },
    });
    const headers = { authorization: `Bearer ${this.tokenOf(admin.name)}` };
    try {
      for (const url of urls)
        await this.#waitFor(awaited, async () => {
          const options = { ...answerBounds, wants200: true, dispatcher, headers } as const;
          const answer = await boundedRequest(url, options);
          return answer.ok ? undefined : `${url}: ${answer.reason}`;
        });
    } finally {
      await dispatcher.destroy();
    }
  }

  /** Throws with the log of a component that ends meanwhile, or of `awaited` after the deadline. */
  async #waitFor(
    awaited: Component,
    problem: () => Promise<string | undefined> | string | undefined,
  ): Promise<void> {
    const { etcd, apiServer } = this.#components;
    const { timeoutSeconds = 60 } = this.#options;
    const deadline = performance.now() + timeoutSeconds * 1_000;
    for (let found = await problem(); found !== undefined; found = await problem()) {
      for (const component of [awaited, etcd, apiServer])
        if (!component.running) throw component.failure('is needed, but has ended');
      if (performance.now() > deadline) throw awaited.failure(`is not ready in time: ${found}`);
      await delay(pollMilliseconds);
    }
  }

  async #end(temporary: string): Promise<void> {
    const isTemporary = this.#options.dir === undefined;
    // What the components would still write to a temporary folder is read by no one.
    await this.#endComponents(startOrder, isTemporary ? 'SIGKILL' : 'SIGTERM');
    if (isTemporary) await rm(temporary, { recursive: true, force: true });
    this.#guard.forgetFolder(this.dir);
    if (this.#options.guard === undefined) await this.#guard.close();
    await this.#claim.release();
  }
}

export type ControlPlane = Pick<RunningControlPlane, keyof RunningControlPlane>;

export const startControlPlane = (options: ControlPlaneOptions = {}): Promise<ControlPlane> =>
  RunningControlPlane.start(options);
