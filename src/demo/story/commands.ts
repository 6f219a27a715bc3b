// The kubectl commands that change a pool.
import { NAMESPACE, type PoolName } from '../cluster/sample.ts';

type Edit =
  | { readonly remove: number }
  | { readonly add: { readonly name: string; readonly weight?: number } };

const inNamespace = ['-n', NAMESPACE];

export const scale = (what: string, replicas: number): readonly string[] => [
  ...inNamespace,
  'scale',
  what,
  `--replicas=${replicas}`,
];

/** Of the pool's list: streams are removed by their index, and added at its end. */
export function edit(pool: PoolName, edits: readonly Edit[]): readonly string[] {
  const lines = edits.map((it) =>
    JSON.stringify(
      'remove' in it
        ? { op: 'remove', path: `/spec/streams/${it.remove}` }
        : { op: 'add', path: '/spec/streams/-', value: it.add },
    ),
  );
  const patch = `[\n${lines.map((line) => `  ${line}`).join(',\n')}\n]`;
  return [...inNamespace, 'patch', `swarmpool/${pool}`, '--type=json', '-p', patch];
}
