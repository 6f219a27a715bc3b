// Does `job render` print what the operator would make, or why it would make nothing?
import { afterAll, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { dig } from '../../../../../src/api/objects.ts';
import { jobRender } from '../../../../../src/cli/commands/job/render.ts';
import { jobObject, queueObject } from '../../job-object.ts';
import { Files, ran } from '../../ran.ts';

const files = new Files();
afterAll(() => files.remove());

const rendered = (...objects: readonly object[]) =>
  ran(
    jobRender,
    '-f',
    files.write('job.yaml', objects.map((it) => JSON.stringify(it)).join('\n---\n')),
  );

it('job render prints the Service, the hosts and the Indexed Job of a gang', async () => {
  const { code, stdout } = await rendered(jobObject());
  const made = loadAll(stdout);
  expect(made.map((it) => [dig(it, 'kind'), dig(it, 'metadata', 'name')])).toEqual([
    ['Service', 'lammps'],
    ['ConfigMap', 'lammps-hosts'],
    ['Job', 'lammps'],
  ]);
  expect(made[2]).toMatchObject({
    spec: { suspend: true, completions: 2, template: { spec: { containers: [{ image: 'lmp' }] } } },
  });
  expect(code).toBe(0);
});

it('job render prints the Job alone for one rank, with the deadline of its queue', async () => {
  const queue = queueObject({ spec: { jobDefaults: { activeDeadlineSeconds: 60 } } });
  const { stdout } = await rendered(jobObject({ spec: { size: 1 } }), queue);
  expect(loadAll(stdout)).toMatchObject([{ kind: 'Job', spec: { activeDeadlineSeconds: 61 } }]);
  expect(
    stdout.split('\n').filter((line) => line.includes('Deadline') || line.includes('#')),
  ).toEqual([
    '  # A second more than the deadline of 60 s, so that the operator, which says why, comes first.',
    '  activeDeadlineSeconds: 61',
  ]);
});

it('job render prints the Job whose pods are told to end before the deadline', async () => {
  const jobDefaults = { activeDeadlineSeconds: 60, deadlineSignalSeconds: 20 };
  const queue = queueObject({ spec: { jobDefaults } });
  const { stdout } = await rendered(jobObject({ spec: { size: 1 } }), queue);
  expect(loadAll(stdout)).toMatchObject([
    {
      metadata: { annotations: { 'k8slab.info/signal-seconds': '20' } },
      spec: {
        activeDeadlineSeconds: 41,
        template: { spec: { terminationGracePeriodSeconds: 20 } },
      },
    },
  ]);
  expect(stdout).toContain(
    '  # A second more than the deadline of 60 s without the last 20 s, in which the pods end, so that the operator, which says why, comes first.\n',
  );
});

it('job render comments on no deadline where there is none', async () => {
  const template = { spec: { activeDeadlineSeconds: 5 } };
  const { stdout } = await rendered(jobObject({ spec: { template } }));
  expect(stdout).toContain('      activeDeadlineSeconds: 5\n');
  expect(stdout).not.toContain('#');
});

it.each<[string, object, string]>([
  ['a wrong field', { size: 0 }, 'SwarmJob lammps: spec.size must be >= 1 (found 0)\n'],
  [
    'a volume of the operator',
    {
      template: { spec: { volumes: [{ name: 'k8slab-run', emptyDir: {} }] } },
      launcher: { type: 'Flux' },
    },
    'SwarmJob lammps: TemplateConflict: a volume is named k8slab-run, as that of the operator: give it another name\n',
  ],
])('job render prints nothing of a job with %s, and says what is wrong', async (_, spec, says) =>
  expect(await rendered(jobObject({ spec }))).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(says),
  }),
);

it('job render needs a file with a SwarmJob', async () => {
  expect(await ran(jobRender)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--file'),
  });
  expect(await rendered(queueObject())).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no SwarmJob is in '),
  });
});
