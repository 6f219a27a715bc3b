// A complete real cluster: a control plane, a scheduler, a DNS server, and nodes.
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findBinaries } from '../../../src/playground/binaries/binaries.ts';
import { Component } from '../../../src/playground/control-plane/component.ts';
import {
  type ControlPlane,
  startControlPlane,
} from '../../../src/playground/control-plane/control-plane.ts';
import { writeKubeconfig } from '../../../src/playground/control-plane/credentials.ts';
import { type Guard, startGuard } from '../../../src/playground/processes/guard.ts';
import { clusterDns, dnsUser } from './dns.ts';
import { connectNode, createNetwork, hostAddress, run } from './host.ts';
import { RealNode } from './node.ts';

export type ClusterOptions = {
  readonly nodes: number;
  /** Archives of images, imported by every node. */
  readonly images: readonly string[];
};

/** Not the admin: the audit log then shows which of them did what. */
const users = ['system:node', 'system:kube-scheduler', dnsUser].map((name) => ({
  name,
  groups: ['system:masters'],
}));

export class Cluster {
  readonly plane: ControlPlane;
  readonly nodes: readonly RealNode[];
  readonly #services: readonly Component[];
  readonly #guard: Guard;

  private constructor(
    plane: ControlPlane,
    nodes: readonly RealNode[],
    services: readonly Component[],
    guard: Guard,
  ) {
    this.plane = plane;
    this.nodes = nodes;
    this.#services = services;
    this.#guard = guard;
  }

  static async start({ nodes: count, images }: ClusterOptions): Promise<Cluster> {
    await createNetwork();
    const guard = await startGuard();
    const binaries = await findBinaries([
      'kubelet',
      'kube-proxy',
      'kube-scheduler',
      'containerd',
      'ctr',
      'coredns',
    ]);
    // A busy machine may delay a kubelet's lease renewals: no node is lost because of that.
    const plane = await startControlPlane({
      guard,
      users,
      audit: true,
      address: hostAddress,
      nodeMonitorGraceSeconds: 40,
      extraArguments: { controllerManager: ['--horizontal-pod-autoscaler-sync-period=1s'] },
    });
    const folder = mkdtempSync(path.join(tmpdir(), 'nodes-'));
    const kubeconfig = path.join(folder, 'node.kubeconfig');
    const url = plane.url.replace('localhost', hostAddress);
    writeKubeconfig(kubeconfig, url, plane.authority, {
      name: 'system:node',
      token: plane.tokenOf('system:node'),
    });
    const nodes: RealNode[] = [];
    for (let number = 1; number <= count; number += 1) {
      const name = `node-${number}`;
      const own = path.join(folder, name);
      mkdirSync(own);
      const network = await connectNode(number);
      nodes.push(new RealNode({ name, network, folder: own, binaries, kubeconfig, images, guard }));
    }
    const scheduler = new Component({
      name: 'kube-scheduler',
      file: binaries['kube-scheduler'],
      arguments: [
        `--kubeconfig=${plane.kubeconfigFor('system:kube-scheduler')}`,
        '--leader-elect=false',
        '--secure-port=0',
      ],
      folder,
      guard,
    });
    const services = [scheduler, clusterDns({ file: binaries.coredns, plane, folder, guard })];
    const cluster = new Cluster(plane, nodes, services, guard);
    await Promise.all([...services, ...nodes].map((it) => it.start()));
    await cluster.#untilReady();
    return cluster;
  }

  kubectl(...args: readonly string[]): Promise<string> {
    const { binaries, kubeconfig } = this.plane;
    return run([binaries.kubectl, '--kubeconfig', kubeconfig, ...args]);
  }

  nodeOf(name: string): RealNode {
    const found = this.nodes.find((node) => node.name === name);
    if (found === undefined) throw new Error(`there is no node ${name}`);
    return found;
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) await node.stop();
    for (const service of this.#services) await service.end('SIGKILL');
    await this.plane.stop();
    await this.#guard.close();
  }

  async #untilReady(): Promise<void> {
    try {
      for (const { name } of this.nodes) {
        await this.kubectl('wait', '--for=create', `node/${name}`, '--timeout=240s');
        await this.kubectl('wait', '--for=condition=Ready', `node/${name}`, '--timeout=240s');
      }
    } catch (error) {
      throw new Error(`${String(error)}\n${this.nodes.map((node) => node.logs()).join('\n')}`);
    }
  }
}
