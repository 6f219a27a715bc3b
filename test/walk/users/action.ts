// What can a user of the walk do, and with what?
import type { Kind } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import type { KubeClient } from '../../../src/runtime/client/client.ts';
import type { Random } from '../../sim/random.ts';

/** Names are few, so that objects come again under the name of earlier ones. */
export const queueNames = ['red', 'blue'] as const;

export type World = {
  readonly api: KubeClient;
  /** The name of the user whose client `api` is. */
  readonly user: string;
  /** The administrator of the cluster. */
  readonly admin: KubeClient;
  readonly namespace: string;
  readonly random: Random;
  /** Runs kubectl in the namespace. */
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
};

/** One line about what the user did; undefined: there is nothing to do it with. */
export type Act = (world: World) => Promise<string | undefined>;

/** How often an action is drawn, beside the others. */
export type Action = readonly [weight: number, name: string, act: Act];

export async function pickOne(
  { api, namespace, random }: World,
  kind: Kind,
  fits: (object: KubeObject) => boolean = () => true,
): Promise<KubeObject | undefined> {
  const { items } = await api.list(kind, namespace);
  const names = items.filter(fits).sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  return names.length === 0 ? undefined : random.pick(names);
}

/** A name of which there is no object. */
export async function freeName(
  { api, namespace, random }: World,
  kind: Kind,
  names: readonly string[],
): Promise<string | undefined> {
  const { items } = await api.list(kind, namespace);
  const taken = new Set(items.map(({ metadata }) => metadata.name));
  const free = names.filter((name) => !taken.has(name));
  return free.length === 0 ? undefined : random.pick(free);
}

/** For the annotations of a new job. Another user's name is refused. */
export function drawUser({ random, user }: World): Readonly<Record<string, string>> {
  if (random.chance(0.3)) return {};
  return { 'k8slab.info/user': random.chance(0.9) ? user : 'system:admin' };
}

/** The text of what was written. */
export async function patchOne(
  world: World,
  kind: Kind,
  draw: (object: KubeObject, random: Random) => object | undefined,
  fits?: (object: KubeObject) => boolean,
): Promise<string | undefined> {
  const found = await pickOne(world, kind, fits);
  const body = found && draw(found, world.random);
  if (found === undefined || body === undefined) return undefined;
  const { name } = found.metadata;
  return written(`${name} ${JSON.stringify(body)}`, () =>
    world.api.patch(kind, { namespace: world.namespace, name }, { type: 'merge', body }),
  );
}

export const createOne = (world: World, kind: Kind, object: KubeObject): Promise<string> =>
  written(
    `${object.metadata.name} ${JSON.stringify({ ...marksOf(object), ...Object(object['spec']), template: undefined })}`,
    () => world.api.create(kind, object),
  );

const marksOf = ({ metadata: { labels, annotations } }: KubeObject) => ({ labels, annotations });

/** A refusal is an answer, too. */
export async function written(text: string, write: () => Promise<unknown>): Promise<string> {
  try {
    await write();
    return text;
  } catch (error) {
    return `${text}, refused: ${error instanceof Error ? error.message.slice(0, 160) : error}`;
  }
}

const cascades = ['background', 'background', 'foreground', 'orphan'] as const;

export async function deleteOne(world: World, kind: Kind): Promise<string | undefined> {
  const found = await pickOne(world, kind);
  if (found === undefined) return undefined;
  const { name } = found.metadata;
  const cascade = world.random.pick(cascades);
  const what = `${kind.plural}.${kind.group}/${name}`;
  return written(`${name} --cascade=${cascade}`, () =>
    world.kubectl('delete', what, `--cascade=${cascade}`, '--wait=false'),
  );
}
