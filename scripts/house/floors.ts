// May this file import that one? The floors of the house: each imports only what lies below it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

type Room = {
  /** A folder or a file. If two rooms contain a file, the one with the longer path counts. */
  readonly at: string;
  readonly mayImport: readonly string[];
  /**
   * Its arguments contain time, randomness and all facts: it imports no package and no module of
   * Node.
   */
  readonly isPure?: true;
};

const words = ['src/api', 'src/core'];
const reach = [...words, 'src/runtime', 'src/probes'];
const observing = ['src/pool/read.ts', 'src/pool/observe.ts', 'src/pool/observe'];
const pool = ['src/pool', 'src/pool/controller.ts', ...observing];
const observingGroups = ['src/group/read.ts', 'src/group/observe.ts', 'src/group/observe'];
const group = ['src/group', 'src/group/controller.ts', ...observingGroups];
const observingQueues = ['src/queue/read.ts', 'src/queue/observe.ts', 'src/queue/observe'];
const queue = ['src/queue', 'src/queue/controller.ts', ...observingQueues];
const observingJobs = ['src/job/read.ts', 'src/job/observe.ts', 'src/job/observe'];
const job = ['src/job', 'src/job/controller.ts', ...observingJobs];
const tools = [
  ...reach,
  ...pool,
  'src/group',
  ...queue,
  ...job,
  'src/playground',
  'src/conformance',
];

/** In order, from the lowest floor. */
const rooms: readonly Room[] = [
  { at: 'src/api', mayImport: [] },
  { at: 'src/http', mayImport: [] },
  { at: 'src/flags.ts', mayImport: ['src/api'] },
  { at: 'src/core', mayImport: ['src/api'], isPure: true },
  { at: 'src/worker', mayImport: ['src/api', 'src/http', 'src/flags.ts'] },
  { at: 'src/web', mayImport: ['src/api'], isPure: true },
  { at: 'src/runtime', mayImport: words },
  { at: 'src/probes', mayImport: [...words, 'src/runtime'] },
  { at: 'src/playground', mayImport: [...words, 'src/runtime'] },
  { at: 'src/pool', mayImport: words, isPure: true },
  { at: 'src/pool/observe', mayImport: [...reach, 'src/pool'] },
  { at: 'src/pool/read.ts', mayImport: [...reach, 'src/pool', 'src/pool/observe'] },
  { at: 'src/pool/observe.ts', mayImport: [...reach, 'src/pool', ...observing] },
  { at: 'src/pool/controller.ts', mayImport: [...reach, 'src/pool', ...observing] },
  { at: 'src/group', mayImport: words, isPure: true },
  { at: 'src/group/observe', mayImport: [...reach, 'src/group'] },
  { at: 'src/group/read.ts', mayImport: [...reach, 'src/group', 'src/group/observe'] },
  { at: 'src/group/observe.ts', mayImport: [...reach, 'src/group', 'src/group/observe'] },
  { at: 'src/group/controller.ts', mayImport: [...reach, 'src/group', ...observingGroups] },
  { at: 'src/queue', mayImport: words, isPure: true },
  { at: 'src/queue/observe', mayImport: [...reach, 'src/queue'] },
  { at: 'src/queue/read.ts', mayImport: [...reach, 'src/queue', 'src/queue/observe'] },
  { at: 'src/queue/observe.ts', mayImport: [...reach, 'src/queue', 'src/queue/observe'] },
  { at: 'src/queue/controller.ts', mayImport: [...reach, 'src/queue', ...observingQueues] },
  { at: 'src/job', mayImport: words, isPure: true },
  { at: 'src/job/observe', mayImport: [...reach, 'src/job'] },
  { at: 'src/job/read.ts', mayImport: [...reach, 'src/job', 'src/job/observe'] },
  { at: 'src/job/observe.ts', mayImport: [...reach, 'src/job', 'src/job/observe'] },
  { at: 'src/job/controller.ts', mayImport: [...reach, 'src/job', ...observingJobs] },
  { at: 'src/conformance', mayImport: [...words, 'src/runtime', 'src/playground'] },
  {
    at: 'src/server',
    mayImport: [...words, 'src/http', 'src/pool', 'src/group', 'src/queue', 'src/job'],
  },
  { at: 'src/cli', mayImport: [...tools, 'src/flags.ts'] },
  { at: 'src/demo', mayImport: [...tools, 'src/flags.ts', 'src/cli'] },
  { at: 'src/old-node.ts', mayImport: ['src/api'] },
  { at: 'src/settings.ts', mayImport: ['src/api', 'src/flags.ts'] },
  { at: 'src/log.ts', mayImport: ['src/settings.ts'] },
  {
    at: 'src/wiring.ts',
    mayImport: [...reach, ...pool, ...group, ...queue, ...job, 'src/settings.ts'],
  },
  {
    at: 'src/main.ts',
    mayImport: [
      ...reach,
      ...pool,
      ...group,
      'src/server',
      'src/old-node.ts',
      'src/settings.ts',
      'src/log.ts',
      'src/wiring.ts',
    ],
  },
];

const frameworkIn = 'src/runtime/watch/operator.ts';

const roomOf = (file: string): Room | undefined =>
  rooms
    .filter(({ at }) => file === at || file.startsWith(`${at}/`))
    .sort((a, b) => b.at.length - a.at.length)[0];

/** Why `file` may not import `from`; undefined when it may. */
export function whyForbidden(file: string, from: string): string | undefined {
  const room = roomOf(file);
  if (room === undefined) return 'scripts/house/floors.ts does not know this folder';
  if (from === '@dot-i/k8s-operator' && file !== frameworkIn)
    return `only ${frameworkIn} imports the framework`;
  if (!from.startsWith('.'))
    return room.isPure === true ? `${room.at} is pure: it imports no package` : undefined;
  const other = roomOf(path.posix.join(path.posix.dirname(file), from));
  if (other === room || (other !== undefined && room.mayImport.includes(other.at)))
    return undefined;
  return `${room.at} imports only ${[room.at, ...room.mayImport].join(', ')}`;
}

const importPattern =
  /^(?:import|export)\s[^'"]*?from '([^']+)'|^import '([^']+)'|import\('([^']+)'\)/gm;

/** What a file imports: values and types, at its start or later, named or as a whole. */
export const importsIn = (text: string): readonly string[] =>
  [...text.matchAll(importPattern)].map(([, a, b, c]) => a ?? b ?? c ?? '');

/** One line for each import in src/ that points up or sideways. */
export function forbiddenImports(root: string): readonly string[] {
  return readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const file = path.posix.join('src', name);
      const text = readFileSync(path.join(root, file), 'utf8');
      return importsIn(text).flatMap((from) => {
        const why = whyForbidden(file, from);
        return why === undefined ? [] : [`${file} imports ${from}: ${why}`];
      });
    });
}
