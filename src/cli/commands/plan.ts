// swarmctl plan: what would move, and why?
import { MOST_WORKERS } from '../../api/bounds.ts';
import { kinds } from '../../api/kinds.ts';
import { dig, type KubeObject } from '../../api/objects.ts';
import type { Values } from '../../flags.ts';
import { enoughFor } from '../../pool/plan/enough.ts';
import { type PoolPlan, planOf } from '../../pool/plan/plan.ts';
import { suppose, type Wish, withoutEffect, withWorkers } from '../../pool/plan/suppose.ts';
import { checkPreconditions } from '../../pool/preconditions.ts';
import type { PoolWorld } from '../../pool/world.ts';
import {
  type Command,
  CommandError,
  clusterFlags,
  command,
  exitCodes,
  output,
  poolExitCodes,
} from '../arguments/command.ts';
import { blockedText, print } from '../arguments/terminal.ts';
import { withCluster } from '../cluster/connect.ts';
import { observePool, SUPPOSED_UID, withObject } from '../cluster/observe-pool.ts';
import { objectsIn, readManifests } from '../files/read.ts';
import { sourceOf, workloadFor } from '../files/source.ts';
import { planLines } from '../views/plan.ts';

const flags = {
  file: {
    type: 'texts',
    value: 'FILE',
    short: 'f',
    help: 'the SwarmPool as you would apply it (a file, a folder, or - for standard input)',
  },
  recursive: { type: 'switch', short: 'R', needs: 'file', help: 'read subfolders too' },
  workers: {
    type: 'whole',
    value: 'N',
    least: 0,
    most: MOST_WORKERS,
    help: 'plan for this number of workers',
  },
  add: {
    type: 'texts',
    value: 'NAME[=WEIGHT]',
    help: 'add a stream, or change the weight of an existing one; repeatable',
  },
  remove: { type: 'texts', value: 'NAME', help: 'remove a stream; repeatable' },
  offline: { type: 'switch', needs: 'file', help: 'use only files, no cluster' },
  output,
  ...clusterFlags,
} as const;
type Given = Values<typeof flags>;

/** As it is, and as it is supposed to be; both of the same moment. */
type Worlds = {
  readonly before: PoolWorld;
  readonly after: PoolWorld;
  /** What was asked for and changes nothing. */
  readonly notes: readonly string[];
};

export const plan: Command = command(
  {
    name: 'plan',
    summary: 'show what would move, and why; changes nothing',
    operands: { usage: '[POOL]', least: 0, most: 1 },
    about: `Makes the operator's decision from the current state of the cluster and the changes that you name, and shows the result after all
workers have followed it. Without a flag: shows the pending changes, also of a paused pool. The command probes the workers for the
streams that they run; for an unreachable worker it uses the last reported status.

With --offline it reads only files: a SwarmPool and what the pool needs: its StatefulSet or Deployment (or --workers), the ConfigMaps
with its lists, and the ConfigMap of the assignment to start from.

${poolExitCodes}
1 means: a stream would have no worker, or would keep its worker only because its entry in the list is invalid, or the operator cannot decide.`,
    examples: [
      ['swarmctl plan tv --workers 5', 'with five workers'],
      ['swarmctl plan tv --add cnbc=40 --remove cars', 'with another list of streams'],
      ['swarmctl plan -f pool.yaml', 'if you applied this file'],
      ['swarmctl plan -f pool.yaml --offline --workers 3 -o json', 'without a cluster, as JSON'],
    ],
    flags,
  },
  async ({ values, operands: [name] }, terminal) => {
    if (name === undefined && values.file.length === 0)
      throw new CommandError('expected POOL or --file');
    const objects = readManifests(values.file, values.recursive).flatMap(objectsIn);
    const given = values.file.length === 0 ? undefined : poolAmong(objects, name);
    const worlds =
      given !== undefined && values.offline
        ? await fromFiles(objects, given, values)
        : await fromCluster(name, given, values);
    const checked = checkPreconditions(worlds.after);
    if (!checked.ok) {
      const text = `the operator cannot decide: ${blockedText(checked.blocked)}`;
      print(terminal, values.output, checked.blocked, () => [[{ text, style: 'bad' }]]);
      return exitCodes.no;
    }
    const now = Date.now();
    const planned = withNotes(planOf({ ...worlds, checked, now }), worlds.notes);
    const { unassigned, kept } = planned;
    const enough = unassigned.length > 0 ? enoughFor(worlds.after, unassigned, now) : undefined;
    const { workers: required = planned.required, hopeless = [] } = enough ?? {};
    print(terminal, values.output, { ...planned, required, hopeless }, (isWide) =>
      planLines(planned, enough, terminal.width, isWide),
    );
    return unassigned.length + kept.length === 0 ? exitCodes.ok : exitCodes.no;
  },
);

function poolAmong(objects: readonly KubeObject[], name: string | undefined): KubeObject {
  const pools = objects.filter(
    ({ kind, metadata }) =>
      kind === kinds.SwarmPool.kind && (name === undefined || metadata.name === name),
  );
  const [only, ...others] = pools;
  if (only === undefined)
    throw new CommandError(
      `no file contains ${name === undefined ? 'a SwarmPool' : `SwarmPool ${name}`}`,
    );
  if (others.length > 0)
    throw new CommandError(
      `the files contain several SwarmPools (${pools.map(({ metadata }) => metadata.name).join(', ')}); name one of them as POOL`,
    );
  return only;
}

function fromCluster(
  name: string | undefined,
  given: KubeObject | undefined,
  values: Given,
): Promise<Worlds> {
  return withCluster(values, async ({ api, namespace }) => {
    const at = values.namespace ?? given?.metadata.namespace ?? namespace;
    const meant = given?.metadata.name ?? name ?? '';
    if (given === undefined) {
      const before = await observePool(api, at, meant);
      return { before, ...supposed(before, values) };
    }
    const object = { ...given, metadata: { ...given.metadata, namespace: at } };
    const after = await observePool(withObject(api, object), at, meant);
    const isNew = after.pool.meta.uid === SUPPOSED_UID;
    const before = isNew ? after : await observePool(api, at, meant);
    return { before, ...supposed(after, values) };
  });
}

async function fromFiles(
  objects: readonly KubeObject[],
  given: KubeObject,
  values: Given,
): Promise<Worlds> {
  const namespace = values.namespace ?? given.metadata.namespace ?? 'default';
  const look = (all: readonly KubeObject[]): Promise<PoolWorld> =>
    observePool(sourceOf(all, namespace), namespace, given.metadata.name);
  const found = await look(objects);
  const isBare = found.targets.length === 0 && found.otherKindTargets.length === 0;
  const led =
    dig(given, 'spec', 'workers', 'scaling') === 'Lead'
      ? dig(given, 'spec', 'workers', 'replicas')
      : undefined;
  const replicas = values.workers ?? led;
  if (isBare && typeof replicas !== 'number')
    throw new CommandError(
      "no file contains the pool's StatefulSet or Deployment; set --workers N",
    );
  const before = isBare ? await look([...objects, workloadFor(given, Number(replicas))]) : found;
  const [target, ...others] = before.targets;
  const peopled =
    target === undefined || others.length > 0 ? before : withWorkers(before, target.replicas);
  if (typeof peopled === 'string') throw new CommandError(peopled);
  return { before, ...supposed(peopled, values) };
}

function supposed(world: PoolWorld, given: Given): Omit<Worlds, 'before'> {
  const { workers, remove } = given;
  const add = given.add.map(wishIn);
  const after = suppose(world, { workers, add, remove });
  if (typeof after === 'string') throw new CommandError(after);
  const kept = add.filter(({ name }) => !remove.includes(name));
  return { after, notes: withoutEffect(world, kept).map((note) => `--add: ${note}`) };
}

const withNotes = (planned: PoolPlan, notes: readonly string[]): PoolPlan => ({
  ...planned,
  notes: [...planned.notes, ...notes],
});

/** As in a list of streams: what follows the last equals sign is the weight. */
function wishIn(text: string): Wish['add'][number] {
  const at = text.lastIndexOf('=');
  if (at < 0) return { name: text };
  const weight = text.slice(at + 1);
  if (!/^\d{1,7}$/.test(weight))
    throw new CommandError(
      `--add: ${JSON.stringify(weight)} is not a weight; expected NAME=WEIGHT with a whole number`,
    );
  return { name: text.slice(0, at), weight: Number(weight) };
}
