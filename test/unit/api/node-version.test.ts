// Is an older Node refused in one sentence, by the range that both packages name?
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { oldNodeProblem } from '../../../src/api/node-version.ts';

it.each([
  ['20.20.2', 'swarmctl needs Node.js 22.19 or newer; this is 20.20.2'],
  ['22.18.9', 'swarmctl needs Node.js 22.19 or newer; this is 22.18.9'],
  ['22.19.0', undefined],
  ['24.0.0', undefined],
])('%s', (version, problem) => expect(oldNodeProblem('swarmctl', version)).toBe(problem));

it.each(['package.json', 'src/worker/package.json'])('is what %s says', (file) => {
  const { engines } = JSON.parse(readFileSync(file, 'utf8')) as { engines: { node: string } };
  const least = engines.node.replace('>=', '');
  expect(oldNodeProblem('x', `${least}.0`)).toBeUndefined();
  expect(oldNodeProblem('x', '22.18.0')).toContain(`needs Node.js ${least} or newer`);
});
