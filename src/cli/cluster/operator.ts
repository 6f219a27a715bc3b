// What does the operator of a cluster say of itself? It writes that on its Lease.
import { errorText } from '../../api/error-text.ts';
import { kinds } from '../../api/kinds.ts';
import { asList, asString, dig, type KubeObject } from '../../api/objects.ts';
import { ANNOTATION_KINDS } from '../../core/labels.ts';
import { type ClusterValues, withCluster } from './connect.ts';

/** As --lease-name, where that is left out. */
const LEASE_NAME = 'swarm-operator';
/** Whoever asks for a version does not wait long for a cluster. */
const LONGEST_MS = 3_000;

export type KindText = { readonly kind: string; readonly state: string; readonly why?: string };

export type OperatorText =
  | { readonly leader: string; readonly kinds: readonly KindText[] }
  | { readonly problem: string };

export async function askOperator(values: ClusterValues): Promise<OperatorText> {
  try {
    return await withCluster(values, async ({ api, namespace }) => {
      const ref = { namespace, name: LEASE_NAME };
      return operatorIn(await api.get(kinds.Lease, ref, { timeoutMs: LONGEST_MS }));
    });
  } catch (error) {
    return { problem: errorText(error) };
  }
}

/** What somebody else wrote there instead says nothing. */
export function operatorIn(lease: KubeObject): OperatorText {
  const leader = asString(dig(lease, 'spec', 'holderIdentity')) ?? '';
  return {
    leader,
    kinds: kindsIn(lease.metadata.annotations?.[ANNOTATION_KINDS] ?? '[]').flatMap((it) => {
      const [kind, state] = [asString(dig(it, 'kind')), asString(dig(it, 'state'))];
      const why = asString(dig(it, 'message'));
      return kind === undefined || state === undefined
        ? []
        : [{ kind, state, ...(why !== undefined && { why }) }];
    }),
  };
}

function kindsIn(text: string): readonly unknown[] {
  try {
    return asList(JSON.parse(text));
  } catch {
    return [];
  }
}
