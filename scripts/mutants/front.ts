// Mutants of scaling Auto, delays, trust in workers, the causes in conditions, and evictions.
import type { Mutant } from './mutant.ts';

const scaling = ['unit/pool/scaling'];
const failover = ['unit/pool/workers/failover'];
const trust = ['unit/probes/trust'];
const causes = ['unit/pool/status/causes', 'unit/api/observed'];
const refresh = ['unit/pool/refresh/refresh'];
const former = ['unit/pool/workers/former', 'unit/pool/observe/former-workers'];

export const frontMutants: readonly Mutant[] = [
  {
    file: 'src/pool/workers/size.ts',
    find: 'replicas > needed && now - untilMs < delayMs',
    put: 'replicas > needed && now - untilMs > delayMs',
    what: 'scaling Auto scales down at once, and remembers for ever what was needed before',
    tests: scaling,
  },
  {
    file: 'src/pool/workers/size.ts',
    find: 'wanted: Math.min(Math.max(largest.replicas, minReplicas), maxReplicas),',
    put: 'wanted: Math.max(largest.replicas, minReplicas),',
    what: 'scaling Auto exceeds maxReplicas',
    tests: scaling,
  },
  {
    file: 'src/pool/workers/size.ts',
    find: 'list.ok ? streamsToRun(world, spec, list.streams) : undefined',
    put: 'list.ok ? streamsToRun(world, spec, list.streams) : []',
    what: 'scaling Auto removes all workers but one while a list has a mistake',
    tests: scaling,
  },
  {
    file: 'src/pool/workers/size.ts',
    find: 'const lacking = usable + cordonedAmong(replicas) - replicas;',
    put: 'const lacking = usable - replicas;',
    what: 'scaling Auto gives the pool no worker in place of a cordoned one',
    tests: scaling,
  },
  {
    file: 'src/pool/workers/availability.ts',
    find: 'rebalance.delaySeconds * 1000 - (steadyMs ?? Number.POSITIVE_INFINITY)',
    put: 'rebalance.delaySeconds - (steadyMs ?? Number.POSITIVE_INFINITY)',
    what: 'rebalance.delaySeconds lasts milliseconds',
    tests: failover,
  },
  {
    file: 'src/pool/workers/availability.ts',
    find: "steadyMs: age('workers', Object.keys(readyMs).sort().join(' ')),",
    put: "steadyMs: age('workers', String(Object.keys(readyMs).length)),",
    what: 'the delay of a rebalance does not start over when one worker comes and another goes',
    tests: failover,
  },
  {
    file: 'src/probes/trust.ts',
    find: 'rejectUnauthorized: ca !== undefined,',
    put: 'rejectUnauthorized: false,',
    what: 'the operator trusts a worker whose certificate no configured authority has signed',
    tests: trust,
  },
  {
    file: 'src/probes/trust.ts',
    find: 'if (token === own || audiencesOf(token).some((audience) => audiences.includes(audience)))',
    put: 'if (token === own)',
    what: 'the operator shows workers a token that the API server accepts',
    tests: trust,
  },
  {
    file: 'src/probes/trust.ts',
    find: 'if (now === stamps) return trust;',
    put: 'if (now !== stamps) return trust;',
    what: 'the operator keeps a certificate or a token that was rotated',
    tests: trust,
  },
  {
    file: 'src/pool/status/conditions.ts',
    find: "mount.status === 'False' && !isTakenUp",
    put: "mount.status === 'False' && isTakenUp",
    what: 'Ready does not say that the pods do not mount the assignment',
    tests: causes,
  },
  {
    file: 'src/api/trouble.ts',
    find: "ErrImagePull: 'ImagePullBackOff',",
    put: '',
    what: 'the cause in Ready alternates while an image cannot be pulled',
    tests: causes,
  },
  {
    file: 'src/pool/observe/former-workers.ts',
    find: 'if (!pool.spec.ok) return [];',
    put: "if (!pool.spec.ok || pool.spec.value.probe.type === 'None') return [];",
    what: 'with probe None the operator forgets workers of an earlier target, which keep running',
    tests: former,
  },
  {
    file: 'src/pool/publish/handoff.ts',
    find: ': !isOutdated);',
    put: ': true);',
    what: 'with probe None an earlier worker counts as stopped before its pod was replaced',
    tests: former,
  },
  {
    file: 'src/pool/workers/refresh.ts',
    find: 'return last.podUid === pod.uid;',
    put: 'return false;',
    what: 'an eviction that failed once is never tried again',
    tests: refresh,
  },
  {
    file: 'src/pool/workers/refresh.ts',
    find: '!restarts.includes(worker) &&',
    put: '',
    what: 'a nudge changes a pod just before its eviction, which then fails',
    tests: refresh,
  },
];
