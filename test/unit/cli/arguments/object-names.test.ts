// Are objects of ours named as users of kubectl name them?
import { describe, expect, it } from '@jest/globals';
import { parseCommand } from '../../../../src/cli/arguments/command.ts';
import { loadCommands } from '../../../../src/cli/commands/all.ts';

const shapes = (await loadCommands()).map(({ shape }) => shape);

const operandsOf = (name: string, ...args: readonly string[]): unknown => {
  const shape = shapes.find((it) => it.name === name);
  if (shape === undefined) throw new Error(`there is no command ${name}`);
  const parsed = parseCommand(shape, args);
  return parsed.wants === 'run' ? parsed.operands : parsed;
};

describe('an operand', () => {
  it.each([
    'tv',
    'swarmpool/tv',
    'swarmpools/tv',
    'SwarmPool/tv',
    'swp/tv',
    'pool/tv',
    'pools/tv',
    'swarmpool.k8slab.info/tv',
    'swarmpools.v1alpha1.k8slab.info/tv',
  ])('the operand %s names the pool tv', (name) => {
    expect(operandsOf('status', name)).toEqual(['tv']);
    expect(operandsOf('logs', name, 'pool/cars')).toEqual(['tv', 'pool/cars']);
  });

  it.each(['swarmgroup/tv', 'swarmgroups/tv', 'swg/tv', 'group/tv', 'groups/tv'])(
    'the operand %s names the group tv',
    (name) => {
      expect(operandsOf('group status', name)).toEqual(['tv']);
      const experiment = operandsOf('group experiment', 'web', name, '--sizes', '1,2');
      expect(experiment).toEqual(['web', 'tv']);
    },
  );

  it.each(['swarmjob/lammps', 'swarmjobs/lammps', 'swj/lammps', 'job/lammps'])(
    'the operand %s names the job lammps',
    (name) => expect(operandsOf('job why', name)).toEqual(['lammps']),
  );

  it.each([
    [
      'job why',
      'swarmqueue/batch',
      'swarmqueue/batch is not a SwarmJob; for queues use: swarmctl queue',
    ],
    ['status', 'swj/tv', 'swj/tv is not a SwarmPool; for jobs use: swarmctl job'],
    ['status', 'swarmgroup/tv', 'swarmgroup/tv is not a SwarmPool; for groups use: swarmctl group'],
    ['group status', 'pool/tv', 'pool/tv is not a SwarmGroup; for pools use: swarmctl status'],
    [
      'status',
      'deployment/tv',
      'deployment/tv is not a SwarmPool; expected POOL or swarmpool/POOL; use -n NAMESPACE for another namespace',
    ],
    ['group plan', 'swarm/tv', 'swarm/tv is not a SwarmGroup; expected GROUP or swarmgroup/GROUP'],
    ['status', 'pool/', 'pool/ is not a SwarmPool'],
    ['status', 'pool/a/b', 'pool/a/b is not a SwarmPool'],
  ])('the command %s refuses the operand %s', (command, name, problem) => {
    expect(operandsOf(command, name)).toEqual({
      wants: 'correction',
      problems: [expect.stringContaining(problem)],
    });
  });

  it('every operand for an object of ours accepts its kind in front', () => {
    const taking = shapes.filter(({ operands: { usage } }) => kindWord.test(usage));
    expect(taking.length).toBeGreaterThan(17);
    for (const { name, operands } of taking) {
      const kind = `swarm${kindWord.exec(operands.usage)?.[0].toLowerCase()}`;
      const more = [
        ...(operands.usage.includes('STREAM') ? ['cars'] : []),
        ...(operands.usage.includes(' WORKER') ? ['tv-1'] : []),
      ];
      expect([name, operandsOf(name, `${kind}/tv`, ...more, ...sizes(name))]).toEqual([
        name,
        ['tv', ...more],
      ]);
    }
  });
});

const kindWord = /\b(?:POOL|GROUP|QUEUE|JOB)\b/;

const sizes = (name: string): readonly string[] =>
  name === 'group experiment' ? ['--sizes', '1,2'] : [];
