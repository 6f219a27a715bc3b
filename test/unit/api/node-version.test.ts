// Is an older Node refused in one sentence, by the range that both packages name?
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { oldNodeProblem } from '../../../src/api/node-version.ts';

it.each([
  ['20.20.2', 'swarmctl needs Node.js 22.19 or newer; this is 20.20.2'],
  ['22.18.9', 'swarmctl needs Node.js 22.19 or newer; this is 22.18.9'],
  ['22.19.0', undefined],
  ['24.0.0', undefined],
])('oldNodeProblem refuses Node.js %s where it is older than 22.19', (version, problem) =>
  expect(oldNodeProblem('swarmctl', version)).toBe(problem),
);

it.each(['package.json', 'src/worker/package.json'])(
  'the oldest Node.js that is accepted is the one that %s names',
  (file) => {
    const { engines } = JSON.parse(readFileSync(file, 'utf8')) as { engines: { node: string } };
    const least = engines.node.replace('>=', '');
    expect(oldNodeProblem('x', `${least}.0`)).toBeUndefined();
    expect(oldNodeProblem('x', '22.18.0')).toContain(`needs Node.js ${least} or newer`);
  },
);

/** A Node that takes itself for an older one, and has no zstd, which undici looks for. */
const older = `data:text/javascript,
  import zlib from 'node:zlib';
  import { syncBuiltinESMExports } from 'node:module';
  const versions = { ...process.versions, node: '20.1.0' };
  Object.defineProperty(process, 'versions', { value: versions });
  delete zlib.createZstdDecompress;
  syncBuiltinESMExports();`;

it.each([
  ['swarm-operator', 'src/main.ts'],
  ['swarm-worker', 'src/worker/main.ts'],
  ['swarmctl', 'src/cli/swarmctl.ts'],
  ['kubectl_complete-swarm', 'src/cli/kubectl-complete.ts'],
])('%s refuses an older Node.js in one sentence before anything else fails', (program, file) =>
  expect(
    spawnSync(process.execPath, ['--import', older, file, '--help'], { encoding: 'utf8' }),
  ).toMatchObject({
    status: 2,
    stdout: '',
    stderr: `${program} needs Node.js 22.19 or newer; this is 20.1.0\n`,
  }),
);
