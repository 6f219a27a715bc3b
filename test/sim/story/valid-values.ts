// Which valid values may a user set? For each field that can change while a pool works.
import { MOVED, partsOf } from '../cluster/manifests.ts';
import type { Random } from '../random.ts';
import type { Action, TargetName } from './story.ts';

export const aimedAt = (target: TargetName): object => ({
  workers: { kind: null, selector: null, targetRef: partsOf(target) },
});

export const selecting = (label: string, kind: string | null = null): object => ({
  workers: { kind, selector: { matchLabels: { app: label } }, targetRef: null },
});

/** Those of scaling Auto, which others refuse. */
const noBounds = { minReplicas: null, maxReplicas: null };

const validValues: Readonly<Record<string, readonly object[]>> = {
  selector: [selecting('worker'), selecting('away'), selecting('nobody')],
  kind: [
    selecting('worker', 'StatefulSet'),
    selecting('worker', 'Deployment'),
    selecting('away', 'Deployment'),
  ],
  // Name and key together: one file name in two places that are mounted side by side would hide one
  // of them.
  place: [
    { assignments: { configMapName: null, key: null } },
    { assignments: { configMapName: null, key: 'config-other.yml' } },
    { assignments: { ...MOVED } },
    { assignments: { configMapName: 'not-mounted', key: null } },
  ],
  shards: [
    { assignments: { shards: null } },
    { assignments: { shards: 2 } },
    { assignments: { shards: 3 } },
  ],
  handoff: [{ handoff: { type: 'Exclusive' } }, { handoff: null }],
  scaling: [
    { workers: { scaling: null, replicas: null, ...noBounds } },
    { workers: { scaling: 'Lead', drainTimeoutSeconds: 5, ...noBounds } },
    { workers: { scaling: 'Lead', replicas: 1, ...noBounds } },
    { workers: { scaling: 'Lead', replicas: 4, drainTimeoutSeconds: 0, ...noBounds } },
    { workers: { scaling: 'Auto', replicas: null, maxReplicas: 4, scaleDownDelaySeconds: 2 } },
    { workers: { scaling: 'Auto', replicas: null, minReplicas: 2, maxReplicas: 3 } },
  ],
  refresh: [
    { refresh: null },
    { refresh: { mode: 'Reload', timeoutSeconds: 2 } },
    { refresh: { mode: 'Restart', maxUnavailable: 1 } },
    { refresh: { mode: 'Restart', maxUnavailable: '50%' } },
    { refresh: { mode: 'Auto', timeoutSeconds: 3 } },
  ],
  probe: [
    { probe: null },
    { probe: { type: 'None' } },
    { probe: { type: 'None' }, refresh: { mode: 'Restart' } },
    { probe: { httpGet: { port: 'nowhere' } } },
    { probe: { httpGet: { path: '/other' } } },
  ],
  failover: [
    { workers: { failover: null } },
    { workers: { failover: { policy: 'Never' } } },
    { workers: { failover: { policy: 'AfterTimeout', timeoutSeconds: 1 } } },
    { workers: { failover: { policy: 'AfterTimeout', timeoutSeconds: 4 } } },
  ],
  cordoned: [
    { workers: { cordoned: null } },
    { workers: { cordoned: [0] } },
    { workers: { cordoned: [1, 2] } },
  ],
  rebalance: [
    { rebalance: null },
    { rebalance: { policy: 'WhenRequired' } },
    { rebalance: { maxMoves: 1 } },
    { rebalance: { delaySeconds: 3 } },
  ],
  paused: [{ paused: true }, { paused: null }],
};

const fields = Object.keys(validValues);

export function validValue(random: Random): Action {
  const says = random.pick(fields);
  return { do: 'spec', patch: random.pick(validValues[says] ?? []), says };
}
