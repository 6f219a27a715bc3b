// Which operators run in a cluster, and what do they work for? They write that on their Leases.
import { kinds } from '../../api/kinds.ts';
import { asList, asNumber, asString, dig, type KubeObject } from '../../api/objects.ts';
import { errorText, oneLine, parseJson } from '../../api/text.ts';
import { ANNOTATION_KINDS } from '../../core/labels.ts';
import {
  HOME_NAMESPACE,
  isRenewedAt,
  leasedOperator,
  namespacesText,
} from '../../core/operators.ts';
import { plural } from '../../core/text.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import { type ClusterValues, withCluster } from './connect.ts';

/** A user who asks for the version does not wait long for a cluster. */
const TIMEOUT_MS = 3_000;
const MOST_KINDS = 20;
/** Of the namespaces that an operator cannot read. */
const MOST_NAMED = 10;

type KindText = { readonly kind: string; readonly state: string; readonly why?: string };

export type OperatorText = {
  /** Empty: none. */
  readonly leader: string;
  /** Namespace and name. */
  readonly lease: string;
  /** `all`, or a list. */
  readonly namespaces: string;
  readonly runsAs?: string;
  readonly kinds: readonly KindText[];
};

export type OperatorsText =
  | { readonly operators: readonly OperatorText[] }
  | { readonly problem: string };

export async function askOperators(values: ClusterValues): Promise<OperatorsText> {
  try {
    return await withCluster(values, async ({ api }) => {
      const found = await listLeases(api, values.namespace);
      const operators = operatorsIn(found.leases, Date.now());
      return operators.length === 0 ? { problem: found.none } : { operators };
    });
  } catch (error) {
    const isForbidden = hasCode(error, 'Forbidden');
    const missing = "missing permission to list Leases in the operator's namespace: ";
    return { problem: `${isForbidden ? missing : ''}${errorText(error)}` };
  }
}

type Found = { readonly leases: readonly KubeObject[]; readonly none: string };

/** Of all namespaces, or where this user may not, of the one that the manifests make. */
async function listLeases(api: KubeApi, namespace: string | undefined): Promise<Found> {
  const list = async (where: string | undefined): Promise<readonly KubeObject[]> =>
    (await api.list(kinds.Lease, where, {}, { timeoutMs: TIMEOUT_MS })).items;
  const noneIn = (where: string): string =>
    `no Lease of an operator in namespace ${where}; use --namespace for another namespace`;
  if (namespace !== undefined) return { leases: await list(namespace), none: noneIn(namespace) };
  try {
    return { leases: await list(undefined), none: 'no Lease of an operator in any namespace' };
  } catch (error) {
    if (!hasCode(error, 'Forbidden')) throw error;
    return { leases: await list(HOME_NAMESPACE), none: noneIn(HOME_NAMESPACE) };
  }
}

/**
 * Those that lead; where none does, the Leases without a leader. An annotation that cannot be read
 * counts as empty.
 */
export function operatorsIn(leases: readonly KubeObject[], now: number): readonly OperatorText[] {
  const operators = leases
    .flatMap((lease) => operatorOf(lease, now) ?? [])
    .toSorted((a, b) => (a.lease < b.lease ? -1 : 1));
  const leading = operators.filter(({ leader }) => leader !== '');
  return leading.length > 0 ? leading : operators;
}

function operatorOf(lease: KubeObject, now: number): OperatorText | undefined {
  const operator = leasedOperator(lease);
  if (operator === undefined) return undefined;
  const { holder, namespaces, runsAs } = operator;
  return {
    leader: isRenewedAt(lease, now) ? holder : '',
    lease: operator.lease,
    namespaces: namespacesText(namespaces),
    ...(runsAs !== undefined && { runsAs }),
    kinds: kindsOn(lease),
  };
}

/** A user who may write Leases anywhere may write any text on one. */
const kindsOn = ({ metadata }: KubeObject): readonly KindText[] =>
  asList(parseJson(metadata.annotations?.[ANNOTATION_KINDS]))
    .slice(0, MOST_KINDS)
    .flatMap((it) => {
      const [kind, state] = [asString(dig(it, 'kind')), asString(dig(it, 'state'))];
      const why = asString(dig(it, 'message')) ?? unreadableText(it);
      return kind === undefined || state === undefined
        ? []
        : [
            {
              kind: oneLine(kind),
              state: oneLine(state),
              ...(why !== undefined && { why: oneLine(why) }),
            },
          ];
    });

/** Undefined: the operator can read all namespaces that it watches. */
function unreadableText(report: unknown): string | undefined {
  const first = asList(dig(report, 'unreadable', 'first')).slice(0, MOST_NAMED);
  if (first.length === 0) return undefined;
  const count = asNumber(dig(report, 'unreadable', 'count')) ?? first.length;
  const texts = first.map(
    (it) => `${asString(dig(it, 'namespace'))}: ${asString(dig(it, 'message'))}`,
  );
  const all = [...texts, ...(count > texts.length ? ['…'] : [])].join('; ');
  return `at rest in ${plural(count, 'namespace')} that cannot be read: ${all}`;
}
