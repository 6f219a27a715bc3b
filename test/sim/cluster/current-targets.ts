// Which StatefulSets and Deployments does a pool name at this moment? Read from the API server, as
// a user would.
import { kinds } from '../../../src/api/kinds.ts';
import { asRecord, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import type { ApiServer } from './api-server.ts';

export function currentTargets(
  server: ApiServer,
  pool: KubeObject | undefined,
): readonly KubeObject[] {
  const workers = dig(pool, 'spec', 'workers');
  const name = asString(dig(workers, 'targetRef', 'name'));
  const kind =
    asString(dig(workers, 'kind')) ?? asString(dig(workers, 'targetRef', 'kind')) ?? 'StatefulSet';
  const all = server.all({
    kind: kind === 'Deployment' ? kinds.Deployment : kinds.StatefulSet,
    namespace: pool?.metadata.namespace,
  });
  if (name !== undefined) return all.filter(({ metadata }) => metadata.name === name);
  const wanted = Object.entries(asRecord(dig(workers, 'selector', 'matchLabels')) ?? {});
  return wanted.length === 0
    ? []
    : all.filter(({ metadata: { labels = {} } }) =>
        wanted.every(([key, value]) => labels[key] === value),
      );
}
