// Adds to package-lock.json the packages of other platforms that the local registry did not list,
// so that `npm ci` works everywhere. Run it after a change of dependencies: without these entries
// `npm ci` calls the lock file incomplete.
import { readFileSync, writeFileSync } from 'node:fs';
import { root } from './run.ts';

type Package = {
  readonly version: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
};

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];

const file = `${root}package-lock.json`;
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Package> };
const added: string[] = [];
for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    if (lock.packages[path] !== undefined) continue;
    const words = name.split(/[/-]/);
    const os = SYSTEMS.filter((system) => words.includes(system));
    const cpu = PROCESSORS.filter((processor) => words.includes(processor));
    // A package for all platforms is missing for another reason.
    if (os.length === 0 || cpu.length === 0) continue;
    const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : [];
    lock.packages[path] = {
      version,
      cpu,
      ...(parent.dev === true && { dev: true }),
      ...(libc.length > 0 && { libc }),
      optional: true,
      os,
    };
    added.push(name);
  }
}
const sorted = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)),
);
writeFileSync(file, `${JSON.stringify({ ...lock, packages: sorted }, null, 2)}\n`);
console.log(
  added.length === 0 ? 'nothing is missing' : `added ${added.length}: ${added.join(', ')}`,
);
