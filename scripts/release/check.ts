// May this checkout be released under this tag? Every file that names a version has to name the
// tag's. Usage: release/check.ts [TAG], which prints the version; without a tag it is that of
// package.json.
import { readFileSync } from 'node:fs';
import { sectionOf } from './changelog.ts';

type Package = { readonly version: string };
type Lock = Package & { readonly packages: Readonly<Record<string, Package>> };

/** By their paths in the repository. */
const named: Readonly<Record<string, (text: string) => readonly (string | undefined)[]>> = {
  'package.json': (text) => [(JSON.parse(text) as Package).version],
  'src/worker/package.json': (text) => [(JSON.parse(text) as Package).version],
  'package-lock.json': (text) => {
    const { version, packages } = JSON.parse(text) as Lock;
    return [version, packages['']?.version, packages['src/worker']?.version];
  },
  'deploy/chart/Chart.yaml': (text) =>
    ['version', 'appVersion'].map((key) => new RegExp(`^${key}: (.*)$`, 'm').exec(text)?.[1]),
};

/** One line for each file that does not agree. `read` takes a path in the repository. */
export function releaseProblems(tag: string, read: (file: string) => string): readonly string[] {
  const version = /^v(\d+\.\d+\.\d+)$/.exec(tag)?.[1];
  if (version === undefined) return [`the tag ${tag} is not valid; expected the form v1.2.3`];
  const problems = Object.entries(named).flatMap(([file, versionsIn]) => {
    const others = versionsIn(read(file)).filter((each) => each !== version);
    return others
      .slice(0, 1)
      .map((other = 'no version') => `${file} says ${other}, not ${version}`);
  });
  const section = sectionOf(read('CHANGELOG.md'), version);
  if (section === undefined)
    return [...problems, `CHANGELOG.md lacks the heading "## [${version}] - YYYY-MM-DD"`];
  return section.text === '' ? [...problems, `CHANGELOG.md says nothing of ${version}`] : problems;
}

if (import.meta.main) {
  const read = (file: string): string =>
    readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const [tag = `v${(JSON.parse(read('package.json')) as Package).version}`] = process.argv.slice(2);
  const problems = releaseProblems(tag, read);
  for (const problem of problems) console.error(`✗ ${problem}`);
  if (problems.length > 0) process.exit(1);
  console.log(tag.slice(1));
}
