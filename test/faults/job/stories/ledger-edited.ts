// The ledger is deleted, edited, and replaced by an earlier text while a job runs and another one
// waits.

import { fingerprint } from '../../../../src/api/fingerprint.ts';
import { kinds } from '../../../../src/api/kinds.ts';
import { ledgerName } from '../../../../src/api/ledger.ts';
import { asRecord, dig } from '../../../../src/api/objects.ts';
import { type JobCell, LEDGERS } from '../job-cell.ts';
import { type JobFault, one } from '../job-faults.ts';

type Data = Readonly<Record<string, unknown>>;

export const ledgerEdited: JobFault = {
  replicas: one,
  quota: 2,
  inject: async (cell) => {
    await cell.submit('zeroth');
    await cell.until('zeroth', 'Running');
    const earlier = await dataOf(cell);
    await cell.finish('zeroth');
    await cell.submit('first');
    await cell.until('first', 'Running');
    await cell.submit('second');
    await cell.until('second', 'Waiting');
    await cell.swarm.api.delete(kinds.ConfigMap, refOf(cell));
    await hasOnlyFirst(cell);
    const { 'ledger.json': text } = await dataOf(cell);
    const without = String(text).replace(/\n\{.*\}/, '');
    await write(cell, { 'ledger.json': without });
    await hasOnlyFirst(cell);
    await write(cell, { 'ledger.json': 'not JSON' });
    await hasOnlyFirst(cell);
    await write(cell, { 'ledger.json': without, digest: fingerprint(without) });
    await hasOnlyFirst(cell);
    await write(cell, earlier);
    await hasOnlyFirst(cell);
  },
  settle: async (cell) => {
    await cell.finish('first');
    await cell.until('second', 'Running');
    await cell.finish('second');
    for (const name of ['zeroth', 'first', 'second']) await cell.mustHave(name, 1, 0);
  },
};

const refOf = ({ namespace }: JobCell) => ({ namespace: LEDGERS, name: ledgerName(namespace) });

async function dataOf(cell: JobCell): Promise<Data> {
  const ledger = await cell.swarm.api.get(kinds.ConfigMap, refOf(cell));
  return asRecord(dig(ledger, 'data')) ?? {};
}

const write = (cell: JobCell, data: Data) =>
  cell.swarm.api.patch(kinds.ConfigMap, refOf(cell), { type: 'merge', body: { data } });

async function hasOnlyFirst(cell: JobCell): Promise<void> {
  await cell.eventually('the ledger has the job that runs', async () => {
    const { entries = [], isEdited } = (await cell.ledger()) ?? {};
    return isEdited === false && entries.map(({ name }) => name).join() === 'first';
  });
  await cell.mustHave('first', 1, 0);
  await cell.until('first', 'Running');
  await cell.until('second', 'Waiting');
}
