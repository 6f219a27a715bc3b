// Were the permissions of its service account enough for the operator? From the API server's own
// audit log.
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { asNumber, asString, dig } from '../../../src/api/objects.ts';
import type { World } from '../world.ts';

const account = 'system:serviceaccount:swarm-operator:swarm-operator';

export function rights(world: () => World): void {
  it('the API server refused the operator nothing, and all its requests used its service account', () => {
    const lines = readFileSync(world().cluster.plane.auditLog ?? '', 'utf8')
      .split('\n')
      .slice(0, -1);
    const asked = lines
      .filter((line) => line.includes(account))
      .map((line): unknown => JSON.parse(line));
    const own = asked.filter((entry) => dig(entry, 'user', 'username') === account);
    expect(own.map((entry) => asString(dig(entry, 'objectRef', 'resource')))).toEqual(
      expect.arrayContaining([
        'swarmpools',
        'statefulsets',
        'pods',
        'configmaps',
        'leases',
        'events',
        'swarmqueues',
        'swarmjobs',
        'jobs',
        'services',
      ]),
    );
    const refused = own.filter(
      (entry) =>
        [401, 403].includes(asNumber(dig(entry, 'responseStatus', 'code')) ?? 0) &&
        !isTooLate(entry),
    );
    expect(
      refused.map(
        (entry) => `${asString(dig(entry, 'verb'))} ${asString(dig(entry, 'requestURI'))}`,
      ),
    ).toEqual([]);
  });
}

/** For a namespace that is being deleted, where no client may create objects. */
const isTooLate = (entry: unknown): boolean =>
  asString(dig(entry, 'responseStatus', 'message'))?.includes('because it is being terminated') ===
  true;
