// Where is a worker probed whose pod has an address of IPv6, or of both families?
import { expect, it } from '@jest/globals';
import { parsePod } from '../../../../src/api/observed.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import { settled } from '../../../support/pool-decisions.ts';
import { NOW, withPod, world } from '../../../support/pool-worlds.ts';

it.each([
  ['10.0.0.7', 'http://10.0.0.7:9090/internal/version'],
  ['fd00::7', 'http://[fd00::7]:9090/internal/version'],
])('a worker at %s is probed at %s', (ip, url) => {
  const at = withPod(settled(world({ streams: ['a'], workers: 1 })), 0, { ip });
  expect(decidePool(at, NOW).probes.map((probe) => new URL(probe.url).href)).toEqual([url]);
});

it('a worker is probed where the spec says now', () => {
  const at = settled(world({ streams: ['a'], workers: 1 }));
  const urlsAt = (port: number) => {
    const { spec } = at.pool;
    if (!spec.ok) throw new Error('the spec is invalid');
    const probe = { ...spec.value.probe, httpGet: { ...spec.value.probe.httpGet, port } };
    const pool = { ...at.pool, spec: { ...spec, value: { ...spec.value, probe } } };
    return decidePool({ ...at, pool }, NOW).probes.map(({ url }) => new URL(url).port);
  };
  expect([9090, 9191, 9090].map(urlsAt)).toEqual([['9090'], ['9191'], ['9090']]);
});

it.each([
  [['fd00::7', '10.0.0.7'], 'fd00::7'],
  [['10.0.0.7', 'fd00::7'], '10.0.0.7'],
])('of the addresses %j the first counts, as for a kubelet', (ips, first) => {
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'worker-0', namespace: 'tv' },
    status: { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) },
  };
  expect(parsePod(object).ip).toBe(first);
});
