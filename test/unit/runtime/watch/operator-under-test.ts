// The operator, with an API server that misbehaves: what does it tell, and which errors are logged?
import type { ResourceEvent } from '@dot-i/k8s-operator';
import { type Kind, kinds } from '../../../../src/api/kinds.ts';
import { keyOf } from '../../../../src/api/objects.ts';
import { KubeClient } from '../../../../src/runtime/client/client.ts';
import type { PooledKubeConfig } from '../../../../src/runtime/client/config.ts';
import { systemClock } from '../../../../src/runtime/clock.ts';
import { MisbehavingServer } from '../../../support/misbehaving-server.ts';

await import('../../../support/setup.ts');
export const { default: dotI } = await import('@dot-i/k8s-operator');
const { SwarmOperator } = await import('../../../../src/runtime/watch/operator.ts');

export const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined };

/** What the framework's base class offers to an operator that is written with it. */
export class Opened extends SwarmOperator {
  readonly registered = (file: string) => this.registerCustomResourceDefinition(file);
  readonly watched = (plural: string, onEvent: (event: ResourceEvent) => Promise<void>) =>
    this.watchResource('', 'v1', plural, onEvent);
  readonly namespaces = () => this.k8sApi.listNamespace();
}

type Running = {
  server: MisbehavingServer;
  operator: Opened;
  config: PooledKubeConfig;
  told: string[];
  errors: string[];
};
export const running: Running[] = [];

type Options = {
  namespaces?: readonly string[];
  watched?: readonly Kind[];
  onChange?: () => void;
  tellsLists?: boolean;
  crdFiles?: readonly string[];
};

export async function setUp({
  namespaces = [],
  watched = [kinds.ConfigMap, kinds.Node, kinds.SwarmPool],
  onChange,
  tellsLists = false,
  crdFiles = [],
}: Options = {}): Promise<Running> {
  const server = await MisbehavingServer.start([...watched, kinds.CustomResourceDefinition]);
  const config = server.config();
  const told: string[] = [];
  const errors: string[] = [];
  const operator = new Opened({
    kubeConfig: config,
    api: new KubeClient(config),
    clock: { ...systemClock, after: (ms, run) => systemClock.after(ms / 20, run) },
    logger: { ...quiet, error: (message) => errors.push(message) },
    namespaces,
    crdFiles,
    subscriptions: watched.map((kind) => ({
      kind,
      onChange: ({ type, object }) => {
        told.push(`${type} ${kind.kind} ${keyOf(object.metadata)}`);
        onChange?.();
      },
      ...(tellsLists && { onListed: () => told.push(`listed ${kind.kind}`) }),
    })),
  });
  const all = { server, operator, config, told, errors };
  running.push(all);
  return all;
}

/** Ends all that the test has set up. */
export async function endAll(): Promise<void> {
  for (const { server, operator, config } of running.splice(0)) {
    operator.stop();
    await operator.stopped();
    await config.closeConnections();
    await server.close();
  }
}
