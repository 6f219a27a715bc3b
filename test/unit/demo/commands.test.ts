import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { typed } from '../../../src/demo/cluster/kubectl.ts';
import { edit, scale } from '../../../src/demo/story/commands.ts';

describe('a command of the demo', () => {
  it('the demo shows a command as a user would type it', () => {
    expect(typed(scale('swarmpool/market', 5))).toBe(
      'kubectl -n swarm scale swarmpool/market --replicas=5',
    );
    expect(typed(edit('tv', [{ remove: 0 }, { add: { name: 'a', weight: 60 } }]))).toBe(
      `kubectl -n swarm patch swarmpool/tv --type=json -p '[
  {"op":"remove","path":"/spec/streams/0"},
  {"op":"add","path":"/spec/streams/-","value":{"name":"a","weight":60}}
]'`,
    );
  });

  it.each([[['a b', "it's", '$HOME', '', 'x=1;y']], [edit('tv', [{ add: { name: "o'brien" } }])]])(
    'a shell parses the shown command back into the arguments %j',
    (args) => {
      const { stdout } = spawnSync(
        'sh',
        ['-c', `kubectl() { printf '%s\\0' "$@"; }; ${typed(args)}`],
        { encoding: 'utf8' },
      );
      expect(stdout.split('\0').slice(0, -1)).toEqual(args);
    },
  );
});
