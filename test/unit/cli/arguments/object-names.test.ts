// Are objects of ours named as users of kubectl name them?
import { describe, expect, it } from '@jest/globals';
import { parseCommand } from '../../../../src/cli/arguments/command.ts';
import { commands } from '../../../../src/cli/commands/all.ts';

const shapes = commands.map(({ shape }) => shape);

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
      'swarmqueue/batch is no SwarmJob; queues have commands of their own: swarmctl queue',
    ],
    ['status', 'swj/tv', 'swj/tv is no SwarmPool; jobs have commands of their own: swarmctl job'],
    [
      'status',
      'swarmgroup/tv',
      'swarmgroup/tv is no SwarmPool; groups have commands of their own: swarmctl group',
    ],
    [
      'group status',
      'pool/tv',
      'pool/tv is no SwarmGroup; pools have commands of their own: swarmctl status',
    ],
    [
      'status',
      'deployment/tv',
      'deployment/tv is no SwarmPool; POOL or swarmpool/POOL is expected, with -n NAMESPACE where it is in another namespace',
    ],
    ['group plan', 'swarm/tv', 'swarm/tv is no SwarmGroup; GROUP or swarmgroup/GROUP is expected'],
    ['status', 'pool/', 'pool/ is no SwarmPool'],
    ['status', 'pool/a/b', 'pool/a/b is no SwarmPool'],
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
