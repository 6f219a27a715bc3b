// Which group do these objects of a namespace make, each with the replicas that it has now?
import { type Kind, kinds } from '../../api/kinds.ts';
import { asNumber, asString, dig, type KubeObject } from '../../api/objects.ts';
import { listed } from '../../core/text.ts';
import { fittingRatios } from '../../group/members/fitting.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import { CommandError } from '../arguments/command.ts';

const memberKinds = [kinds.Deployment, kinds.StatefulSet, kinds.SwarmPool] as const;

type Chosen = {
  readonly namespace: string;
  /** `web`, `statefulset/db`; a name alone is that of a Deployment. */
  readonly names: readonly string[];
  readonly selector: string | undefined;
};

/** In the order of the names; those that a selector finds by kind and name. */
export async function readMembers(
  api: Pick<KubeApi, 'get' | 'list'>,
  { namespace, names, selector }: Chosen,
): Promise<readonly KubeObject[]> {
  const named = await Promise.all(names.map((name) => readNamed(api, namespace, name)));
  if (selector === undefined) return named;
  const found = await Promise.all(
    memberKinds.map(async (kind) => {
      const { items } = await api
        .list(kind, namespace, { labelSelector: selector })
        .catch((error: unknown) => {
          // Without our definitions there are no pools.
          if (kind === kinds.SwarmPool && hasCode(error, 'NotFound')) return { items: [] };
          throw error;
        });
      return items.map((item) => ({ ...item, kind: kind.kind }));
    }),
  );
  const all = found.flat();
  if (all.length === 0)
    throw new CommandError(
      `no Deployment, StatefulSet or SwarmPool in namespace ${namespace} has the labels ${selector}`,
    );
  return withoutTwice([...named, ...all.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))]);
}

async function readNamed(
  api: Pick<KubeApi, 'get'>,
  namespace: string,
  text: string,
): Promise<KubeObject> {
  const [kindText = '', name] = text.includes('/') ? text.split('/') : ['deployment', text];
  const kind = memberKinds.find((it) => isCalled(it, kindText));
  if (kind === undefined || name === undefined || name === '')
    throw new CommandError(
      `${JSON.stringify(text)} is no member; expected NAME of a Deployment, or deployment/NAME, statefulset/NAME or swarmpool/NAME`,
    );
  try {
    return { ...(await api.get(kind, { namespace, name })), kind: kind.kind };
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
    throw new CommandError(`there is no ${kind.kind} ${name} in namespace ${namespace}`);
  }
}

const isCalled = ({ kind, plural }: Kind, text: string): boolean =>
  [kind.toLowerCase(), plural].includes(text.toLowerCase());

const keyOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name}`;

/** Nor a workload that a pool among them scales: then the pool is the member. */
function withoutTwice(objects: readonly KubeObject[]): readonly KubeObject[] {
  const led = new Set(objects.filter(isLeading).flatMap(targetsOf));
  const unled = objects.filter((it) => !led.has(keyOf(it)));
  const members = unled.filter((it) => it.kind !== kinds.SwarmPool.kind || isLeading(it));
  return [...new Map(members.map((it) => [keyOf(it), it])).values()];
}

const isLeading = (object: KubeObject): boolean =>
  object.kind === kinds.SwarmPool.kind && dig(object, 'spec', 'workers', 'scaling') === 'Lead';

function targetsOf(pool: KubeObject): readonly string[] {
  const name = asString(dig(pool, 'spec', 'workers', 'targetRef', 'name'));
  const kind = asString(dig(pool, 'spec', 'workers', 'targetRef', 'kind')) ?? 'StatefulSet';
  return name === undefined ? [] : [`${kind}/${name}`];
}

type GroupMember = {
  readonly kind: string;
  readonly name: string;
  readonly ratio?: number | string;
};

type ProposedSpec = { readonly replicas: number; readonly members: readonly GroupMember[] };

const plainRules = {
  ...{ stage: 0, ratio: 1, readyFraction: 1 },
  ...{ minReplicas: 0, maxReplicas: Number.POSITIVE_INFINITY },
} as const;

/** `size`: undefined where the one is taken that needs the fewest ratios. */
export function proposedSpec(
  objects: readonly KubeObject[],
  size: number | undefined,
): ProposedSpec {
  const present = objects.map((object) => ({
    name: keyOf(object),
    replicas: replicasOf(object),
    rules: plainRules,
  }));
  const bounds = size === undefined ? undefined : { least: size, most: size };
  const fitting = fittingRatios(present, bounds);
  if (fitting === undefined) {
    const sizes = listed(present.map(({ name, replicas }) => `${name} ${replicas}`));
    throw new CommandError(
      `no ratio from 0.000000001 to 1000 gives each member its replicas${size === undefined ? '' : ` at size ${size}`} (${sizes}): scale those with 0 up, leave them out, or choose another --replicas`,
    );
  }
  const ratios = new Map(fitting.ratios.map(({ name, ratio }) => [name, ratio]));
  return {
    replicas: fitting.size,
    members: objects.map((object): GroupMember => {
      const ratio = ratios.get(keyOf(object));
      const member = { kind: object.kind, name: object.metadata.name };
      if (ratio === undefined) return member;
      return { ...member, ratio: ratio.includes('.') ? ratio : Number(ratio) };
    }),
  };
}

/** A workload that says nothing has one. */
function replicasOf(object: KubeObject): number {
  if (object.kind !== kinds.SwarmPool.kind) return asNumber(dig(object, 'spec', 'replicas')) ?? 1;
  const replicas = asNumber(dig(object, 'spec', 'workers', 'replicas'));
  if (isLeading(object) && replicas !== undefined) return replicas;
  throw new CommandError(
    `SwarmPool ${object.metadata.name} cannot be a member: its workers need scaling Lead and replicas; name its StatefulSet or Deployment instead`,
  );
}
