// Which kinds can the members of a group have? Three that the operator knows, and the kinds that
// the administrator allows.
import { apiVersionOf, type Kind, kinds, type NamedKind, namedKind } from './kinds.ts';

export const builtInKinds = ['Deployment', 'StatefulSet', 'SwarmPool'] as const;
type BuiltInKind = (typeof builtInKinds)[number];

type Member = { readonly apiVersion?: string | undefined; readonly kind: string };

/** Undefined: it has another kind, perhaps with the same name in another group. */
export function builtInKindOf({ apiVersion, kind }: Member): BuiltInKind | undefined {
  const known = builtInKinds.find((it) => it === kind);
  if (known === undefined || apiVersion === undefined) return known;
  return apiVersionOf(kinds[known]) === apiVersion ? known : undefined;
}

export function kindOfMember({ apiVersion, kind }: Member): NamedKind {
  const builtIn = builtInKindOf({ apiVersion, kind });
  return builtIn === undefined ? namedKind(apiVersion ?? '', kind) : kinds[builtIn];
}

const form =
  /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[a-z]([-a-z0-9]*[a-z0-9])?\/[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$/;

/** The problem of an entry of --member-kinds; undefined: there is none. */
export function memberKindProblem(text: string): string | undefined {
  if (!form.test(text)) return 'allowed is GROUP/VERSION/KIND, such as example.org/v1/Cell';
  const { group, kind } = memberKindIn(text);
  const isOf = (known: Kind): boolean => known.group === group && known.kind === kind;
  if (isOf(kinds.SwarmGroup)) return 'a group cannot be a member of a group';
  return builtInKinds.some((known) => isOf(kinds[known]))
    ? `groups can always have ${kind}s as members; remove it`
    : undefined;
}

/** For an entry without a problem. */
export function memberKindIn(text: string): NamedKind {
  const at = text.lastIndexOf('/');
  return namedKind(text.slice(0, at), text.slice(at + 1));
}
