// What must be read before a namespace is observed? Its ledger, at least at the version that the
// watch has reported.
import type { QueueLedger } from '../api/ledger.ts';
import type { Ref } from '../api/objects.ts';
import { ledgerIn } from '../core/ledgers.ts';
import type { ConfigMaps } from '../runtime/store/config-maps.ts';

export async function readLedger(
  configMaps: Pick<ConfigMaps, 'get'>,
  ref: Ref,
): Promise<QueueLedger | undefined> {
  const configMap = await configMaps.get(ref);
  return configMap && ledgerIn(configMap);
}
