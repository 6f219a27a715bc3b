// Is a group, are its members and its definition gone within seconds, in whatever order they are
// removed, with the operator there or not? What stays keeps its size.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { eventually } from '../../support/processes.ts';
import { type Group, makeGroup } from '../support/group.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;
let operator: OperatorProcess | undefined;

beforeAll(async () => {
  swarm = await Swarm.start({ controlPlane: {} });
});

afterAll(() => swarm.stop());

const members = ['a', 'b'].map((name) => ({ kind: 'Deployment', name }));

/** A group at size 2, with the operator there or ended. */
async function begun(namespace: string, isThere: boolean): Promise<Group> {
  operator ??= await swarm.operator('--leader-election', 'false');
  const group = await makeGroup(swarm, namespace, {
    members: { a: {}, b: {} },
    spec: { replicas: 2, members, transition: { order: 'Staged' } },
  });
  await group.atSize(2);
  if (isThere) return group;
  await operator.end();
  operator = undefined;
  return group;
}

const removed = async (group: Group, ...what: readonly string[]): Promise<void> => {
  await group.kubectl('delete', ...what, '--timeout=20s');
};

describe.each([
  ['there', true],
  ['gone', false],
] as const)('with the operator %s', (title, isThere) => {
  it('a group is removed, and its members keep their size', async () => {
    const group = await begun(`group-first-${title}`, isThere);
    await removed(group, 'swarmgroup/shop');
    expect(await group.replicas('Deployment', 'a')).toBe(2);
    expect(await group.replicas('Deployment', 'b')).toBe(2);
    await removed(group, 'deployment/a', 'deployment/b');
  });

  it('members are removed before their group', async () => {
    const group = await begun(`members-first-${title}`, isThere);
    await removed(group, 'deployment/a', 'deployment/b');
    await removed(group, 'swarmgroup/shop');
  });

  it('a namespace is removed with its group and members', async () => {
    const group = await begun(`namespace-${title}`, isThere);
    await swarm.kubectl('delete', 'namespace', group.namespace, '--timeout=60s');
  });

  it('the remaining member keeps its replicas when group and member are removed in mid-transition', async () => {
    const group = await begun(`in-between-${title}`, isThere);
    await group.kubectl('scale', 'swarmgroup/shop', '--replicas=4');
    await removed(group, 'swarmgroup/shop');
    const sizes = async (): Promise<readonly unknown[]> =>
      Promise.all(['a', 'b'].map((name) => group.replicas('Deployment', name)));
    const then = await sizes();
    await removed(group, 'deployment/a');
    expect(await group.replicas('Deployment', 'b')).toBe(then[1]);
  });
});

it('the definition is removed with every group, and their members stay', async () => {
  const group = await begun('definition', true);
  await swarm.kubectl('delete', 'crd/swarmgroups.k8slab.info', '--timeout=20s');
  await eventually('no group is left', async () => {
    const known = await swarm.kubectl('api-resources', '--api-group=k8slab.info', '-o', 'name');
    return !known.includes('swarmgroups');
  });
  expect(await group.replicas('Deployment', 'a')).toBe(2);
  expect(operator?.hasEnded).toBe(false);
});
