// When does the API server serve CRDs that were just applied?
import { asList, dig } from '../../src/api/objects.ts';
import { eventually } from './processes.ts';

/**
 * `kubectl wait` fails on a CRD so new that it has no conditions yet; and discovery lists an
 * established CRD only a little later.
 */
export async function definitionsServed(
  kubectl: (...args: readonly string[]) => Promise<string>,
): Promise<void> {
  await eventually('all CRDs are served', async () => {
    const definitions = asList(dig(JSON.parse(await kubectl('get', 'crd', '-o', 'json')), 'items'));
    if (definitions.length === 0 || !definitions.every(isEstablished)) return false;
    const names = definitions.map((definition) => dig(definition, 'metadata', 'name')).join();
    return kubectl('get', names, '--all-namespaces').then(
      () => true,
      () => false,
    );
  });
}

function isEstablished(definition: unknown): boolean {
  const conditions = asList(dig(definition, 'status', 'conditions'));
  return conditions.some(
    (condition) => dig(condition, 'type') === 'Established' && dig(condition, 'status') === 'True',
  );
}
