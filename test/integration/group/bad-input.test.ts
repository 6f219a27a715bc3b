// What happens to an invalid group? The API server refuses it in words.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiVersionOf, kinds } from '../../../src/api/kinds.ts';
import { groupRefusals } from '../../support/group-refusals.ts';
import type { Spec } from '../../support/refusals.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;

beforeAll(async () => {
  swarm = await Swarm.start();
});

afterAll(() => swarm.stop());

const group = (name: string, spec: Spec) => ({
  apiVersion: apiVersionOf(kinds.SwarmGroup),
  kind: 'SwarmGroup',
  metadata: { name, namespace: 'default' },
  spec,
});

describe('the API server refuses a group with', () => {
  it.each(groupRefusals)('the API server refuses a group with %s', async (_, spec, message) => {
    await expect(
      swarm.api.create(kinds.SwarmGroup, group('refused', spec), { isTrial: true }),
    ).rejects.toThrow(message);
  });

  it('the API server refuses a group with a name of 64 characters', async () => {
    const spec = { members: [{ kind: 'Deployment', name: 'a' }] };
    await expect(
      swarm.api.create(kinds.SwarmGroup, group('x'.repeat(64), spec), { isTrial: true }),
    ).rejects.toThrow("a group's name has at most 63 characters");
  });
});
