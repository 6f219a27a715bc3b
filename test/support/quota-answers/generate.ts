// Which namespaces are tried? Pods with all fields that a ResourceQuota reads, in any combination;
// quotas of all resources and scopes; LimitRanges. One seed makes the same ones every time.
import { Random } from '../../sim/random.ts';
import type { ClusterObjects, QuotaCase } from './case.ts';

export const clusterObjects: ClusterObjects = {
  runtimeClasses: [
    { name: 'quota-plain', handler: 'plain' },
    {
      name: 'quota-heavy',
      handler: 'heavy',
      overhead: { podFixed: { cpu: '100m', memory: '64Mi' } },
    },
  ],
  priorityClasses: [
    { name: 'quota-high', value: 1_000 },
    { name: 'quota-low', value: 10 },
    { name: 'quota-default', value: 100, globalDefault: true },
  ],
};

const PAGES = 'hugepages-2Mi';
const GPU = 'example.com/gpu';

const main = (resources: object = {}): object => ({ name: 'main', resources });

/** What users met. */
export const examples: readonly QuotaCase[] = [
  {
    name: 'quota-sidecar-without-limit',
    hasDefaultClass: false,
    quotas: { compute: { hard: { 'limits.cpu': '2' } } },
    pods: [{}, { resources: { limits: { cpu: '500m' } } }].map((ofSidecar) => ({
      containers: [main({ limits: { cpu: '1' } })],
      initContainers: [{ name: 'log', restartPolicy: 'Always', ...ofSidecar }],
    })),
  },
  {
    name: 'quota-limits-of-whole-pod',
    hasDefaultClass: false,
    quotas: { compute: { hard: { 'limits.cpu': '4' } } },
    pods: Array.from({ length: 2 }, () => ({
      containers: [main()],
      resources: { requests: { cpu: '100m' }, limits: { cpu: '3' } },
    })),
  },
  ...[true, false].map((hasDefaultClass) => ({
    name: `quota-default-class-${hasDefaultClass}`,
    hasDefaultClass,
    quotas: {
      normal: {
        hard: { pods: '1' },
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'PriorityClass', operator: 'In', values: ['quota-default'] },
          ],
        },
      },
    },
    pods: Array.from({ length: 2 }, () => ({ containers: [main()] })),
  })),
  {
    name: 'quota-best-effort',
    hasDefaultClass: false,
    quotas: { cheap: { hard: { pods: '9' }, scopes: ['BestEffort'] } },
    pods: [
      { containers: [main()], runtimeClassName: 'quota-heavy' },
      { containers: [main({ requests: { cpu: '1' } })], resources: {} },
      { containers: [main({ requests: { 'ephemeral-storage': '1Mi' } })] },
    ],
  },
];

export function casesOf(seed: number, count: number, podsEach: number): readonly QuotaCase[] {
  return Array.from({ length: count }, (_, at) => caseOf(seed, at, at % 3 === 2, podsEach));
}

function caseOf(seed: number, at: number, hasDefaultClass: boolean, podsEach: number): QuotaCase {
  const random = new Random(seed).fork(`case ${at}`);
  const hasLimitRange = random.chance(0.5);
  const quotas = Array.from({ length: random.between(1, 3) }, (_, number): [string, object] => [
    `quota-${number}`,
    quotaOf(random, hasLimitRange),
  ]);
  return {
    name: `quota-${seed}-${at}`,
    hasDefaultClass,
    ...(hasLimitRange && { limitRange: limitRangeOf(random) }),
    quotas: Object.fromEntries(quotas),
    pods: Array.from({ length: podsEach }, () => podOf(random, hasLimitRange)),
  };
}

function limitRangeOf(random: Random): object {
  const some = (values: Readonly<Record<string, readonly string[]>>): object =>
    Object.fromEntries(
      Object.entries(values)
        .filter(() => random.chance(0.6))
        .map(([name, all]) => [name, random.pick(all)]),
    );
  const limit = {
    type: 'Container',
    ...(random.chance(0.7) && {
      defaultRequest: some({
        cpu: ['50m', '100m'],
        memory: ['32Mi'],
        'ephemeral-storage': ['1Mi'],
      }),
    }),
    ...(random.chance(0.6) && {
      default: some({ cpu: ['3', '4'], memory: ['3Gi'], 'ephemeral-storage': ['1Gi'] }),
    }),
    ...(random.chance(0.2) && { max: { cpu: '5' } }),
  };
  return { limits: [limit] };
}

const NAMES: Readonly<Record<string, readonly [tight: string, wide: string]>> = {
  pods: ['4', '900'],
  'count/pods': ['5', '900'],
  cpu: ['3', '900'],
  memory: ['3Gi', '900Gi'],
  'ephemeral-storage': ['300Mi', '900Gi'],
  'requests.cpu': ['2500m', '900'],
  'requests.memory': ['3Gi', '900Gi'],
  'requests.ephemeral-storage': ['1Gi', '900Gi'],
  'limits.cpu': ['6', '900'],
  'limits.memory': ['6Gi', '900Gi'],
  'limits.ephemeral-storage': ['1Gi', '900Gi'],
  [`requests.${GPU}`]: ['2', '900'],
  [PAGES]: ['8Mi', '900Gi'],
  [`requests.${PAGES}`]: ['8Mi', '900Gi'],
};
/** A quota that names one of these demands it of every container. */
const DEMANDING = /^(requests\.|limits\.)?(cpu|memory)$/;
/** The API server refuses these in a quota with a scope. */
const UNSCOPED = /ephemeral-storage$|^hugepages-|^requests.hugepages-/;

function quotaOf(random: Random, hasLimitRange: boolean): object {
  const scopes = random.chance(0.55) ? scopesOf(random) : {};
  const isBestEffort = JSON.stringify(scopes).includes('"BestEffort"');
  const isScoped = Object.keys(scopes).length > 0;
  const names = Object.keys(NAMES).filter((name) => {
    if (isScoped && UNSCOPED.test(name)) return false;
    if (isBestEffort && DEMANDING.test(name)) return false;
    return random.chance(DEMANDING.test(name) ? (hasLimitRange ? 0.25 : 0.05) : 0.35);
  });
  const named = names.length === 0 ? ['pods'] : names;
  const hard = named.map((name) => {
    const [tight, wide] = NAMES[name] ?? ['1', '1'];
    return [name, random.chance(0.15) ? tight : wide];
  });
  return { hard: Object.fromEntries(hard), ...scopes };
}

function scopesOf(random: Random): object {
  const expression = (scopeName: string, operator: string, values?: readonly string[]) => ({
    scopeName,
    operator,
    ...(values !== undefined && { values }),
  });
  const selected = (...matchExpressions: readonly object[]) => ({
    scopeSelector: { matchExpressions },
  });
  return random.pick<object>([
    { scopes: ['Terminating'] },
    { scopes: ['NotTerminating'] },
    { scopes: ['BestEffort'] },
    { scopes: ['NotBestEffort'] },
    { scopes: ['NotBestEffort', 'Terminating'] },
    { scopes: ['PriorityClass'] },
    selected(expression('PriorityClass', 'In', ['quota-high', 'quota-default'])),
    selected(expression('PriorityClass', 'In', ['quota-default'])),
    selected(expression('PriorityClass', 'NotIn', ['quota-high'])),
    selected(expression('PriorityClass', 'Exists')),
    selected(expression('PriorityClass', 'DoesNotExist')),
    selected(
      expression('PriorityClass', 'NotIn', ['quota-low']),
      expression('NotTerminating', 'Exists'),
    ),
    selected(expression('CrossNamespacePodAffinity', 'Exists')),
    { scopes: ['CrossNamespacePodAffinity'] },
  ]);
}

function podOf(random: Random, hasLimitRange: boolean): object {
  const isWhole = random.chance(0.3);
  // Of what a pod has as a whole, its containers may not have more together.
  const style: Style = isWhole ? random.pick(['small', 'nothing'] as const) : 'any';
  const containers = ['main', 'log', 'extra'].slice(0, random.pick([1, 1, 2, 2, 3]));
  const initContainers = ['first', 'proxy', 'last'].slice(0, random.pick([0, 0, 0, 1, 2, 3]));
  return {
    containers: containers.map((name) => containerOf(random, name, style)),
    ...(initContainers.length > 0 && {
      initContainers: initContainers.map((name) => ({
        ...containerOf(random, name, style),
        ...(random.chance(0.5) && { restartPolicy: 'Always' }),
      })),
    }),
    ...(isWhole && { resources: resourcesOfPod(random, hasLimitRange) }),
    ...(random.chance(0.25) && { runtimeClassName: random.pick(['quota-plain', 'quota-heavy']) }),
    ...(random.chance(0.4) && { priorityClassName: random.pick(['quota-high', 'quota-low', '']) }),
    ...(random.chance(0.25) && { activeDeadlineSeconds: 600 }),
    ...(random.chance(0.2) && { affinity: affinityOf(random) }),
  };
}

type Style = 'any' | 'small' | 'nothing';

const containerOf = (random: Random, name: string, style: Style): object => ({
  name,
  resources: resourcesOf(random, style),
});

function resourcesOf(random: Random, style: Style): object {
  const requests: Record<string, string> = {};
  const limits: Record<string, string> = {};
  const take = (resource: string, request: string, limit: string): void => {
    const form = random.pick(['request', 'request', 'limit', 'both', 'both'] as const);
    if (form !== 'limit') requests[resource] = request;
    if (form !== 'request') limits[resource] = limit;
  };
  const isSmall = style === 'small';
  const [cpu, memory] = isSmall
    ? [['50m', '0'] as const, ['16Mi', '0'] as const]
    : [['0', '100m', '250m', '0.5', '1', '1500m'] as const, ['0', '64Mi', '100M', '1Gi'] as const];
  if (style !== 'nothing') {
    if (random.chance(0.7)) take('cpu', random.pick(cpu), isSmall ? '100m' : '2');
    if (random.chance(0.6)) take('memory', random.pick(memory), isSmall ? '32Mi' : '2Gi');
    // Huge pages require cpu or memory.
    if (Object.keys({ ...requests, ...limits }).length > 0 && random.chance(0.2))
      limits[PAGES] = random.pick(['2Mi', '4Mi']);
  }
  if (random.chance(0.2)) take('ephemeral-storage', '10Mi', '20Mi');
  if (random.chance(0.1)) limits[GPU] = random.pick(['1', '2']);
  if (random.chance(0.03)) limits['example.kubernetes.io/gpu'] = '1';
  return {
    ...(Object.keys(requests).length > 0 && { requests }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

/** Where LimitRanges complete the containers, these may have much more. */
function resourcesOfPod(random: Random, hasLimitRange: boolean): object {
  const [cpu, memory] = hasLimitRange ? ['30', '30Gi'] : ['2', '1Gi'];
  const requests = {
    ...(random.chance(0.6) && { cpu: hasLimitRange ? cpu : random.pick(['600m', cpu]) }),
    ...(random.chance(0.4) && { memory }),
  };
  const limits = {
    ...(random.chance(0.5) && { cpu: hasLimitRange ? '40' : random.pick(['3', '6']) }),
    ...(random.chance(0.4) && { memory: hasLimitRange ? '40Gi' : '4Gi' }),
    ...(random.chance(0.15) && { [PAGES]: '64Mi' }),
  };
  return {
    ...(Object.keys(requests).length > 0 && { requests }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

function affinityOf(random: Random): object {
  const term = {
    topologyKey: 'kubernetes.io/hostname',
    labelSelector: { matchLabels: { namespaces: 'a', namespaceSelector: 'b' } },
    ...random.pick<object>([
      {},
      {},
      { namespaces: [] },
      { namespaces: ['other'] },
      { namespaceSelector: {} },
      { namespaceSelector: { matchLabels: { team: 'a' } } },
    ]),
  };
  const terms = random.chance(0.5)
    ? { requiredDuringSchedulingIgnoredDuringExecution: [term] }
    : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }] };
  return random.chance(0.5) ? { podAffinity: terms } : { podAntiAffinity: terms };
}
