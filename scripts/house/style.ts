// Which style rules can be checked? The width of comments, names of types, subjects of commits.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const WIDTH = 100;
const SUBJECT = 72;
/** Earlier commits have longer subjects. */
const SUBJECTS_SINCE = '2026-11-23T00:00Z';

export type Source = { readonly file: string; readonly lines: readonly string[] };

export function sourcesIn(root: string, folders: readonly string[]): readonly Source[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => path.posix.join(folder, name))
      .filter((file) => file.endsWith('.ts') && !file.includes('/generated/'))
      .map((file) => ({ file, lines: readFileSync(path.join(root, file), 'utf8').split('\n') })),
  );
}

const comment = /^\s*(?:\/\/|\/?\*)/;

/** The first line says which question a file answers. */
export const withoutQuestion = (sources: readonly Source[]): readonly string[] =>
  sources
    .filter(({ lines: [first = ''] }) => !first.startsWith('//') && !first.startsWith('#!'))
    .map(({ file }) => `${file} does not begin with the question that it answers`);

/**
 * The formatter breaks code; the rest are strings, which stay whole so that they can be searched.
 */
export const wideComments = (sources: readonly Source[]): readonly string[] =>
  sources.flatMap(({ file, lines }) =>
    lines.flatMap((line, index) =>
      line.length > WIDTH && comment.test(line) && !line.includes('biome-ignore')
        ? [`${file}:${index + 1}: a comment of ${line.length} columns, more than ${WIDTH}`]
        : [],
    ),
  );

const declaration = /^export (?:type|interface|(?:abstract )?class) (\w+)/;

/** One name, one meaning. */
export function namesTwice(sources: readonly Source[]): readonly string[] {
  const files = new Map<string, string[]>();
  for (const { file, lines } of sources)
    for (const line of lines) {
      const name = declaration.exec(line)?.[1];
      if (name !== undefined) files.set(name, [...(files.get(name) ?? []), file]);
    }
  return [...files].flatMap(([name, places]) =>
    places.length > 1 ? [`the type ${name} is exported by ${places.join(' and ')}`] : [],
  );
}

/** Without a repository there are no commits. */
export function longSubjects(root: string): readonly string[] {
  const log = ['log', `--since=${SUBJECTS_SINCE}`, '--no-merges', '--format=%h %s'];
  const { stdout } = spawnSync('git', log, { cwd: root, encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => {
    const [hash = '', ...words] = line.split(' ');
    const { length } = words.join(' ');
    return length > SUBJECT
      ? [`commit ${hash}: a subject of ${length} characters, more than ${SUBJECT}`]
      : [];
  });
}
