// The settings of a worker: each as a flag, or as an environment variable with the same name.

import { readFileSync } from 'node:fs';
import { hint } from '../api/nearest.ts';
import { errorText, oneLine } from '../api/text.ts';
import {
  type Environment,
  flagLines,
  flagName,
  type Parsed,
  parseFlags,
  type Values,
  variableName,
} from '../flags.ts';
import type { Policy } from './decide/stream.ts';
import { whyNotLiteral } from './launch/code-injection.ts';
import {
  checkTemplate,
  demoCommand,
  type ReadTemplate,
  splitTemplate,
  type Template,
} from './launch/command.ts';

const file = { type: 'text', value: 'PATH' } as const;
const time = { type: 'time', leastMs: 0 } as const;

const flags = {
  configFile: {
    ...file,
    fallback: '/app/config/config.yml',
    help: 'the mounted assignment: a file, or a folder of config*.yml shards',
  },
  worker: {
    type: 'text',
    value: 'NAME',
    required: 'missing; set it, or set POD_NAME from the field metadata.name',
    also: ['POD_NAME', 'HOSTNAME'],
    help: "the name of this worker's entry in the assignment",
  },
  podUid: {
    type: 'text',
    value: 'UID',
    fallback: '',
    also: ['POD_UID'],
    help: 'the UID of the pod, sent with every report',
  },
  assignedFile: {
    ...file,
    help: 'the mounted annotation k8slab.info/assigned of the pod (handoff Exclusive); if set, the worker starts only streams that it permits',
  },
  bindAddress: {
    type: 'text',
    value: 'ADDRESS',
    also: ['POD_IP'],
    help: 'the address that serves reports; default: all addresses',
  },
  port: {
    type: 'whole',
    value: 'PORT',
    least: 0,
    most: 65_535,
    fallback: 9090,
    help: 'the port of reports; 0: any free port, which is logged',
  },
  exec: {
    type: 'text',
    value: 'COMMAND',
    fallback: '',
    help: 'the command to run for each stream; may also follow after --',
  },
  execFile: {
    ...file,
    fallback: '',
    help: 'a file that contains COMMAND, on any number of lines; read once',
  },
  literalArguments: {
    type: 'list',
    value: 'PROGRAM,…',
    help: 'programs that treat every argument as data, whatever it contains: COMMAND may pass names and parameters of streams to them',
  },
  secretsFolder: {
    ...file,
    help: 'a mounted Secret: the process of a stream with the parameter secretKey gets the path of this key as SWARM_SECRET_FILE',
  },
  onExit: {
    type: 'choice',
    among: ['restart', 'complete'],
    help: 'what to do when a process exits with code 0: restart it, or record the stream as completed',
  },
  backoffInitial: {
    ...time,
    leastMs: 1,
    fallback: '1s',
    help: 'the wait after a first crash, minus up to a quarter; doubled by each further crash',
  },
  backoffMax: { ...time, leastMs: 1, fallback: '60s', help: 'the longest wait after a crash' },
  backoffReset: {
    ...time,
    fallback: '30s',
    help: 'a run of this length resets the wait',
  },
  stopGrace: {
    ...time,
    fallback: '10s',
    help: 'the time from SIGTERM to SIGKILL when a stream is stopped',
  },
  drainTimeout: {
    ...time,
    fallback: '25s',
    help: "the longest time to stop all streams when the worker ends; less than the pod's termination grace period",
  },
  pollInterval: {
    ...time,
    leastMs: 50,
    fallback: '2s',
    help: 'how often the file is read even if no change was noticed',
  },
} as const;

type Given = Values<typeof flags>;
type Rejected = Exclude<Parsed<typeof flags>, { readonly wants: 'run' }>;

export type ReadSettings =
  | Rejected
  | { readonly wants: 'version' }
  | {
      readonly wants: 'run';
      readonly settings: WorkerSettings;
      readonly command: Template;
      readonly secretsFolder: string | undefined;
    };

/** `args` without the program, as in `process.argv.slice(2)`. */
export function readSettings(args: readonly string[], environment: Environment): ReadSettings {
  const end = args.indexOf('--');
  const [own, words] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
  // The version can be requested whatever else is set, or missing.
  if (own.includes('--version')) return { wants: 'version' };
  // A command in the arguments overrides one in the environment, which may come from the image.
  const hasCommand = words.length > 0 || own.some((arg) => /^--exec(-file)?(=.|$)/.test(arg));
  const noCommand = { SWARM_EXEC: '', SWARM_EXEC_FILE: '' };
  const parsed = parse(own, hasCommand ? { ...environment, ...noCommand } : environment);
  if (parsed.wants !== 'run') return parsed;
  const { exec, execFile, literalArguments: literal, secretsFolder } = parsed.values;
  const nameOf = hasCommand ? (name: string): string => `--${flagName(name)}` : variableName;
  const ways = [
    { from: '--', isGiven: words.length > 0, read: () => checkTemplate(words, literal) },
    { from: nameOf('exec'), isGiven: exec !== '', read: () => splitTemplate(exec, literal) },
    {
      from: nameOf('execFile'),
      isGiven: execFile !== '',
      read: () => readTemplateFile(execFile, literal),
    },
  ].filter(({ isGiven }) => isGiven);
  const [way] = ways;
  const command = way?.read() ?? { ok: true, template: demoCommand };
  const problems = problemsIn(parsed.values);
  if (ways.length > 1)
    problems.push('--exec, --exec-file and a command after -- exclude each other; use only one');
  if (!command.ok) problems.push(`${way?.from}: the command ${command.problem}`);
  if (!command.ok || problems.length > 0)
    return { wants: 'correction', problems: problems.map((problem) => oneLine(problem)) };
  const settings = settingsFrom(parsed.values);
  return { wants: 'run', settings, command: command.template, secretsFolder };
}

/** Options of the library, with the names and values of the flags, such as `stopGrace: '5s'`. */
export type Overrides = {
  readonly [Name in Exclude<keyof typeof flags, CommandFlag>]?: string | number;
};

/** Flags of the program only: the library runs no command. */
const commandFlags = ['exec', 'execFile', 'literalArguments', 'secretsFolder'] as const;
type CommandFlag = (typeof commandFlags)[number];

export function readLibrarySettings(
  overrides: Overrides,
  environment: Environment,
): Rejected | { readonly wants: 'run'; readonly settings: WorkerSettings } {
  const names = Object.keys(flags).filter((name) => !commandFlags.some((it) => it === name));
  const unknown = Object.keys(overrides).filter((name) => !names.includes(name));
  const args = Object.entries(overrides).flatMap(([name, value]) =>
    names.includes(name) && value !== undefined ? [`--${flagName(name)}=${value}`] : [],
  );
  const parsed = parse(args, environment);
  const problems = [
    ...unknown.map((name) => `unknown option ${name}${hint(name, names)}`),
    ...(parsed.wants === 'correction' ? parsed.problems : []),
    ...(parsed.wants === 'run' ? problemsIn(parsed.values) : []),
  ];
  return parsed.wants === 'run' && problems.length === 0
    ? { wants: 'run', settings: settingsFrom(parsed.values) }
    : { wants: 'correction', problems: problems.map(asOfOptions) };
}

/** Rephrases a problem for a program that passes an object, and not flags. */
const asOfOptions = (problem: string): string =>
  problem.replace(/--([a-z-]+)/g, (_, flag: string) =>
    flag.replace(/-([a-z])/g, (__, letter: string) => letter.toUpperCase()),
  );

function parse(args: readonly string[], environment: Environment) {
  // For a Service named "swarm" the kubelet sets SWARM_PORT=tcp://…, which is no setting.
  const isServiceLink = environment['SWARM_PORT']?.startsWith('tcp://') === true;
  return parseFlags(flags, args, {
    environment: isServiceLink ? { ...environment, SWARM_PORT: '' } : environment,
  });
}

/** Problems between values, each of which alone is allowed. */
function problemsIn(given: Given): string[] {
  const { backoffInitial, backoffMax, assignedFile, podUid, literalArguments } = given;
  const problems: string[] = [];
  if (backoffMax < backoffInitial)
    problems.push(
      `--backoff-max is ${backoffMax}ms; it must not be shorter than --backoff-initial (${backoffInitial}ms)`,
    );
  for (const program of literalArguments) {
    const why = whyNotLiteral(program);
    if (why !== undefined) problems.push(`--literal-arguments: ${why}; remove it`);
  }
  if (assignedFile !== undefined && podUid === '')
    problems.push(
      '--assigned-file needs --pod-uid, because the annotation names the UID of the pod; set POD_UID from the field metadata.uid',
    );
  return problems;
}

function settingsFrom(given: Given) {
  const { configFile, worker, podUid, assignedFile, bindAddress, port } = given;
  const policy: Policy = {
    backoffInitialMs: given.backoffInitial,
    backoffMaxMs: given.backoffMax,
    backoffResetMs: given.backoffReset,
    stopGraceMs: given.stopGrace,
    drainMs: given.drainTimeout,
    onExit: given.onExit,
  };
  const pollMs = given.pollInterval;
  return { configFile, worker, podUid, assignedFile, bindAddress, port, pollMs, policy };
}

export type WorkerSettings = Readonly<ReturnType<typeof settingsFrom>>;

function readTemplateFile(file: string, literal: readonly string[]): ReadTemplate {
  try {
    return splitTemplate(readFileSync(file, 'utf8'), literal);
  } catch (error) {
    return { ok: false, problem: `cannot be read: ${errorText(error)}` };
  }
}

export function helpText(): string {
  return `Usage: swarm-worker [flags] [-- COMMAND ARGUMENT...]

Runs one process for each stream that the mounted assignment gives to this worker, and reports which streams really run.

COMMAND may contain {stream}, {worker}, {weight} and {param.KEY}. The worker first splits COMMAND into words and then fills
in the values, without a shell, so that each value stays a single argument whatever it contains. {stream} and {param.KEY} are allowed only where the
program treats them as data: at known places of ffmpeg, ffprobe, curl, cat, head, tail, mosquitto_sub and gst-play-1.0
(ffmpeg -i {param.url}, tail -F -- {param.file}), after the script of an interpreter (node FILE {stream}, sh -c 'SCRIPT' sh {stream}),
and as arguments of the programs in --literal-arguments. The worker refuses any other place at startup, and says what is allowed instead.
The process also gets the values as SWARM_STREAM, SWARM_WORKER, SWARM_WEIGHT and SWARM_PARAM_KEY, and with --secrets-folder
the path of the file of its own secret as SWARM_SECRET_FILE.
Without COMMAND the worker runs a demonstration.

${flagLines(flags, 26, true).join('\n')}
  --version
`;
}
