// Which processes of a worker under trial are left when it has ended?
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { Subject } from '../../../src/conformance/subject.ts';
import { eventually } from '../../support/processes.ts';

/** While this file exists, the process that is left runs on. */
const folder = mkdtempSync(path.join(tmpdir(), 'subject-'));

afterAll(() => rmSync(folder, { recursive: true }));

async function ended(command: string): Promise<Subject> {
  const subject = await Subject.start(command, 'open');
  await eventually('the worker has ended', () => subject.hasEnded);
  return subject;
}

it('worker-check finds a process that outlives the worker', async () => {
  const subject = await ended(`sh -c 'while [ -e ${folder} ]; do sleep 0.05; done' & exit 0`);
  expect(subject.hasLeftovers).toBe(true);
  await subject.remove();
  await eventually('it is ended as well', () => !subject.hasLeftovers);
});

it('worker-check ignores zombies of a worker that has ended', async () => {
  const parent = `import os, time
if os.fork() == 0: os._exit(0)
os.setsid()
while os.path.exists("${folder}"): time.sleep(0.05)`;
  const subject = await ended(`python3 -c '${parent}' & exit 0`);
  await eventually('only a zombie is left in its group', () => !subject.hasLeftovers);
  await subject.remove();
});
