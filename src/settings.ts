// The operator's settings: flags, or environment variables of the same names; a flag wins.
import { memberKindProblem } from './api/member-kinds.ts';
import { oneLine } from './api/text.ts';
import {
  defaultOf,
  type Environment,
  flagLines,
  flagName,
  type Parsed,
  parseFlags,
  placeholderOf,
  type Values,
  variableName,
} from './flags.ts';

const name = { type: 'text', value: 'NAME' } as const;
const port = { type: 'whole', value: 'N', least: 0, most: 65_535 } as const;

/** In the order of the table of kinds in src/wiring.ts. */
export const kindNames = ['pools', 'groups', 'queues', 'jobs'] as const;
export type KindName = (typeof kindNames)[number];

export const flags = {
  kubeconfig: {
    type: 'text',
    value: 'FILE',
    help: 'the kubeconfig file; default: KUBECONFIG, ~/.kube/config, or the service account of the pod',
  },
  context: { ...name, help: 'the kubeconfig context; default: the current one' },
  kinds: {
    type: 'choices',
    value: 'A,B',
    among: kindNames,
    fallback: kindNames,
    help: 'reconcile only these kinds; the operator sends no request for the others. SwarmJobs run only with both queues and jobs',
  },
  namespaces: { type: 'list', value: 'A,B', help: 'watch only these namespaces; default: all' },
  leaderElection: { type: 'boolean', fallback: true, help: 'let only one of several replicas act' },
  leaseNamespace: {
    ...name,
    help: "namespace of the Lease; default: the pod's own namespace. Outside of the cluster the default is swarm-operator, and the operator leads only while it finds no other one",
  },
  ledgerNamespace: {
    ...name,
    help: 'namespace of the ledgers of queues; default: the namespace of the Lease',
  },
  leaseName: { ...name, fallback: 'swarm-operator', help: 'name of the Lease' },
  concurrency: {
    type: 'whole',
    value: 'N',
    least: 1,
    most: 256,
    fallback: 16,
    help: 'how many pools and groups are reconciled at a time; one namespace gets at most half of the free slots',
  },
  resyncSeconds: {
    type: 'whole',
    value: 'N',
    least: 1,
    most: 86_400,
    fallback: 600,
    help: 'how often every pool and group is reconciled even without a change',
  },
  bindAddress: {
    type: 'text',
    value: 'ADDRESS',
    help: 'the address that serves health and metrics; default: all addresses',
  },
  healthPort: { ...port, fallback: 8081, help: 'port of /healthz and /readyz; 0: any free port' },
  metricsPort: { ...port, fallback: 8080, help: 'port of /metrics; 0: any free port' },
  introspectionPort: {
    ...port,
    fallback: 8090,
    help: 'port of the page and of /api/v1, only on a loopback address, for kubectl port-forward; 0: off',
  },
  introspectionAddress: {
    type: 'text',
    value: 'ADDRESS',
    fallback: '127.0.0.1',
    help: 'the loopback address of the page and of /api/v1',
  },
  probeCaFile: {
    type: 'text',
    value: 'FILE',
    help: 'CA certificates to verify the certificates of workers with (probe scheme HTTPS); default: no verification',
  },
  probeServerName: {
    ...name,
    help: 'the name that the certificates of workers must contain; default: the address of the pod',
  },
  probeClientCertFile: {
    type: 'text',
    value: 'FILE',
    help: 'client certificate for workers that request one',
  },
  probeClientKeyFile: { type: 'text', value: 'FILE', help: 'key of the client certificate' },
  probeTokenFile: {
    type: 'text',
    value: 'FILE',
    help: 'bearer token for workers, sent only over verified HTTPS; must not be a token of the API server',
  },
  metricSourcesFile: {
    type: 'text',
    value: 'FILE',
    help: 'metric sources for groups with policy.type Prometheus, each with the namespaces that may use it; default: none',
  },
  memberKinds: {
    type: 'list',
    value: 'A,B',
    help: 'further kinds with a scale subresource that may be members of groups, each as example.org/v1/Cell; default: only Deployment, StatefulSet and SwarmPool',
  },
  logLevel: {
    type: 'choice',
    among: ['debug', 'info', 'warn', 'error'],
    fallback: 'info',
    help: 'the lowest level to log',
  },
  logFormat: {
    type: 'choice',
    among: ['auto', 'json', 'text'],
    help: 'auto: text on a terminal, otherwise JSON',
  },
  registerCrds: {
    type: 'boolean',
    fallback: false,
    help: 'apply crds/ at startup, for development',
  },
} as const;

const version = { type: 'switch', help: '' } as const;

/** Characters of a wrong value in a message. */
const LONGEST_SHOWN = 200;

export type Settings = Values<typeof flags>;

type ParsedSettings =
  | Exclude<Parsed<typeof flags>, { readonly wants: 'run' }>
  | { readonly wants: 'run' | 'version'; readonly settings: Settings };

export function parseSettings(args: readonly string[], environment: Environment): ParsedSettings {
  const parsed = parseFlags({ ...flags, version }, args, { environment });
  if (parsed.wants !== 'run') return parsed;
  const { version: wantsVersion, ...settings } = parsed.values;
  const problems = [...addressProblems(settings), ...kindProblems(settings)];
  if (problems.length > 0) return { wants: 'correction', problems };
  return { wants: wantsVersion ? 'version' : 'run', settings };
}

/** It shows the names of streams, and what workers answer, to every client. */
function addressProblems({ introspectionAddress }: Settings): readonly string[] {
  if (/^(127(\.\d{1,3}){3}|::1)$/.test(introspectionAddress)) return [];
  const allowed = 'a loopback address, such as 127.0.0.1';
  const text = oneLine(introspectionAddress, LONGEST_SHOWN);
  return [`--introspection-address is "${text}"; allowed is ${allowed}`];
}

const kindProblems = ({ memberKinds }: Settings): readonly string[] =>
  memberKinds.flatMap((text) => {
    const problem = memberKindProblem(text);
    return problem === undefined
      ? []
      : `--member-kinds has "${oneLine(text, LONGEST_SHOWN)}"; ${problem}`;
  });

/** It starts all the same, and users would wait in vain: the log says so. */
export function settingWarnings({ kinds }: Pick<Settings, 'kinds'>): readonly string[] {
  const [hasQueues, hasJobs] = [kinds.includes('queues'), kinds.includes('jobs')];
  if (hasQueues && !hasJobs)
    return [
      '--kinds has queues without jobs: a SwarmJob is admitted, holds its quota and never starts; only batch Jobs with the label k8slab.info/queue do',
    ];
  if (hasJobs && !hasQueues)
    return ['--kinds has jobs without queues: no SwarmJob is admitted, so no new one starts'];
  return [];
}

/** As documentation shows them. */
export const settingRows = Object.entries(flags).map(([name, flag]) => ({
  flag: flagName(name),
  variable: variableName(name),
  value: placeholderOf(flag),
  initial: defaultOf(flag),
  help: flag.help,
}));

export function helpText(): string {
  const usage =
    'swarm-operator [flags]: reconciles SwarmPools and SwarmGroups. Each flag can also be set by the environment variable below it; the flag wins.';
  return [usage, '', ...flagLines(flags, 35, true), '  --version'].join('\n');
}
