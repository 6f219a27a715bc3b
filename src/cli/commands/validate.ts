// swarmctl validate: would the API server accept these manifests?
import { ownKindNames } from '../../api/kinds.ts';
import { plural } from '../../core/text.ts';
import {
  type Command,
  CommandError,
  clusterFlags,
  command,
  exitCodes,
  output,
  poolExitCodes,
} from '../arguments/command.ts';
import { print } from '../arguments/terminal.ts';
import { withCluster } from '../cluster/connect.ts';
import { readManifests } from '../files/read.ts';
import type { Line } from '../render.ts';
import { type LocatedProblem, type OwnDocument, ownObjectsIn } from '../validate/documents.ts';
import { checkLists } from '../validate/lists.ts';
import { refusalsOf } from '../validate/server.ts';
import { warningsAbout } from '../validate/warnings.ts';

export const validate: Command = command(
  {
    name: 'validate',
    summary: 'check manifests: file, line and field of each error',
    operands: { usage: '[FILE...]', least: 0, most: 1000 },
    about: `Checks every SwarmPool, SwarmGroup, SwarmQueue and SwarmJob in these files against the CRDs that are built into this program:
types and bounds, rules between fields, unknown fields, duplicate names. Reports all errors at once. Reads YAML
as kubectl does: on, yes and y without quotes are true. Warns of weights that no worker can carry (TooHeavy) and of fields that stand
twice, which the API server accepts; with --strict, a warning counts as an error. If the files contain the ConfigMaps that a
pool names, their lists are checked too. Other kinds are skipped, unless they have our API group or a name similar to one of these
kinds. Needs no cluster.

With --server the API server checks the manifests in a dry run instead, with its own version of the CRDs, its policies and its quotas.
The namespace must exist.

${poolExitCodes}
1 means: there is an error, or with --strict a warning.`,
    examples: [
      ['swarmctl validate pool.yaml', 'one file'],
      ['swarmctl validate -f deploy/ -o json', 'a folder, as JSON'],
      ['swarmctl validate --strict pool.yaml', 'in CI: warnings count as errors'],
      ['kustomize build . | swarmctl validate -f -', 'standard input'],
      ['swarmctl validate pool.yaml --server', 'let the API server check'],
    ],
    flags: {
      file: {
        type: 'texts',
        value: 'FILE',
        short: 'f',
        help: 'a file, a folder, or - for standard input; repeatable',
      },
      recursive: { type: 'switch', short: 'R', help: 'read subfolders too' },
      server: { type: 'switch', help: 'check by a dry run on the API server' },
      strict: { type: 'switch', help: 'count warnings as errors' },
      output,
      ...clusterFlags,
    },
  },
  async ({ values, operands }, terminal) => {
    const files = [...values.file, ...operands];
    if (files.length === 0) throw new CommandError('expected a file');
    const read = readManifests(files, values.recursive).map(ownObjectsIn);
    const own = read.flatMap((it) => it.own);
    const others = read.flatMap((it) => it.others);
    const lists = own.map((it) => checkLists(it, others));
    const passedOver = others.length - new Set(lists.flatMap((it) => it.read)).size;
    const found = [
      ...read.flatMap((it) => it.found),
      ...(values.server
        ? await withCluster(values, async ({ api, namespace }) =>
            (await Promise.all(own.map((it) => refusalsOf(api, namespace, it)))).flat(),
          )
        : await problemsOffline(own)),
      ...own.flatMap(warningsAbout),
      ...lists.flatMap(({ problems }) => problems),
    ];
    print(terminal, values.output, found, () => [
      ...found.map(lineOf),
      `${countedByKind(own)}, ${countsText(found)}${passedOver > 0 ? ` (${plural(passedOver, 'other object')} skipped)` : ''}`,
    ]);
    const isWell = found.every(({ isWarning = false }) => isWarning && !values.strict);
    return isWell ? exitCodes.ok : exitCodes.no;
  },
);

function lineOf({ file, line, field, message, isWarning = false }: LocatedProblem): Line {
  const text = field === '' || message.startsWith(field) ? message : `${field}: ${message}`;
  return [
    { text: `${file}:${line}: `, style: 'strong' },
    isWarning ? { text: `warning: ${text}`, style: 'busy' } : { text, style: 'bad' },
  ];
}

/** "2 SwarmPools and 1 SwarmGroup"; kinds that are not there are left out. */
function countedByKind(own: readonly OwnDocument[]): string {
  const counts = ownKindNames.flatMap((kind) => {
    const count = own.filter((it) => it.kind === kind).length;
    return count === 0 ? [] : [plural(count, kind)];
  });
  return counts.length === 0 ? plural(0, 'SwarmPool') : counts.join(' and ');
}

function countsText(found: readonly LocatedProblem[]): string {
  const warnings = found.filter(({ isWarning }) => isWarning).length;
  const mistakes = found.length - warnings;
  return [
    mistakes === 0 ? 'no errors' : plural(mistakes, 'error'),
    ...(warnings === 0 ? [] : [plural(warnings, 'warning')]),
  ].join(', ');
}

/** Loaded by this command only: the evaluator of CEL nearly doubles the time to start. */
async function problemsOffline(own: readonly OwnDocument[]): Promise<readonly LocatedProblem[]> {
  const { problemsIn } = await import('../validate/check.ts');
  return own.flatMap(problemsIn);
}
