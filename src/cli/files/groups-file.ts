// Which groups does a groups.txt name? Each line is one: names of Deployments that are scaled
// together, with commas between them.
import { isName } from '../../api/objects.ts';
import { oneLine } from '../../api/text.ts';

/** Lines count from 1. */
type GroupLine = { readonly line: number; readonly members: readonly string[] };
export type LineProblem = { readonly line: number; readonly message: string };

type GroupsFile = {
  readonly groups: readonly GroupLine[];
  readonly problems: readonly LineProblem[];
};

/** Lines without a name and those that begin with # are passed over. */
export function readGroups(text: string): GroupsFile {
  const problems: LineProblem[] = [];
  /** The line in which a name stood first. */
  const stood = new Map<string, number>();
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const groups = lines.flatMap((content, index): readonly GroupLine[] => {
    const line = index + 1;
    const trimmed = content.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    const members = trimmed.split(',').map((name) => name.trim());
    for (const [at, name] of members.entries()) {
      const message = whyNotMember(name, at, members.length) ?? whyTwice(name, line, stood);
      if (message === undefined) stood.set(name, line);
      else problems.push({ line, message });
    }
    return [{ line, members }];
  });
  if (groups.length === 0)
    problems.push({
      line: 1,
      message: 'contains no group; expected one per line, such as teastore-webui,teastore-db',
    });
  return { groups, problems };
}

const LONGEST_SHOWN = 80;

export const shown = (text: string): string => JSON.stringify(oneLine(text, LONGEST_SHOWN));

function whyNotMember(name: string, at: number, count: number): string | undefined {
  if (name === '')
    return `name ${at + 1} of ${count} is empty; expected a name on both sides of each comma`;
  return isName(name)
    ? undefined
    : `${shown(name)} is not a valid name of a Deployment; allowed are at most 253 lowercase letters, digits, '-' and '.', beginning and ending with a letter or digit`;
}

function whyTwice(
  name: string,
  line: number,
  stood: ReadonlyMap<string, number>,
): string | undefined {
  const first = stood.get(name);
  if (first === undefined) return undefined;
  return first === line
    ? `${name} appears twice in this line`
    : `${name} also appears in line ${first}; a Deployment can be in only one group`;
}
