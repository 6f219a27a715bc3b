// swarmctl group import: which SwarmGroups does a groups.txt mean, or which one do the present
// sizes of a namespace make?
import { dump } from 'js-yaml';
import { MOST_PROBLEMS } from '../../../api/bounds.ts';
import { apiVersionOf, kinds } from '../../../api/kinds.ts';
import { isName } from '../../../api/objects.ts';
import { problemsOf } from '../../../api/own-object.ts';
import { specValidators } from '../../../api/validate.ts';
import { plural } from '../../../core/text.ts';
import type { Values } from '../../../flags.ts';
import {
  type Command,
  CommandError,
  command,
  exitCodes,
  groupFlags,
} from '../../arguments/command.ts';
import type { Terminal } from '../../arguments/terminal.ts';
import { withCluster } from '../../cluster/connect.ts';
import { type LineProblem, readGroups, shown } from '../../files/groups-file.ts';
import { readText } from '../../files/read.ts';
import { proposedSpec, readMembers } from '../../group/from-cluster.ts';

const LABEL_APP = 'app_name';
const DEFAULT_APP = 'teastore';
/** Labels hold the name of a group. */
const LONGEST_NAME = 63;

export const groupImport: Command = command(
  {
    name: 'group import',
    summary:
      'print SwarmGroups for a groups.txt, or for the present sizes in a namespace, as YAML for kubectl apply',
    operands: { usage: '[FILE|MEMBER...]', least: 0, most: 100 },
    about: `Each line of the file is a group: names of Deployments, separated by commas, such as teastore-webui,teastore-db. Empty lines and lines
that begin with # are skipped. A group gets the name of its first Deployment, so that the name does not depend on the order of lines, and
the label ${LABEL_APP}. It takes its size from its members; if they differ, set --replicas. Needs no cluster.

With --from-cluster, the members are read from the namespace: those that you name (NAME of a Deployment, statefulset/NAME or
swarmpool/NAME), and those with the labels of --selector. One group is printed, in which each member has just the replicas that it has
now: at the size that needs the fewest ratios, or at --replicas. A workload whose SwarmPool is a member is left out. Nothing is changed,
and no label is copied.

Exit codes: 0 all groups were printed, 1 the file has errors (each is reported with its line, and no group is printed),
2 wrong command line, the file cannot be read, no ratios fit, or no connection to the cluster.`,
    examples: [
      [
        'swarmctl group import groups.txt | kubectl apply -f -',
        'import groups at their current size',
      ],
      ['swarmctl group import groups.txt --app-name teastore -n default', 'review them first'],
      [
        'swarmctl group import --from-cluster -n shop -l app=shop',
        'a group of what runs in a namespace, with ratios from the present sizes',
      ],
      ['swarmctl group import --from-cluster web statefulset/db', 'the same of two members'],
      ['cat groups-*.txt | swarmctl group import - --replicas 1', 'several files, at size 1'],
    ],
    flags: {
      appName: {
        type: 'text',
        value: 'NAME',
        help: `the label ${LABEL_APP} of each group; default: "${DEFAULT_APP}", none with --from-cluster`,
      },
      fromCluster: { type: 'switch', help: 'read the members from the cluster' },
      selector: {
        type: 'text',
        value: 'LABELS',
        short: 'l',
        needs: 'fromCluster',
        help: 'the labels of members, such as app=shop',
      },
      name: {
        type: 'text',
        value: 'NAME',
        needs: 'fromCluster',
        help: 'the name of the group; default: that of its first member',
      },
      ...groupFlags,
      namespace: {
        type: 'text',
        value: 'NAME',
        short: 'n',
        help: 'the namespace of the groups and their members; default: "default", that of the context with --from-cluster',
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
  async ({ values, operands }, terminal) => {
    const { appName, namespace, replicas } = values;
    if (appName !== undefined) mustBeLabel(appName);
    if (namespace !== undefined) mustBeNamespace(namespace);
    if (values.fromCluster) {
      terminal.out(await groupOf(values, operands));
      return exitCodes.ok;
    }
    const [file, ...others] = operands;
    if (file === undefined || others.length > 0)
      throw new CommandError('expected one FILE, or --from-cluster (see --help)');
    return importFile(file, { appName, namespace, replicas }, terminal);
  },
);

type ClusterFlags = Values<typeof groupFlags> & {
  readonly appName: string | undefined;
  readonly selector: string | undefined;
  readonly name: string | undefined;
  readonly replicas: number | undefined;
};

/** Of members in a cluster, with their present sizes. */
async function groupOf(values: ClusterFlags, names: readonly string[]): Promise<string> {
  const { appName, selector, replicas } = values;
  if (names.length === 0 && selector === undefined)
    throw new CommandError('--from-cluster needs names of members, or --selector (see --help)');
  return withCluster(values, async ({ api, namespace }) => {
    const objects = await readMembers(api, { namespace, names, selector });
    const spec = proposedSpec(objects, replicas);
    const name = values.name ?? objects[0]?.metadata.name ?? '';
    if (name.length > LONGEST_NAME || !isName(name))
      throw new CommandError(
        `${shown(name)} cannot be the name of a group; name one of at most ${LONGEST_NAME} characters by --name`,
      );
    const labels = appName === undefined ? {} : { labels: { [LABEL_APP]: appName } };
    return yamlOf(
      `namespace ${namespace}`,
      groupObject({ name, namespace, ...labels }, spec),
    ).trimEnd();
  });
}

const groupObject = (metadata: object, spec: object): object => ({
  apiVersion: apiVersionOf(kinds.SwarmGroup),
  kind: kinds.SwarmGroup.kind,
  metadata,
  spec,
});

type FileFlags = Pick<ClusterFlags, 'appName' | 'replicas'> & {
  readonly namespace: string | undefined;
};

async function importFile(
  file: string,
  { appName = DEFAULT_APP, namespace = 'default', replicas }: FileFlags,
  terminal: Terminal,
): Promise<number> {
  const read = readText(file);
  const { groups, problems } = readGroups(read.text);
  const printed = groups.map(({ line, members }) => {
    const [name = ''] = members;
    const spec = {
      ...(replicas !== undefined && { replicas }),
      members: members.map((member) => ({ kind: kinds.Deployment.kind, name: member })),
    };
    const metadata = { name, namespace, labels: { [LABEL_APP]: appName } };
    const group = groupObject(metadata, spec);
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
}

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
