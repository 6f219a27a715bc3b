// What does the operator of a cluster work for? It writes that on its Lease.
import { kinds } from '../../api/kinds.ts';
import { asList, asString, dig, type KubeObject } from '../../api/objects.ts';
import { errorText, parseJson } from '../../api/text.ts';
import { ANNOTATION_KINDS } from '../../core/labels.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import { type ClusterValues, withCluster } from './connect.ts';

/** A user who asks for the version does not wait long for a cluster. */
const TIMEOUT_MS = 3_000;

type KindText = { readonly kind: string; readonly state: string; readonly why?: string };

export type OperatorText =
  | { readonly leader: string; readonly kinds: readonly KindText[] }
  | { readonly problem: string };

export async function askOperator(values: ClusterValues): Promise<OperatorText> {
  try {
    return await withCluster(values, async ({ api, namespace }) => {
      const { items } = await api.list(kinds.Lease, namespace, {}, { timeoutMs: TIMEOUT_MS });
      return operatorIn(items, namespace);
    });
  } catch (error) {
    const isForbidden = hasCode(error, 'Forbidden');
    const missing = "missing permission to list Leases in the operator's namespace: ";
    return { problem: `${isForbidden ? missing : ''}${errorText(error)}` };
  }
}

/**
 * The Lease is found by the annotation that the operator writes on it: --lease-name may give it any
 * name. An annotation that cannot be read counts as empty.
 */
export function operatorIn(leases: readonly KubeObject[], namespace: string): OperatorText {
  const marked = leases.filter(({ metadata }) => metadata.annotations?.[ANNOTATION_KINDS]);
  const lease = marked.find((it) => leaderOf(it) !== '') ?? marked[0];
  if (lease === undefined)
    return {
      problem: `no Lease of an operator in namespace ${namespace}; use --namespace for another namespace`,
    };
  return {
    leader: leaderOf(lease),
    kinds: asList(parseJson(lease.metadata.annotations?.[ANNOTATION_KINDS])).flatMap((it) => {
      const [kind, state] = [asString(dig(it, 'kind')), asString(dig(it, 'state'))];
      const why = asString(dig(it, 'message'));
      return kind === undefined || state === undefined
        ? []
        : [{ kind, state, ...(why !== undefined && { why }) }];
    }),
  };
}

const leaderOf = (lease: KubeObject): string =>
  asString(dig(lease, 'spec', 'holderIdentity')) ?? '';
