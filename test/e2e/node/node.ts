// What is a real node? A containerd, a kubelet and a kube-proxy in a network namespace of their
// own, with the images for their pods.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Component } from '../../../src/playground/control-plane/component.ts';
import type { Guard } from '../../../src/playground/processes/guard.ts';
import { eventually } from '../../support/processes.ts';
import { type NodeNetwork, podNetwork, run } from './host.ts';
import {
  containerdSettings,
  kubeletSettings,
  type Place,
  podNetworkSettings,
  socketIn,
} from './settings.ts';

export type NodeBinaries = Readonly<
  Record<'kubelet' | 'kube-proxy' | 'containerd' | 'ctr', string>
>;

export type RealNodeOptions = {
  readonly name: string;
  readonly network: NodeNetwork;
  readonly folder: string;
  readonly binaries: NodeBinaries;
  readonly kubeconfig: string;
  readonly images: readonly string[];
  readonly guard: Guard;
};

export class RealNode {
  readonly name: string;
  readonly #options: RealNodeOptions;
  readonly #containerd: Component;
  readonly #kubelet: Component;
  readonly #proxy: Component;

  constructor(options: RealNodeOptions) {
    const { name, network, folder, binaries, kubeconfig } = options;
    this.name = name;
    this.#options = options;
    // Containerd finds its shim beside itself, through PATH.
    const PATH = `${path.dirname(binaries.containerd)}:${process.env['PATH']}:/usr/sbin:/sbin`;
    const component = (name: string, ...args: readonly string[]): Component => {
      const [file = '', ...given] = network.inside(['env', `PATH=${PATH}`, ...args]);
      return new Component({ name, file, arguments: given, folder, guard: options.guard });
    };
    this.#containerd = component(
      'containerd',
      binaries.containerd,
      '--config',
      path.join(folder, 'containerd.toml'),
    );
    this.#kubelet = component(
      'kubelet',
      binaries.kubelet,
      `--config=${path.join(folder, 'kubelet.json')}`,
      `--kubeconfig=${kubeconfig}`,
      `--root-dir=${path.join(folder, 'kubelet')}`,
      `--cert-dir=${path.join(folder, 'certificates')}`,
      `--hostname-override=${this.name}`,
      `--node-ip=${network.address}`,
    );
    this.#proxy = component(
      'kube-proxy',
      binaries['kube-proxy'],
      `--kubeconfig=${kubeconfig}`,
      `--hostname-override=${this.name}`,
      '--proxy-mode=iptables',
      `--cluster-cidr=${podNetwork}`,
      // Limits of the whole machine, which a network namespace may not set.
      '--conntrack-max-per-core=0',
      '--conntrack-tcp-timeout-established=0',
      '--conntrack-tcp-timeout-close-wait=0',
    );
  }

  /** Resolves when containerd has the images; the API server knows when the node is Ready. */
  async start(): Promise<void> {
    const { folder, images, network } = this.#options;
    const place: Place = { folder, podSubnet: network.podSubnet };
    for (const name of ['cni', 'logs']) mkdirSync(path.join(folder, name), { recursive: true });
    writeFileSync(path.join(folder, 'containerd.toml'), containerdSettings(place));
    writeFileSync(
      path.join(folder, 'cni/10-pods.conflist'),
      JSON.stringify(podNetworkSettings(place)),
    );
    writeFileSync(path.join(folder, 'kubelet.json'), JSON.stringify(kubeletSettings(place)));
    await this.#containerd.start();
    await eventually('containerd answers', () => this.#answers(), 180).catch(() => {
      throw this.#containerd.failure('does not answer');
    });
    for (const image of images) await this.ctr('images', 'import', image);
    await this.#kubelet.start();
    await this.#proxy.start();
  }

  /** The pods' containers stay, as on a node whose kubelet stops; they end with the namespaces. */
  async stop(): Promise<void> {
    for (const component of [this.#kubelet, this.#proxy, this.#containerd])
      await component.end('SIGKILL');
  }

  /**
   * Like a machine that died: the API server hears nothing of its pods. The caller must end their
   * processes.
   */
  async silence(): Promise<void> {
    await this.#kubelet.end('SIGKILL');
  }

  async revive(): Promise<void> {
    await this.#kubelet.start();
  }

  /** The processes of a container, by its id in the pod's status: its init first. */
  pidsOf(containerId: string): readonly number[] {
    const id = containerId.replace('containerd://', '');
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && cgroupOf(name).includes(id))
      .map(Number)
      .sort((a, b) => a - b);
  }

  logs(): string {
    const { folder } = this.#options;
    return ['containerd', 'kubelet', 'kube-proxy']
      .map(
        (name) =>
          `--- ${this.name} ${name}\n${readFileSync(path.join(folder, `${name}.log`), 'utf8').slice(-3000)}`,
      )
      .join('\n');
  }

  #answers(): Promise<boolean> {
    return this.ctr('version').then(
      () => true,
      () => false,
    );
  }

  /** Containerd's own client, in the namespace of the kubelet's images and containers. */
  ctr(...args: readonly string[]): Promise<string> {
    return run([
      this.#options.binaries.ctr,
      '--address',
      socketIn(this.#options.folder),
      '--namespace',
      'k8s.io',
      ...args,
    ]);
  }
}

function cgroupOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  } catch {
    return '';
  }
}
