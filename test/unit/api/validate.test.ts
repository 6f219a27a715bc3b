// How does a message describe a spec that breaks the schema?
import { expect, it } from '@jest/globals';
import { parseSwarmPool } from '../../../src/api/validate.ts';

it.each([
  ['a value that would end the line', { overcommit: '\u2028\u007f' }],
  ['a field that would end the line', { workers: { selector: { matchLabels: { 'a\nb': 1 } } } }],
  ['a field that is long', { workers: { selector: { matchLabels: { ['x'.repeat(5_000)]: 1 } } } }],
])('a spec with %s is refused in one line of bounded length', (_, spec) => {
  const pool = parseSwarmPool({
    apiVersion: '',
    kind: 'SwarmPool',
    metadata: { name: 'tv' },
    spec,
  });
  if (pool.spec.ok) throw new Error('it is taken');
  for (const { field, message } of pool.spec.problems)
    expect(`${field}: ${message}`).toMatch(/^[^\p{Cc}\u2028\u2029]{10,1000}$/u);
});
