// A small cluster on this machine: a control plane and nodes.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from './control-plane/control-plane.ts';
import type { NodeOptions } from './node/context.ts';
import { PlaygroundNode } from './node/node.ts';
import { type Guard, startGuard } from './processes/guard.ts';

export type PlaygroundOptions = {
  readonly nodes?: number;
  readonly controlPlane?: Omit<ControlPlaneOptions, 'guard'>;
  readonly node?: Partial<Omit<NodeOptions, 'kubeconfig' | 'client' | 'name' | 'guard'>>;
};

export type Playground = {
  readonly plane: ControlPlane;
  /** For other processes that belong to this cluster. */
  readonly guard: Guard;
  readonly nodes: readonly PlaygroundNode[];
  /** Runs kubectl as the admin; returns its output. */
  kubectl(...args: readonly string[]): Promise<string>;
  stop(): Promise<void>;
};

const LAST_GRACE_SECONDS = 1;

export async function startPlayground(options: PlaygroundOptions = {}): Promise<Playground> {
  const guard = await startGuard();
  const plane = await startControlPlane({ ...options.controlPlane, guard });
  return startNodesOn(plane, guard, options);
}

/** The rest of a playground; the control plane is stopped with it. */
export async function startNodesOn(
  plane: ControlPlane,
  guard: Guard,
  options: Omit<PlaygroundOptions, 'controlPlane'>,
): Promise<Playground> {
  const { kubeconfig, nodeClient: client } = plane;
  const nodes: PlaygroundNode[] = [];
  for (let number = 1; number <= (options.nodes ?? 1); number += 1) {
    const name = `node-${number}`;
    const own = { kubeconfig, client, name, guard };
    nodes.push(await PlaygroundNode.start({ ...options.node, ...own }));
  }
  return {
    plane,
    guard,
    nodes,
    kubectl: async (...args) => {
      const flags = ['--kubeconfig', kubeconfig, ...args];
      const options = { maxBuffer: 64 * 1024 * 1024 };
      return (await promisify(execFile)(plane.binaries.kubectl, flags, options)).stdout;
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop({ graceSeconds: LAST_GRACE_SECONDS })));
      await plane.stop();
      await guard.close();
    },
  };
}
