// What does a ResourceQuota count of a pod as it is stored, and what does it refuse it for?
import { asList, asRecord, asString, dig } from '../../../../src/api/objects.ts';
import { type Amounts, added, amountOf, amountsIn } from '../oracle/amounts.ts';
import { mostOf, resourcesOf } from './stored-pod.ts';

/** By the field that the quota names: the containers that lack it. */
type Lacking = Readonly<Record<string, readonly string[]>>;

const isWhole = (name: string): boolean => /^(cpu|memory|hugepages-.*)$/.test(name);

/** Of the pod as a whole, in thousandths, without its overhead. */
function takenOf(spec: unknown, field: 'requests' | 'limits'): Amounts {
  const whole = Object.entries(resourcesOf(spec)[field]).filter(([name]) => isWhole(name));
  const all = { ...mostOf(spec, field), ...Object.fromEntries(whole) };
  return Object.fromEntries(Object.entries(all).map(([name, text]) => [name, amountOf(text)]));
}

const overheadOf = (spec: unknown): Amounts => amountsIn(dig(spec, 'overhead'));

/** What the pod requests, and that it is one pod. */
export const requestsOfPod = (spec: unknown): Amounts =>
  added([{ pods: 1_000 }, takenOf(spec, 'requests'), overheadOf(spec)]);

/** By all names under which a quota may name it. */
function usageOf(spec: unknown): Amounts {
  const { pods = 0, ...requests } = requestsOfPod(spec);
  const usage: Record<string, number> = { pods, 'count/pods': pods };
  const limits: Record<string, number> = { ...takenOf(spec, 'limits') };
  for (const [name, amount] of Object.entries(overheadOf(spec)))
    if ((limits[name] ?? 0) > 0) limits[name] = (limits[name] ?? 0) + amount;
  for (const [name, amount] of Object.entries(requests)) {
    usage[`requests.${name}`] = amount;
    if (!name.includes('/')) usage[name] = amount;
  }
  for (const name of ['cpu', 'memory', 'ephemeral-storage'])
    if (limits[name] !== undefined) usage[`limits.${name}`] = limits[name];
  return usage;
}

/** What it names of cpu and memory has to be in each container, or in the pod as a whole. */
function lackingIn(spec: unknown, hard: readonly string[]): Lacking {
  const { requests, limits } = resourcesOf(spec);
  if (Object.keys({ ...requests, ...limits }).some(isWhole)) return {};
  const containers = ['containers', 'initContainers'].flatMap((it) => asList(dig(spec, it)));
  const lacking = hard
    .filter((name) => /^((requests|limits)\.)?(cpu|memory)$/.test(name))
    .map((name): [string, readonly string[]] => {
      const field = name.startsWith('limits.') ? 'limits' : 'requests';
      const resource = name.replace(/^.*\./, '');
      const without = containers.filter((it) => !(resource in resourcesOf(it)[field]));
      return [name, without.map((it) => asString(dig(it, 'name')) ?? '').sort()];
    });
  return Object.fromEntries(lacking.filter(([, names]) => names.length > 0));
}

type Judgement =
  | { readonly is: 'counted'; readonly takes: Amounts }
  | { readonly is: 'lacking'; readonly fields: Lacking }
  /** What it would take of the resources of which too little is free. */
  | { readonly is: 'exceeding'; readonly takes: Amounts };

/** What the quota does with one more pod. */
export function judge(quotaSpec: unknown, used: Amounts, spec: unknown): Judgement {
  const hard = amountsIn(dig(quotaSpec, 'hard'));
  const takes = isMatched(quotaSpec, spec) ? countedIn(hard, spec) : undefined;
  if (takes === undefined) return { is: 'counted', takes: {} };
  const fields = lackingIn(spec, Object.keys(hard));
  if (Object.keys(fields).length > 0) return { is: 'lacking', fields };
  const exceeding = Object.entries(takes).filter(
    ([name, amount]) => amount + (used[name] ?? 0) > (hard[name] ?? 0),
  );
  return exceeding.length === 0
    ? { is: 'counted', takes }
    : { is: 'exceeding', takes: Object.fromEntries(exceeding) };
}

/** What the quota counts of a pod that lives. */
export const takenBy = (quotaSpec: unknown, spec: unknown): Amounts =>
  isMatched(quotaSpec, spec) ? countedIn(amountsIn(dig(quotaSpec, 'hard')), spec) : {};

const countedIn = (hard: Amounts, spec: unknown): Amounts =>
  Object.fromEntries(
    Object.entries(usageOf(spec)).filter(([name, amount]) => name in hard && amount > 0),
  );

/** The pod is in all scopes of the quota. */
function isMatched(quotaSpec: unknown, spec: unknown): boolean {
  const plain = asList(dig(quotaSpec, 'scopes')).map((scopeName) => ({ scopeName }));
  const selected = asList(dig(quotaSpec, 'scopeSelector', 'matchExpressions'));
  return [...plain, ...selected].every((it) => isInScope(it, spec));
}

function isInScope(scope: unknown, spec: unknown): boolean {
  const scopeName = asString(dig(scope, 'scopeName')) ?? '';
  switch (scopeName) {
    case 'Terminating':
      return dig(spec, 'activeDeadlineSeconds') !== undefined;
    case 'NotTerminating':
      return dig(spec, 'activeDeadlineSeconds') === undefined;
    case 'BestEffort':
      return !hasGuarantee(spec);
    case 'NotBestEffort':
      return hasGuarantee(spec);
    case 'PriorityClass':
      return isSelected(scope, asString(dig(spec, 'priorityClassName')) ?? '');
    case 'CrossNamespacePodAffinity':
      return reachesOut(dig(spec, 'affinity'));
    default:
      throw new Error(`no story has the scope ${scopeName}`);
  }
}

/** Some cpu or memory, requested or as a limit. */
function hasGuarantee(spec: unknown): boolean {
  const containers = ['containers', 'initContainers'].flatMap((it) => asList(dig(spec, it)));
  return (dig(spec, 'resources') === undefined ? containers : [spec])
    .map(resourcesOf)
    .flatMap(({ requests, limits }) => [requests, limits])
    .some((amounts) => ['cpu', 'memory'].some((it) => amountOf(amounts[it] ?? '0') > 0));
}

function isSelected(scope: unknown, name: string): boolean {
  const isNamed = asList(dig(scope, 'values')).includes(name);
  switch (dig(scope, 'operator') ?? 'Exists') {
    case 'In':
      return isNamed;
    case 'NotIn':
      return !isNamed;
    case 'DoesNotExist':
      return name === '';
    default:
      return name !== '';
  }
}

const reachesOut = (affinity: unknown): boolean =>
  ['podAffinity', 'podAntiAffinity'].some((kind) =>
    Object.values(asRecord(dig(affinity, kind)) ?? {})
      .flatMap(asList)
      .map((it) => dig(it, 'podAffinityTerm') ?? it)
      .some(
        (it) =>
          asList(dig(it, 'namespaces')).length > 0 || dig(it, 'namespaceSelector') !== undefined,
      ),
  );
