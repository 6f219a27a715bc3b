// When the API server serves the definitions that were just applied.
import { asList, dig } from '../../src/api/objects.ts';
import { eventually } from './processes.ts';

/**
 * `kubectl wait` fails on a definition so new that it has no conditions yet; and one that is
 * established is known by its name a little later.
 */
export async function definitionsServed(
  kubectl: (...args: readonly string[]) => Promise<string>,
): Promise<void> {
  await eventually('all definitions are served', async () => {
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
