// swarmctl group import: which SwarmGroups does a groups.txt mean?
import { dump } from 'js-yaml';
import { MOST_PROBLEMS } from '../../../api/bounds.ts';
import { apiVersionOf, kinds } from '../../../api/kinds.ts';
import { isName } from '../../../api/objects.ts';
import { problemsOf } from '../../../api/own-object.ts';
import { specValidators } from '../../../api/validate.ts';
import { plural } from '../../../core/text.ts';
import { type Command, CommandError, command, exitCodes } from '../../arguments/command.ts';
import { type LineProblem, readGroups, shown } from '../../files/groups-file.ts';
import { readText } from '../../files/read.ts';

const LABEL_APP = 'app_name';
/** Labels hold the name of a group. */
const LONGEST_NAME = 63;

export const groupImport: Command = command(
  {
    name: 'group import',
    summary: 'convert a groups.txt to SwarmGroups, as YAML for kubectl apply',
    operands: { usage: 'FILE', least: 1, most: 1 },
    about: `Each line of the file is a group: names of Deployments, separated by commas, such as teastore-webui,teastore-db. Empty lines and lines
that begin with # are skipped. A group gets the name of its first Deployment, so that the name does not depend on the order of lines, and
the label ${LABEL_APP}. It takes its size from its members; if they differ, set --replicas. Needs no cluster.

Exit codes: 0 all groups were printed, 1 the file has errors (each is reported with its line, and no group is printed),
2 wrong command line, or the file cannot be read.`,
    examples: [
      [
        'swarmctl group import groups.txt | kubectl apply -f -',
        'import groups at their current size',
      ],
      ['swarmctl group import groups.txt --app-name teastore -n default', 'review them first'],
      ['cat groups-*.txt | swarmctl group import - --replicas 1', 'several files, at size 1'],
    ],
    flags: {
      appName: {
        type: 'text',
        value: 'NAME',
        fallback: 'teastore',
        help: `the label ${LABEL_APP} of each group`,
      },
      namespace: {
        type: 'text',
        value: 'NAME',
        short: 'n',
        fallback: 'default',
        help: 'the namespace of the groups and their members',
      },
      replicas: {
        type: 'whole',
        value: 'N',
        least: 0,
        most: 100_000,
        help: 'the size of each group; default: taken from its members',
      },
    },
  },
  async ({ values, operands: [file = ''] }, terminal) => {
    const { appName, namespace, replicas } = values;
    mustBeLabel(appName);
    mustBeNamespace(namespace);
    const read = readText(file);
    const { groups, problems } = readGroups(read.text);
    const printed = groups.map(({ line, members }) => {
      const [name = ''] = members;
      const spec = {
        ...(replicas !== undefined && { replicas }),
        members: members.map((member) => ({ kind: kinds.Deployment.kind, name: member })),
      };
      const metadata = { name, namespace, labels: { [LABEL_APP]: appName } };
      const { SwarmGroup } = kinds;
      const group = { apiVersion: apiVersionOf(SwarmGroup), kind: SwarmGroup.kind, metadata, spec };
      return { line, name, members, spec, yaml: yamlOf(`${read.file}:${line}`, group) };
    });
    const wrong = new Set(problems.map(({ line }) => line));
    const refused = printed.filter(({ line }) => !wrong.has(line)).flatMap(refusalsOf);
    const all = [...problems, ...refused].sort((a, b) => a.line - b.line);
    for (const { line, message } of all.slice(0, MOST_PROBLEMS))
      terminal.note([
        { text: `${read.file}:${line}: `, style: 'strong' },
        { text: message, style: 'bad' },
      ]);
    if (all.length > 0) {
      const more = all.length - MOST_PROBLEMS;
      terminal.problem(
        `${plural(all.length, 'error')} in ${read.file}${more > 0 ? ` (${more} not shown)` : ''}; no group was printed`,
      );
      return exitCodes.no;
    }
    terminal.out(
      printed
        .map(({ yaml }) => yaml)
        .join('---\n')
        .trimEnd(),
    );
    return exitCodes.ok;
  },
);

type Printed = {
  readonly line: number;
  readonly name: string;
  readonly members: readonly string[];
  readonly spec: object;
};

/** What the definition refuses of a group whose names are all in order. */
function refusalsOf({ line, name, members, spec }: Printed): readonly LineProblem[] {
  const long =
    name.length > LONGEST_NAME
      ? `${shown(name)} becomes the name of the group, but has ${name.length} characters; allowed are ${LONGEST_NAME}: put a shorter name first`
      : undefined;
  const isSpec = specValidators.SwarmGroup;
  const refused = isSpec(structuredClone(spec)) ? [] : problemsOf('spec', isSpec.errors ?? []);
  return [
    ...(long === undefined ? [] : [{ line, message: long }]),
    ...refused.map(({ field, message }) => ({
      line,
      message: `group with ${plural(members.length, 'member')}: ${field} ${message}`,
    })),
  ];
}

/** Each member in a line of its own. */
const yamlOf = (source: string, group: object): string =>
  `# ${source}\n${dump(group, { flowLevel: 3, flowBracketPadding: true, quoteStyle: 'double', lineWidth: -1 })}`;

function mustBeLabel(value: string): void {
  if (/^[a-z0-9]([-\w.]{0,61}[a-z0-9])?$/i.test(value)) return;
  throw new CommandError(
    `--app-name is ${shown(value)}; allowed are at most 63 letters, digits, '-', '_' and '.', beginning and ending with a letter or digit`,
  );
}

function mustBeNamespace(value: string): void {
  if (isName(value) && value.length <= LONGEST_NAME && !value.includes('.')) return;
  throw new CommandError(
    `--namespace is ${shown(value)}; allowed are at most 63 lowercase letters, digits and '-', beginning and ending with a letter or digit`,
  );
}
