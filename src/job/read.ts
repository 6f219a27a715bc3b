// What has to be read before a job is observed? The ledger of its namespace, once for each version.
import { ledgerName, type QueueLedger } from '../api/ledger.ts';
import { ledgerIn } from '../core/ledgers.ts';
import type { ConfigMaps } from '../runtime/store/config-maps.ts';

/** Undefined: there is none, as far as the watch knows, or somebody edited it. */
export async function readLedgerOf(
  configMaps: Pick<ConfigMaps, 'get'>,
  ledgerNamespace: string,
  namespace: string,
): Promise<QueueLedger | undefined> {
  const found = await configMaps.get({ namespace: ledgerNamespace, name: ledgerName(namespace) });
  const ledger = found && ledgerIn(found);
  return ledger?.isEdited === false ? ledger : undefined;
}
