// What a control plane has on it before a test begins: all that the operator's Deployment would
// find.
import { definitionsServed } from '../../../support/definitions.ts';

const repository = new URL('../../../../', import.meta.url).pathname;

const manifests = [
  'crds',
  ...[
    'namespace',
    'rbac',
    'rights/pools',
    'rights/groups',
    'rights/queues',
    'rights/jobs',
    'ledgers',
    'admission',
    'admission-jobs',
    'admission-job-authors',
    'admission-job-users',
  ].map((name) => `deploy/${name}.yaml`),
];

export async function applyManifests(
  kubectl: (...args: readonly string[]) => Promise<string>,
): Promise<void> {
  await kubectl('apply', ...manifests.flatMap((file) => ['-f', `${repository}${file}`]));
  await definitionsServed(kubectl);
}
