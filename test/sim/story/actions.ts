// What do users do to a pool? Each action as kubectl would do it.
import { kinds } from '../../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { ANNOTATION_PAUSED } from '../../../src/core/labels.ts';
import {
  ANNOTATION_RESTART,
  readRestarts,
  restartText,
} from '../../../src/pool/streams/restarts.ts';
import { ownerUid } from '../cluster/facts.ts';
import {
  leads,
  NAMESPACE,
  poolOf,
  poolRef,
  specOf,
  streamsOf,
  targetKindOf,
  targetOf,
  targetRef,
  templateOf,
} from '../cluster/manifests.ts';
import type { PodRunner } from '../cluster/pod-runner.ts';
import type { Telling } from '../cluster/telling.ts';
import type { PoolSimWorld } from '../pool-world.ts';
import type { Action } from './story.ts';
import { around } from './surroundings.ts';
import { toTarget } from './targets.ts';

export const listRef = { namespace: NAMESPACE, name: 'more-streams' };

/** As a weight and as an ordinal: more than any worker can carry, and no worker's. */
const MISTAKEN = 5_000;

/** Throws what the API server answers. */
export function perform(world: PoolSimWorld, action: Action): unknown {
  const { server, shape } = world;
  const targetKind = kinds[targetKindOf(shape)];
  const spec = (patch: object): void =>
    void server.merge(kinds.SwarmPool, poolRef, { spec: patch });
  switch (action.do) {
    case 'streams':
      return spec({ streams: streamsOf(shape, action.names) });
    case 'parameter':
      return spec({
        streams: withField(server.get(kinds.SwarmPool, poolRef), action.stream, {
          parameters: { url: action.value },
        }),
      });
    case 'suspend':
      return spec({
        streams: withField(server.get(kinds.SwarmPool, poolRef), action.stream, {
          suspend: action.isSuspended,
        }),
      });
    case 'mistake':
      return spec({
        streams: withField(server.get(kinds.SwarmPool, poolRef), action.stream, {
          weight: action.field === 'weight' ? MISTAKEN : undefined,
          ordinal: action.field === 'ordinal' ? MISTAKEN : undefined,
        }),
      });
    case 'ail':
      return world.ail(action.stream);
    case 'heal':
      return void world.ailing.delete(action.stream);
    case 'breakAt':
      return world.breakAt(runnerAt(world, action.index)?.pod.metadata.name, action.streams);
    case 'mendAll':
      return void world.broken.clear();
    case 'restart':
    case 'forgetRestarts':
      return askForRestart(world, action);
    case 'finish':
      for (const { worker } of world.nodes.runners) worker?.endProcess(action.stream, 0);
      return;
    case 'telling':
      return tell(world, action.index, action.how);
    case 'scale':
      if (leads(shape)) return spec({ workers: { replicas: action.to } });
      server.merge(targetKind, targetRef, { spec: { replicas: action.to } });
      return;
    case 'template':
      server.merge(targetKind, targetRef, {
        spec: { template: templateOf(shape, action.revision) },
      });
      return;
    case 'spec':
      return spec(action.patch);
    case 'restore':
      return restore(world);
    case 'list':
      server.put(kinds.ConfigMap, listRef, { data: { list: action.text } });
      return;
    case 'pause':
    case 'resume':
      server.merge(kinds.SwarmPool, poolRef, {
        metadata: { annotations: { [ANNOTATION_PAUSED]: action.do === 'pause' ? 'true' : null } },
      });
      return;
    case 'createPool':
      server.create(kinds.SwarmPool, poolOf(shape));
      return;
    case 'deletePool':
      return server.remove(kinds.SwarmPool, poolRef);
    case 'createTarget':
      server.create(targetKind, targetOf(shape));
      return;
    case 'deleteTarget':
      return server.remove(targetKind, targetRef);
    case 'deletePod':
    case 'forcePod':
    case 'endProcess':
    case 'crashProcess':
      return toWorker(world, action);
    case 'stray':
      return stray(world, action);
    case 'addTarget':
    case 'dropTarget':
    case 'relabel':
    case 'scaleTarget':
    case 'rollTarget':
    case 'startAt':
    case 'removeOrphans':
      return toTarget(world, action);
    case 'rival':
    case 'autoscaler':
    case 'budget':
    case 'quota':
    case 'nodeDies':
    case 'deleteDeadPods':
      return around(world, action);
    case 'restartOperator':
      return world.restartOperator();
    default:
      return action satisfies never;
  }
}

/** Like `kubectl replace`: fields that were added are removed. */
function restore({ server, shape }: PoolSimWorld): void {
  const present = server.get(kinds.SwarmPool, poolRef);
  const replicas = dig(present, 'spec', 'workers', 'replicas');
  const spec = specOf(shape);
  const workers = {
    ...(dig(spec, 'workers') as object),
    ...(leads(shape) && replicas !== undefined && { replicas }),
  };
  server.replace(kinds.SwarmPool, { ...present, spec: { ...spec, workers } });
}

function withField(pool: KubeObject, stream: string, field: object): readonly unknown[] {
  const streams = dig(pool, 'spec', 'streams');
  const list: readonly unknown[] = Array.isArray(streams) ? streams : [];
  return list.map((it) => (dig(it, 'name') === stream ? { ...(it as object), ...field } : it));
}

function askForRestart(
  { server }: PoolSimWorld,
  action: Extract<Action, { readonly do: 'restart' | 'forgetRestarts' }>,
): void {
  const { annotations } = server.get(kinds.SwarmPool, poolRef).metadata;
  const tokens = new Map(readRestarts(annotations?.[ANNOTATION_RESTART]).tokens);
  if (action.do === 'restart') tokens.set(action.stream, action.token);
  const text = action.do === 'restart' ? restartText(tokens) : null;
  server.merge(kinds.SwarmPool, poolRef, {
    metadata: { annotations: { [ANNOTATION_RESTART]: text } },
  });
}

function runnerAt({ nodes }: PoolSimWorld, index: number): PodRunner | undefined {
  const runners = [...nodes.runners].sort((a, b) =>
    a.pod.metadata.name < b.pod.metadata.name ? -1 : 1,
  );
  return runners[index % Math.max(1, runners.length)];
}

function tell(world: PoolSimWorld, index: number, how: Telling): void {
  const worker = runnerAt(world, index)?.worker;
  if (worker !== undefined) worker.telling = how;
}

function stray(
  world: PoolSimWorld,
  { index, stream, forMs }: Extract<Action, { readonly do: 'stray' }>,
): void {
  world.safety.strayed.add(stream);
  world.disturb(forMs);
  runnerAt(world, index)?.worker?.stray(stream, forMs);
}

type ToWorker = {
  readonly do: 'deletePod' | 'forcePod' | 'endProcess' | 'crashProcess';
  readonly index: number;
};

function toWorker(world: PoolSimWorld, { do: what, index }: ToWorker): void {
  const { server, safety } = world;
  const runner = runnerAt(world, index);
  if (runner === undefined) return;
  const { metadata } = runner.pod;
  const ref = { namespace: NAMESPACE, name: metadata.name };
  const live = server.find(kinds.Pod, ref);
  const isLive =
    live !== undefined && live.metadata.uid === metadata.uid && ownerUid(live) !== undefined;
  if (what === 'deletePod' && isLive) server.remove(kinds.Pod, ref);
  if (what === 'forcePod' && isLive) {
    safety.declaredDead.add(asString(metadata.uid) ?? '');
    server.remove(kinds.Pod, ref, {}, 0);
  }
  const [stream] = runner.worker?.swarm.wanted.jobs.keys() ?? [];
  if ((what === 'endProcess' || what === 'crashProcess') && stream !== undefined)
    runner.worker?.endProcess(stream, what === 'endProcess' ? 0 : 1);
}
