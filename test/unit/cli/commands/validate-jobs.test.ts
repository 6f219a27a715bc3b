// Does swarmctl refuse the queues and jobs that the API server would refuse?
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Problem } from '../../../../src/api/own-object.ts';
import { validate } from '../../../../src/cli/commands/validate.ts';
import { checkSpec, definitions } from '../../../../src/cli/validate/check.ts';
import { jobRefusals, jobSpec } from '../../../support/job-refusals.ts';
import { queueRefusals } from '../../../support/queue-refusals.ts';
import type { Refused, Spec } from '../../../support/refusals.ts';
import { Files, ran } from '../ran.ts';

const files = new Files();
afterAll(() => files.remove());

type Told = { readonly code: number; readonly stdout: string };

const offline = (kind: string, spec: Spec, name = 'lammps'): Promise<Told> => {
  const object = { apiVersion: 'k8slab.info/v1alpha1', kind, metadata: { name }, spec };
  return ran(validate, files.write('object.yaml', JSON.stringify(object)));
};

const messagesIn = (definition: object): readonly string[] =>
  [...JSON.stringify(definition).matchAll(/"message":"((?:[^"\\]|\\.)*)"/g)].map(
    ([, message = '']) => JSON.parse(`"${message}"`) as string,
  );

describe.each<['SwarmQueue' | 'SwarmJob', readonly Refused[], readonly string[]]>([
  // These have messages of their own; the names stand in rows beside the tables.
  ['SwarmQueue', queueRefusals, ["a queue's name has at most 63 characters, since labels hold it"]],
  [
    'SwarmJob',
    jobRefusals,
    [
      "a job's name names a Service and hosts: a small letter first, then small letters, digits and '-', at most 54 characters, and no '-' at the end",
      'what an admitted job is made of cannot be changed; suspend it first',
      'a field is given here and in the container main of template.spec.containers',
      'deadlineSignalSeconds has to be smaller than activeDeadlineSeconds',
      'template.spec.terminationGracePeriodSeconds is larger than deadlineSignalSeconds',
      'restartPolicy, hostname, subdomain, setHostnameAsFQDN, hostnameOverride, parallelism, completions, completionMode and backoffLimit belong to the operator: leave them out',
    ],
  ],
])('a %s is refused offline as by the API server', (kind, refusals, beside) => {
  it.each(
    refusals.map(([title, spec, message, words]) => ({ title, spec, message: words ?? message })),
  )('$title', async ({ spec, message }) => {
    const { code, stdout } = await offline(kind, spec);
    expect(stdout).toContain(message);
    expect(stdout).not.toContain('evaluating rule');
    expect(code).toBe(1);
  });

  it('and each rule of the definition is broken by a row', async () => {
    const all = await Promise.all(refusals.map(([, spec]) => offline(kind, spec)));
    const text = all.map(({ stdout }) => stdout).join('');
    const missing = messagesIn(definitions[kind]).filter((it) => !text.includes(it));
    expect([...new Set(missing)]).toEqual(beside);
  });
});

it.each([
  ['SwarmQueue', 'x'.repeat(64), { quota: {} }, "a queue's name has at most 63 characters"],
  ['SwarmJob', '3d', jobSpec(), 'metadata.name 3d is not allowed: it names a Service and hosts'],
])('a %s called %s is refused', async (kind, name, spec, message) => {
  expect((await offline(kind, spec, name)).stdout).toContain(message);
});

it.each(['swarmqueue', 'swarmjob'])('nothing is wrong with the whole %s', async (file) => {
  const text = readFileSync(`test/integration/queue/${file}.yaml`, 'utf8');
  const { code, stdout } = await ran(validate, files.write('whole.yaml', text));
  expect(stdout).toMatch(/^1 Swarm\w+, no errors\n$/);
  expect(code).toBe(0);
});

it('any field of a pod and of a container is known, and a misspelt field of the job is not', async () => {
  const spec = { nodeSelector: { a: 'b' }, containers: [{ name: 'main', tty: true }] };
  const { stdout } = await offline('SwarmJob', jobSpec({ template: { spec, sepc: {} }, sise: 2 }));
  expect(stdout).toContain('spec.template.sepc: unknown field; did you mean spec?');
  expect(stdout).toContain('spec.sise: unknown field; did you mean size?');
  expect(stdout).toContain('1 SwarmJob, 2 errors');
});

describe('an edit of a job that is', () => {
  const metadata = { name: 'lammps' };
  const { spec } = checkSpec('SwarmJob', { metadata, spec: jobSpec() });
  const edit = { metadata, spec: jobSpec({ image: 'alpine', size: 2, suspend: true }) };
  const problemsIn = (state: string): readonly Problem[] =>
    checkSpec('SwarmJob', edit, { metadata, spec, status: { state } }).problems;

  it('Running is refused', () => {
    expect(problemsIn('Running')).toEqual([
      { field: '', message: 'the job is Running; suspend it before you change: size image' },
    ]);
  });

  it.each(['Waiting', 'Suspended'])('%s is taken', (state) => {
    expect(problemsIn(state)).toEqual([]);
  });
});
