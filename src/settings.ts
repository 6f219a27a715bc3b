// How is the operator set up? By flags or by environment variables of the same names; a flag wins.
import { parseArgs } from 'node:util';
import { errorText } from './api/error-text.ts';
import { oneLine } from './api/one-line.ts';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** In the order of the rows of the table of kinds, src/wiring.ts. */
export const kindNames = ['pools'] as const;
export type KindName = (typeof kindNames)[number];

export type Settings = {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly kinds: readonly KindName[];
  readonly namespaces: readonly string[];
  readonly leaderElection: boolean;
  readonly leaseNamespace: string | undefined;
  readonly leaseName: string;
  readonly concurrency: number;
  readonly resyncSeconds: number;
  readonly bindAddress: string | undefined;
  readonly healthPort: number;
  readonly metricsPort: number;
  readonly introspectionPort: number;
  readonly logLevel: LogLevel;
  readonly logFormat: 'auto' | 'json' | 'text';
  readonly registerCrds: boolean;
};

type Row<T> = {
  readonly flag: string;
  readonly value: string;
  readonly help: string;
  readonly initial: string;
  readonly read: (text: string) => T | Problem;
};

class Problem {
  readonly allowed: string;
  constructor(allowed: string) {
    this.allowed = allowed;
  }
}

const text = (read: string): string => read;
const optional = (read: string): string | undefined => (read === '' ? undefined : read);
const list = (read: string): readonly string[] =>
  read.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));

const oneOf =
  <T extends string>(...allowed: readonly T[]) =>
  (read: string): T | Problem =>
    allowed.find((it) => it === read) ?? new Problem(`one of ${allowed.join(', ')}`);

const someOf =
  <T extends string>(allowed: readonly T[]) =>
  (read: string): readonly T[] | Problem => {
    const chosen = list(read).map((part) => allowed.find((it) => it === part));
    const known = chosen.filter((it) => it !== undefined);
    const isAllowed = chosen.length > 0 && known.length === chosen.length;
    return isAllowed ? [...new Set(known)] : new Problem(`some of ${allowed.join(', ')}`);
  };

const yesOrNo = (read: string): boolean | Problem =>
  ['true', 'false'].includes(read) ? read === 'true' : new Problem('true or false');

const whole =
  (min: number, max: number) =>
  (read: string): number | Problem => {
    const number = Number(read);
    const isAllowed = /^\d+$/.test(read) && number >= min && number <= max;
    return isAllowed ? number : new Problem(`a whole number from ${min} to ${max}`);
  };

const rows: { readonly [K in keyof Settings]: Row<Settings[K]> } = {
  kubeconfig: {
    flag: 'kubeconfig',
    value: 'FILE',
    initial: '',
    read: optional,
    help: 'the cluster; left out: KUBECONFIG, ~/.kube/config, or the service account of the pod',
  },
  context: {
    flag: 'context',
    value: 'NAME',
    initial: '',
    read: optional,
    help: 'the context of the kubeconfig; left out: its current one',
  },
  kinds: {
    flag: 'kinds',
    value: 'A,B',
    initial: kindNames.join(','),
    read: someOf(kindNames),
    help: `work for these only, of ${kindNames.join(', ')}; nothing is asked of the API server for the others`,
  },
  namespaces: {
    flag: 'namespaces',
    value: 'A,B',
    initial: '',
    read: list,
    help: 'watch only these; left out: all',
  },
  leaderElection: {
    flag: 'leader-election',
    value: 'true|false',
    initial: 'true',
    read: yesOrNo,
    help: 'of several replicas only one acts',
  },
  leaseNamespace: {
    flag: 'lease-namespace',
    value: 'NAME',
    initial: '',
    read: optional,
    help: "where the Lease is kept; left out: the pod's own namespace, or the kubeconfig's",
  },
  leaseName: {
    flag: 'lease-name',
    value: 'NAME',
    initial: 'swarm-operator',
    read: text,
    help: 'the name of the Lease',
  },
  concurrency: {
    flag: 'concurrency',
    value: 'N',
    initial: '16',
    read: whole(1, 256),
    help: 'how many resources are decided about at a time; of one namespace half of those that others leave',
  },
  resyncSeconds: {
    flag: 'resync-seconds',
    value: 'N',
    initial: '600',
    read: whole(1, 86_400),
    help: 'how often everything is looked at again',
  },
  bindAddress: {
    flag: 'bind-address',
    value: 'ADDRESS',
    initial: '',
    read: optional,
    help: 'where health and metrics are served; left out: all addresses',
  },
  healthPort: {
    flag: 'health-port',
    value: 'N',
    initial: '8081',
    read: whole(0, 65_535),
    help: '/healthz and /readyz; 0 is any free port',
  },
  metricsPort: {
    flag: 'metrics-port',
    value: 'N',
    initial: '8080',
    read: whole(0, 65_535),
    help: '/metrics, for a Prometheus; 0 is any free port',
  },
  introspectionPort: {
    flag: 'introspection-port',
    value: 'N',
    initial: '8090',
    read: whole(0, 65_535),
    help: 'the page and /api/v1, on the loopback alone, for kubectl port-forward; 0: off',
  },
  logLevel: {
    flag: 'log-level',
    value: logLevels.join('|'),
    initial: 'info',
    read: oneOf(...logLevels),
    help: 'the least that is logged',
  },
  logFormat: {
    flag: 'log-format',
    value: 'auto|json|text',
    initial: 'auto',
    read: oneOf('auto', 'json', 'text'),
    help: 'auto: text on a terminal',
  },
  registerCrds: {
    flag: 'register-crds',
    value: 'true|false',
    initial: 'false',
    read: yesOrNo,
    help: 'apply crds/ at the start, for development',
  },
};

/** Characters of a wrong value in a message. */
const LONGEST_SHOWN = 200;

const names = Object.keys(rows) as (keyof Settings)[];
const variableOf = (flag: string): string => `SWARM_${flag.toUpperCase().replaceAll('-', '_')}`;

export type ParsedSettings =
  | { readonly ok: true; readonly settings: Settings; readonly wants: 'run' | 'help' | 'version' }
  | { readonly ok: false; readonly problems: readonly string[] };

export function parseSettings(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ParsedSettings {
  const strings = Object.fromEntries(
    names.map((name) => [rows[name].flag, { type: 'string' } as const]),
  );
  const flags = {
    ...strings,
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  } as const;
  let given: Readonly<Record<string, string | boolean | undefined>>;
  try {
    given = parseArgs({ args: [...args], options: flags, allowPositionals: false }).values;
  } catch (error) {
    return {
      ok: false,
      problems: [oneLine(errorText(error))],
    };
  }
  const problems: string[] = [];
  const readRow = <T>({ flag, initial, read }: Row<T>): T | undefined => {
    const byFlag = given[flag];
    const found = typeof byFlag === 'string' ? byFlag : environment[variableOf(flag)];
    const value = read(found === undefined || found === '' ? initial : found);
    if (!(value instanceof Problem)) return value;
    const where = typeof byFlag === 'string' ? `--${flag}` : variableOf(flag);
    problems.push(
      `${where} is "${oneLine(found ?? '', LONGEST_SHOWN)}"; allowed is ${value.allowed}`,
    );
    return undefined;
  };
  const settings = Object.fromEntries(
    names.map((name) => [name, readRow<unknown>(rows[name])]),
  ) as Settings;
  if (problems.length > 0) return { ok: false, problems };
  const wants = given['help'] === true ? 'help' : given['version'] === true ? 'version' : 'run';
  return { ok: true, settings, wants };
}

export function helpText(): string {
  const lines = names.map((name) => {
    const { flag, value, initial, help } = rows[name];
    const usage = `  --${flag} ${value}`.padEnd(38);
    return `${usage}${help}${initial === '' ? '' : ` (${initial})`}\n${''.padEnd(38)}${variableOf(flag)}`;
  });
  const usage =
    'swarm-operator [flags]: reconciles SwarmPools. Each flag can be given by the environment variable below it; the flag wins.';
  return `${usage}\n\n${lines.join('\n')}\n  --version\n  --help`;
}

/** The rows as documentation shows them. */
export const settingRows = names.map((name) => ({
  ...rows[name],
  variable: variableOf(rows[name].flag),
}));
