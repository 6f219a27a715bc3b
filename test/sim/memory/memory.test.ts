// Does the operator forget what has gone? Names, labels, annotations, texts and UIDs that a tenant
// makes up, so that no tenant can fill its memory with objects that come and go.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { asNumber, dig } from '../../../src/api/objects.ts';

const churn = fileURLToPath(new URL('./churn.ts', import.meta.url));

it("the operator's memory has nothing left of sixty rounds of objects that came and went", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [churn]);
  const told: unknown = JSON.parse(stdout);
  expect(asNumber(dig(told, 'writes'))).toBeGreaterThan(1_000);
  expect(dig(told, 'left')).toEqual({});
});
