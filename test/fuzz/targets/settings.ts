// Fuzzed: flags and environment, of the operator and of swarm-worker. Each piece of an input is an
// argument; with $ before it, a variable.
import { parseSettings, settingRows } from '../../../src/settings.ts';
import {
  type ReadSettings,
  readLibrarySettings,
  readSettings,
} from '../../../src/worker/settings.ts';
import { mustBeMessage, mustBeSame } from '../oracles.ts';
import { must, type Target } from '../target.ts';
import { outcomeOf } from '../try-input.ts';

/** Neither an argument nor a variable can hold this character. */
const BETWEEN = '\0';
/** Settings come from the deployment; they are long only by mistake. */
const LONGEST = 8_192;

type Given = {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
};

function givenIn(input: string): Given {
  const pieces = input.split(BETWEEN).filter((piece) => piece !== '');
  const variables = pieces.flatMap((piece): [string, string][] => {
    const [, name, text] = /^\$([^=]*)=(.*)$/s.exec(piece) ?? [];
    return name === undefined || text === undefined ? [] : [[name, text]];
  });
  return {
    args: pieces.filter((piece) => !piece.startsWith('$')),
    environment: Object.fromEntries(variables),
  };
}

const pairIn = (input: string): readonly [Given['args'], Given['environment']] => {
  const { args, environment } = givenIn(input);
  return [args, environment];
};

function mustBeProblems(problems: readonly string[]): string {
  must(problems.length > 0, 'they are refused without a reason');
  for (const problem of problems) mustBeMessage(problem);
  return outcomeOf(problems[0] ?? '');
}

function checkOperator(input: string): string {
  const { args, environment } = givenIn(input);
  const read = parseSettings(args, environment);
  mustBeSame(parseSettings(args, environment), read, 'two readings differ');
  if (read.wants === 'correction') return mustBeProblems(read.problems);
  if (read.wants === 'help') return 'help';
  const { settings, wants } = read;
  for (const [name, value] of Object.entries(settings))
    must(typeof value !== 'number' || Number.isSafeInteger(value), 'a number is none', () => name);
  const flags = Object.entries(settings).flatMap(([name, value]) => {
    const flag = settingRows.find(
      (row) => row.flag.replaceAll('-', '') === name.toLowerCase(),
    )?.flag;
    must(flag !== undefined, 'a setting has no flag', () => name);
    return value === undefined ? [] : [`--${flag}=${String(value)}`];
  });
  mustBeSame(
    parseSettings(flags, {}),
    { wants: 'run', settings },
    'written as flags they read otherwise',
  );
  return `ok ${wants}`;
}

const operatorSeeds = settingRows.flatMap(({ flag, variable, initial }) => [
  `--${flag}=${initial}`,
  `$${variable}=${initial}`,
]);

export const operatorSettings: Target = {
  name: 'settings',
  files: ['src/settings.ts', 'src/flags.ts'],
  form: 'text',
  seeds: [
    operatorSeeds.filter((piece) => piece.startsWith('--')).join(BETWEEN),
    operatorSeeds.filter((piece) => piece.startsWith('$')).join(BETWEEN),
    [
      '--namespaces',
      'a, b,c',
      '--kubeconfig=/no/such',
      '--concurrency',
      '3',
      '--log-level=debug',
      '$SWARM_LEADER_ELECTION=false',
    ].join(BETWEEN),
    '--help',
    '--version',
  ],
  words: [
    ...operatorSeeds.map((piece) => BETWEEN + piece),
    BETWEEN,
    '=',
    '--',
    '-h',
    'true',
    'false',
    'debug',
    ',',
    '$SWARM_',
  ],
  longest: LONGEST,
  read: (input) => parseSettings(...pairIn(input)),
  check: checkOperator,
};

function checkWorker(input: string): string {
  const { args, environment } = givenIn(input);
  const read = readSettings(args, environment);
  mustBeSame(readSettings(args, environment), read, 'two readings differ');
  const library = readLibrarySettings(
    { worker: args[0] ?? '', pollInterval: args[1] ?? '1s' },
    environment,
  );
  if (library.wants === 'correction') mustBeProblems(library.problems);
  if (read.wants === 'correction') return mustBeProblems(read.problems);
  if (read.wants === 'run') mustBeUsable(read);
  return `ok ${read.wants}`;
}

function mustBeUsable({
  settings,
  command,
}: Extract<ReadSettings, { readonly wants: 'run' }>): void {
  const { policy } = settings;
  const times = [
    settings.pollMs,
    policy.backoffInitialMs,
    policy.backoffMaxMs,
    policy.backoffResetMs,
    policy.stopGraceMs,
    policy.drainMs,
  ];
  must(
    times.every((ms) => Number.isInteger(ms) && ms >= 0 && ms <= 3_600_000),
    'a time is none',
    () => times.join(),
  );
  must(
    Number.isInteger(settings.port) && settings.port >= 0 && settings.port <= 65_535,
    'a port is none',
    () => String(settings.port),
  );
  must(settings.worker !== '' && command.length > 0, 'a worker has no name, or nothing to run');
}

export const workerSettings: Target = {
  name: 'worker settings',
  files: ['src/worker/settings.ts', 'src/flags.ts'],
  form: 'text',
  seeds: [
    [
      '$POD_NAME=w-0',
      '$POD_UID=u',
      '--assigned-file=/no/such',
      '--port=9090',
      '--stop-grace=1.5m',
      '--',
      'run',
      '{stream}',
    ].join(BETWEEN),
    [
      '--worker=w',
      '--exec=run {stream}',
      '--on-exit=complete',
      '--backoff-initial=500ms',
      '--backoff-max=2s',
    ].join(BETWEEN),
    [
      '$SWARM_WORKER=w',
      '$SWARM_EXEC=run {stream}',
      '$SWARM_PORT=tcp://10.0.0.1:80',
      '$SWARM_POLL_INTERVAL=2s',
    ].join(BETWEEN),
    ['--worker=w', '--exec-file=package.json'].join(BETWEEN),
    ['--worker=w', '--exec-file=no/such/file'].join(BETWEEN),
    '--help',
    '--version',
  ],
  words: [
    ...[
      'config-file',
      'worker',
      'pod-uid',
      'assigned-file',
      'bind-address',
      'port',
      'exec',
      'exec-file',
      'on-exit',
      'backoff-initial',
      'backoff-max',
      'backoff-reset',
      'stop-grace',
      'drain-timeout',
      'poll-interval',
    ].map((flag) => `${BETWEEN}--${flag}=`),
    BETWEEN,
    `${BETWEEN}--${BETWEEN}`,
    '$POD_NAME=',
    '$SWARM_',
    'ms',
    's',
    'm',
    '10s',
    '1.5m',
    '{stream}',
    'tcp://',
    'complete',
    'restart',
  ],
  longest: LONGEST,
  read: (input) => readSettings(...pairIn(input)),
  check: checkWorker,
};
