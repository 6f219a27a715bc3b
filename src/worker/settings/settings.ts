// The settings of a worker: each by flag, or by environment variable under the same name.
import { parseArgs } from 'node:util';
import { errorText } from '../../api/error-text.ts';
import { oneLine } from '../../api/one-line.ts';
import type { Policy } from '../decide/stream.ts';
import type { Template } from '../launch/command.ts';
import { demoCommand } from '../launch/demo-consumer.ts';
import {
  type Complain,
  type Given,
  readAssignedFile,
  readCommand,
  readOnExit,
  readPort,
  readTime,
  readWorker,
} from './values.ts';

export type WorkerSettings = {
  readonly configFile: string;
  readonly worker: string;
  readonly podUid: string;
  /** Undefined: the mounted file alone says what to do. */
  readonly assignedFile: string | undefined;
  readonly bindAddress: string;
  readonly port: number;
  readonly pollMs: number;
  readonly policy: Policy;
};

type Problems = { readonly type: 'Problems'; readonly problems: readonly string[] };

export type ReadSettings =
  | { readonly type: 'Settings'; readonly settings: WorkerSettings; readonly command: Template }
  | Problems
  | { readonly type: 'Help'; readonly text: string }
  | { readonly type: 'Version' };

/** `also`: variables that manifests usually set anyway. */
type Option = {
  readonly value: string;
  readonly help: string;
  readonly fallback: string;
  readonly also?: readonly string[];
};

const options = {
  'config-file': {
    value: 'PATH',
    fallback: '/app/config/config.yml',
    help: 'the mounted ConfigMap key, or a folder of config*.yml shards',
  },
  worker: {
    value: 'NAME',
    fallback: '',
    also: ['POD_NAME', 'HOSTNAME'],
    help: "this worker's entry in it",
  },
  'pod-uid': { value: 'UID', fallback: '', also: ['POD_UID'], help: 'told with every report' },
  'assigned-file': {
    value: 'PATH',
    fallback: '',
    help: "the pod's annotation k8slab.info/assigned, mounted; with it nothing is started that it does not vouch for (handoff Exclusive)",
  },
  'bind-address': {
    value: 'ADDRESS',
    fallback: '0.0.0.0',
    also: ['POD_IP'],
    help: 'where reports are served',
  },
  port: { value: 'PORT', fallback: '9090', help: '0 takes a free one and logs it' },
  exec: {
    value: 'COMMAND',
    fallback: '',
    help: 'the process of each stream; the same may follow after --',
  },
  'exec-file': {
    value: 'PATH',
    fallback: '',
    help: 'a file that has COMMAND, on as many lines as you like; read once',
  },
  'on-exit': {
    value: 'WHAT',
    fallback: 'restart',
    help: 'restart, or complete: exit code 0 ends a finite job for good',
  },
  'backoff-initial': {
    value: 'TIME',
    fallback: '1s',
    help: 'wait after a first crash, or up to a quarter less; doubled with each further one',
  },
  'backoff-max': { value: 'TIME', fallback: '60s', help: 'the longest such wait' },
  'backoff-reset': {
    value: 'TIME',
    fallback: '30s',
    help: 'a run of this length makes earlier crashes forgotten',
  },
  'stop-grace': {
    value: 'TIME',
    fallback: '10s',
    help: 'from SIGTERM to SIGKILL when a stream is stopped',
  },
  'drain-timeout': {
    value: 'TIME',
    fallback: '25s',
    help: "at most this when the worker ends; less than the pod's grace period",
  },
  'poll-interval': {
    value: 'TIME',
    fallback: '2s',
    help: 'the file is read this often, even if no change was noticed',
  },
} as const satisfies Record<string, Option>;

type Name = keyof typeof options;
type Environment = Readonly<Record<string, string | undefined>>;
const optionList: readonly (readonly [string, Option])[] = Object.entries(options);
const variableOf = (name: string): string => `SWARM_${name.toUpperCase().replaceAll('-', '_')}`;

/** `args` without the program, as in `process.argv.slice(2)`. */
export function readSettings(args: readonly string[], environment: Environment): ReadSettings {
  const end = args.indexOf('--');
  const flags = readFlags(end < 0 ? args : args.slice(0, end));
  if (typeof flags === 'string') return { type: 'Problems', problems: [oneLine(flags)] };
  if (flags.help) return { type: 'Help', text: helpText() };
  if (flags.version) return { type: 'Version' };
  const problems: string[] = [];
  const complain: Complain = (problem) => problems.push(oneLine(problem));
  const give: Give = (name) => textOf(name, flags.values, environment);
  const settings = settingsFrom(give, complain);
  const words = end < 0 ? [] : args.slice(end + 1);
  const command = readCommand(words, give('exec'), give('exec-file'), complain) ?? demoCommand;
  return problems.length === 0
    ? { type: 'Settings', settings, command }
    : { type: 'Problems', problems };
}

/** Options of the library: names and values are those of the flags, such as `stopGrace: '5s'`. */
export type Overrides = {
  readonly [Flag in Exclude<Name, 'exec' | 'exec-file'> as Camel<Flag>]?: string | number;
};
type Camel<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text;

export function readLibrarySettings(
  overrides: Overrides,
  environment: Environment,
): { readonly type: 'Settings'; readonly settings: WorkerSettings } | Problems {
  const given = new Map<string, unknown>(Object.entries(overrides));
  const values = Object.fromEntries(
    Object.keys(options).map((name) => {
      const value = given.get(name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()));
      return [name, value === undefined ? undefined : String(value)];
    }),
  );
  const problems: string[] = [];
  const settings = settingsFrom(
    (name) => textOf(name, values, environment),
    (problem) => problems.push(oneLine(problem)),
  );
  return problems.length === 0 ? { type: 'Settings', settings } : { type: 'Problems', problems };
}

type Flags = {
  readonly help: boolean;
  readonly version: boolean;
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
};

function readFlags(args: readonly string[]): Flags | string {
  const known = Object.fromEntries(
    Object.keys(options).map((name) => [name, { type: 'string' as const }]),
  );
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { ...known, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } },
      strict: true,
    });
    return { help: values['help'] === true, version: values['version'] === true, values };
  } catch (error) {
    return `${errorText(error)} (--help names all flags)`;
  }
}

function textOf(name: Name, flags: Flags['values'], environment: Environment): Given {
  const flag = flags[name];
  if (typeof flag === 'string') return { from: `--${name}`, text: flag };
  const { also = [], fallback }: Option = options[name];
  for (const from of [variableOf(name), ...also]) {
    const text = environment[from] ?? '';
    // For a Service named "swarm" the kubelet sets SWARM_PORT=tcp://…, which is no setting.
    const isServiceLink = name === 'port' && text.startsWith('tcp://');
    if (text !== '' && !isServiceLink) return { from, text };
  }
  return { from: `--${name}`, text: fallback };
}

type Give = (name: Name) => Given;

function settingsFrom(give: Give, complain: Complain): WorkerSettings {
  const time = (name: Name, leastMs: number): number => readTime(give(name), leastMs, complain);
  const backoffInitialMs = time('backoff-initial', 1);
  const backoffMaxMs = time('backoff-max', 1);
  if (backoffMaxMs < backoffInitialMs)
    complain(`--backoff-max: ${give('backoff-max').text} is shorter than --backoff-initial`);
  return {
    configFile: give('config-file').text,
    worker: readWorker(give('worker'), complain),
    podUid: give('pod-uid').text,
    assignedFile: readAssignedFile(give('assigned-file'), give('pod-uid').text, complain),
    bindAddress: give('bind-address').text,
    port: readPort(give('port'), complain),
    pollMs: time('poll-interval', 50),
    policy: {
      backoffInitialMs,
      backoffMaxMs,
      backoffResetMs: time('backoff-reset', 0),
      stopGraceMs: time('stop-grace', 0),
      drainMs: time('drain-timeout', 0),
      onExit: readOnExit(give('on-exit'), complain),
    },
  };
}

function helpText(): string {
  const rows = optionList.map(([name, option]) => {
    const others = [variableOf(name), ...(option.also ?? [])].join(', ');
    return `  --${`${name} ${option.value}`.padEnd(24)} ${option.help}\n  ${' '.repeat(27)}${others}${option.fallback === '' ? '' : ` [${option.fallback}]`}`;
  });
  return `Usage: swarm-worker [flags] [-- COMMAND ARGUMENT...]

Runs one process for each stream that the mounted assignment gives to this worker, and reports what really runs.

COMMAND may contain {stream}, {worker}, {weight} and {param.KEY}; they are filled in after it was split into words, without a
shell, so that a name stays one argument whatever it contains. A name may begin with a dash: write -- before {stream} where the
program allows it. Behind a program that runs code (sh, node, python, awk and the like) {stream} and {param.KEY} may only follow its
script: sh -c 'SCRIPT' sh {stream}, node FILE {stream}. Any other place is refused at the start, and so is every place behind a
program that runs what it is given (ssh, xargs, make and the like).
The process also finds them as SWARM_STREAM, SWARM_WORKER, SWARM_WEIGHT and SWARM_PARAM_KEY.
Without a command a demonstration runs.

${rows.join('\n')}
  --version
  --help
`;
}
