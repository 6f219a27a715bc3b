// Does kubectl read YAML as swarmctl believes? The same documents as in
// test/unit/cli/files/kubectl-yaml.test.ts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { documentOf, kubectlDocuments } from '../../support/kubectl-documents.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;
const folder = mkdtempSync(path.join(tmpdir(), 'swarm-yaml-'));
const file = path.join(folder, 'document.yaml');

beforeAll(async () => {
  swarm = await Swarm.start();
});

afterAll(async () => {
  await swarm?.stop();
  rmSync(folder, { recursive: true });
});

it.each(kubectlDocuments)('kubectl reads %s', async (_, fields, want) => {
  writeFileSync(file, documentOf(fields));
  const flags = ['--dry-run=client', '--validate=false', '-o', 'json'];
  const read = swarm.kubectl('create', ...flags, '-f', file);
  if (want === undefined) await expect(read).rejects.toThrow();
  else expect(JSON.parse(await read)).toMatchObject(want);
});
