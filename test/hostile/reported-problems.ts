// Does every attacked pool and job report what is wrong with it, and is its report true?
import { readAssignment } from '../../src/api/assignment.ts';
import { kinds, metadataOf } from '../../src/api/kinds.ts';
import { asList, asString, dig, type KubeObject, keyOf } from '../../src/api/objects.ts';
import type { KubeClient } from '../../src/runtime/client/client.ts';
import { orNothing } from '../../src/runtime/client/errors.ts';
import { IMPOSSIBLE } from './attacks/jobs.ts';
import type { Expected } from './tenant.ts';

type Condition = { readonly status: string; readonly reason: string; readonly message: string };

const conditionOf = (pool: KubeObject, wanted: string): Condition | undefined => {
  const found = asList(dig(pool, 'status', 'conditions')).find((it) => dig(it, 'type') === wanted);
  const text = (field: string): string => asString(dig(found, field)) ?? '';
  return found === undefined
    ? undefined
    : { status: text('status'), reason: text('reason'), message: text('message') };
};

/** All pools in these namespaces whose status is not as it must be, and why. */
export async function unreportedProblems(
  api: KubeClient,
  namespaces: readonly string[],
  expected: ReadonlyMap<string, Expected['says']>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const namespace of namespaces) {
    const names = (await api.list(kinds.SwarmPool, namespace)).items.map(
      ({ metadata: { name } }) => name,
    );
    for (const name of names) {
      const pool = await api.get(kinds.SwarmPool, { namespace, name });
      const key = keyOf({ namespace, name });
      const problem =
        problemOf(pool, expected.get(key) ?? 'truth') ?? (await falseClaimOf(api, pool));
      if (problem !== undefined) problems.push(`${key}: ${problem}`);
    }
    for (const { metadata } of (await api.list(metadataOf(kinds.SwarmJob), namespace)).items) {
      // It may be deleted meanwhile, after its time to live.
      const job = await orNothing(api.get(kinds.SwarmJob, { namespace, name: metadata.name }));
      const problem = job && problemOfJob(job);
      if (problem !== undefined) problems.push(`SwarmJob ${keyOf(metadata)}: ${problem}`);
    }
  }
  return problems;
}

/** What is impossible waits, and each job says why it is as it is. */
function problemOfJob({ metadata, status }: KubeObject): string | undefined {
  const [state, reason, message] = ['state', 'reason', 'message'].map(
    (field) => asString(dig(status, field)) ?? '',
  );
  if (dig(status, 'observedGeneration') !== metadata.generation)
    return `its status observed generation ${String(dig(status, 'observedGeneration'))}, it has ${metadata.generation}`;
  if (reason === '' || message === '') return `it is ${state} and does not say why`;
  const isImpossible = metadata.name.startsWith(IMPOSSIBLE);
  if (isImpossible && state !== 'Waiting') return `it is ${state}, and should wait for ever`;
  return undefined;
}

function problemOf(pool: KubeObject, says: Expected['says']): string | undefined {
  const { generation } = pool.metadata;
  const told = dig(pool, 'status', 'observedGeneration');
  if (told !== generation)
    return `its status observed generation ${String(told)}, it has ${generation}`;
  const [ready, stalled] = [conditionOf(pool, 'Ready'), conditionOf(pool, 'Stalled')];
  if (ready === undefined) return 'it has no condition Ready';
  if (ready.status !== 'True' && (ready.reason === '' || ready.message === ''))
    return 'it is not Ready and does not say why';
  if (says === 'truth') return undefined;
  if (ready.status === 'True') return `it is Ready (${ready.reason}: ${ready.message})`;
  if (says === 'Stalled' && stalled?.status !== 'True')
    return `it is not Stalled, and Ready says ${ready.reason}: ${ready.message}`;
  return undefined;
}

/** A Ready pool has published all streams of its spec, each once. */
async function falseClaimOf(api: KubeClient, pool: KubeObject): Promise<string | undefined> {
  if (conditionOf(pool, 'Ready')?.status !== 'True') return undefined;
  const { namespace = '', name } = pool.metadata;
  const shards = Number(dig(pool, 'spec', 'assignments', 'shards') ?? 1);
  const base = asString(dig(pool, 'spec', 'assignments', 'configMapName')) ?? `${name}-assignments`;
  const key = asString(dig(pool, 'spec', 'assignments', 'key')) ?? 'config.yml';
  const places =
    shards > 1
      ? Array.from({ length: shards }, (_, index) => [`${base}-${index}`, `config-${index}.yml`])
      : [[base, key]];
  const jobs: string[] = [];
  for (const [place = '', file = ''] of places) {
    const object = await api
      .get(kinds.ConfigMap, { namespace, name: place })
      .catch(() => undefined);
    const read = readAssignment(asString(dig(object, 'data', file)) ?? '');
    if (!read.ok) return `it is Ready, and ${place} has no assignment: ${read.problem}`;
    for (const { jobs: own } of read.assignment.workloads.values())
      for (const job of own) jobs.push(job);
  }
  const published = new Set(jobs);
  const missing = asList(dig(pool, 'spec', 'streams')).flatMap((stream) => {
    const own = asString(dig(stream, 'name')) ?? '';
    return published.has(own) ? [] : [own];
  });
  const total = dig(pool, 'status', 'streams', 'total');
  if (missing.length > 0) return `it is Ready, and does not publish ${missing.slice(0, 3).join()}`;
  if (total !== jobs.length)
    return `it is Ready with ${String(total)} streams, and publishes ${jobs.length}`;
  return undefined;
}
