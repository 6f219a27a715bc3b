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
    help: 'the cluster; default: KUBECONFIG, ~/.kube/config, or the service account of the pod',
  },
  context: { ...name, help: 'the context of the kubeconfig; default: its current one' },
  kinds: {
    type: 'choices',
    value: 'A,B',
    among: kindNames,
    fallback: ['pools', 'groups'],
    help: 'work for these only; the API server is asked nothing for the others',
  },
  namespaces: { type: 'list', value: 'A,B', help: 'watch only these; default: all' },
  leaderElection: { type: 'boolean', fallback: true, help: 'of several replicas only one acts' },
  leaseNamespace: {
    ...name,
    help: "where the Lease is kept; default: the pod's own namespace, or the kubeconfig's",
  },
  ledgerNamespace: {
    ...name,
    help: 'where the ledgers of queues are kept; default: the namespace of the Lease',
  },
  leaseName: { ...name, fallback: 'swarm-operator', help: 'the name of the Lease' },
  concurrency: {
    type: 'whole',
    value: 'N',
    least: 1,
    most: 256,
    fallback: 16,
    help: 'how many resources are decided about at a time; of one namespace half of those that others leave',
  },
  resyncSeconds: {
    type: 'whole',
    value: 'N',
    least: 1,
    most: 86_400,
    fallback: 600,
    help: 'how often everything is looked at again',
  },
  bindAddress: {
    type: 'text',
    value: 'ADDRESS',
    help: 'where health and metrics are served; default: all addresses',
  },
  healthPort: { ...port, fallback: 8081, help: '/healthz and /readyz; 0 is any free port' },
  metricsPort: { ...port, fallback: 8080, help: '/metrics, for a Prometheus; 0 is any free port' },
  introspectionPort: {
    ...port,
    fallback: 8090,
    help: 'the page and /api/v1, on the loopback alone, for kubectl port-forward; 0: off',
  },
  introspectionAddress: {
    type: 'text',
    value: 'ADDRESS',
    fallback: '127.0.0.1',
    help: 'where on the loopback',
  },
  probeCaFile: {
    type: 'text',
    value: 'FILE',
    help: 'authorities by which the certificates of workers are verified (probe scheme HTTPS); default: no verification',
  },
  probeServerName: {
    ...name,
    help: 'the name that these certificates must have; default: the address of the pod',
  },
  probeClientCertFile: { type: 'text', value: 'FILE', help: 'shown to workers that ask for one' },
  probeClientKeyFile: { type: 'text', value: 'FILE', help: 'its key' },
  probeTokenFile: {
    type: 'text',
    value: 'FILE',
    help: "sent to workers over verified HTTPS as a bearer token; never the API server's",
  },
  metricSourcesFile: {
    type: 'text',
    value: 'FILE',
    help: 'sources of metrics that groups with policy Prometheus may name, with the namespaces that may use each; default: none',
  },
  memberKinds: {
    type: 'list',
    value: 'A,B',
    help: 'kinds with a scale subresource that groups may have as members besides Deployments, StatefulSets and SwarmPools, each as example.org/v1/Cell; default: none',
  },
  logLevel: {
    type: 'choice',
    among: ['debug', 'info', 'warn', 'error'],
    fallback: 'info',
    help: 'the least that is logged',
  },
  logFormat: { type: 'choice', among: ['auto', 'json', 'text'], help: 'auto: text on a terminal' },
  registerCrds: {
    type: 'boolean',
    fallback: false,
    help: 'apply crds/ at the start, for development',
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
  const allowed = 'an address of the loopback, such as 127.0.0.1';
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
    'swarm-operator [flags]: reconciles SwarmPools and SwarmGroups. Each flag can be given by the environment variable below it; the flag wins.';
  return [usage, '', ...flagLines(flags, 35, true), '  --version'].join('\n');
}
