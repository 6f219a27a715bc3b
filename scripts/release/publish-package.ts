// Is this npm package published? If not, it is now. npm takes a version only once, so that a
// release can run again. Usage: release/publish-package.ts [--dry-run] FILE.tgz…
import path from 'node:path';
import { existing, type Run, run, succeeded } from './command.ts';

type Package = { readonly name: string; readonly version: string };

/** Returns what was done. */
export function publishPackage(file: string, isDryRun: boolean, by: Run): string {
  const text = succeeded(`reading ${file}`, by('tar', '-xzOf', file, 'package/package.json'));
  const { name, version } = JSON.parse(text.stdout) as Package;
  const release = `${name}@${version}`;
  // Of a package without this version npm says nothing, of an unknown one that it is not found.
  const found = existing(`looking for ${release}`, by('npm', 'view', release, 'version'));
  if (found !== undefined && found.stdout.trim() !== '') return `${release} is published already`;
  const options = ['--provenance', '--access', 'public', ...(isDryRun ? ['--dry-run'] : [])];
  // An absolute path: npm takes `a/b` for a repository of GitHub.
  const done = by('npm', 'publish', path.resolve(file), ...options);
  succeeded(`publishing ${release}`, done);
  return `${release} is ${isDryRun ? 'ready to be published' : 'published'}`;
}

if (import.meta.main) {
  const files = process.argv.slice(2);
  const isDryRun = files[0] === '--dry-run';
  for (const file of isDryRun ? files.slice(1) : files)
    console.log(publishPackage(file, isDryRun, run));
}
