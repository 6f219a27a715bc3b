// What does a user type to change a pool?
import { NAMESPACE, type PoolName } from '../cluster/sample.ts';

export type Edit =
  | { readonly remove: number }
  | { readonly add: { readonly name: string; readonly weight?: number } };

export const scale = (what: string, replicas: number): readonly string[] => [
  '-n',
  NAMESPACE,
  'scale',
  what,
  `--replicas=${replicas}`,
];

/** Of the pool's list: streams are removed by their place in it, and added at its end. */
export function edit(pool: PoolName, edits: readonly Edit[]): readonly string[] {
  const operations = edits.map((it) =>
    'remove' in it
      ? { op: 'remove', path: `/spec/streams/${it.remove}` }
      : { op: 'add', path: '/spec/streams/-', value: it.add },
  );
  const lines = operations.map((operation) => `  ${JSON.stringify(operation)}`);
  return [
    '-n',
    NAMESPACE,
    'patch',
    `swarmpool/${pool}`,
    '--type=json',
    '-p',
    `[\n${lines.join(',\n')}\n]`,
  ];
}
