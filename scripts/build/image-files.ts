// Which files go into an image? Those that its program imports, directly or indirectly, the
// packages that they need, and an SBOM. Usage: build/image-files.ts PROGRAM FOLDER, in the project
// and after a build; for example image-files.ts dist/worker/main.js /images/worker
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from '@swc/core';
import { writeBill } from './sbom.ts';

const root = process.cwd();
const [program, folder] = process.argv.slice(2);
if (program === undefined || folder === undefined) {
  console.error('usage: build/image-files.ts PROGRAM FOLDER');
  process.exit(2);
}
const files = new Set<string>();
const packages = new Set<string>();
follow(path.join(root, program));
for (const file of files) cpSync(file, targetOf(file), { recursive: true });
for (const at of packages)
  cpSync(at, targetOf(at), { recursive: true, filter: (file) => isNeeded(at, file) });
const packagePaths = [...packages].map((at) => path.relative(root, at));
writeBill(folder, root, packagePaths);
console.log(`${program}: ${files.size} files and ${packages.size} packages to ${folder}`);

function targetOf(file: string): string {
  return path.join(folder ?? '', path.relative(root, file));
}

function follow(file: string): void {
  if (files.has(file)) return;
  files.add(file);
  if (!/\.c?js$/.test(file)) return;
  for (const name of namesIn(file)) {
    if (name.startsWith('node:')) continue;
    if (!name.startsWith('.')) addPackage(name, path.dirname(file));
    else follow(existing(path.resolve(path.dirname(file), name), file));
  }
}

function existing(file: string, from: string): string {
  if (!existsSync(file))
    throw new Error(`${from} needs ${file}, which does not exist: is dist/ built?`);
  return file;
}

/**
 * The imports and requires of a module, and the files that it reads by `new URL('…',
 * import.meta.url)`.
 */
function namesIn(file: string): readonly string[] {
  const names: string[] = [];
  visit(parseSync(readFileSync(file, 'utf8'), { syntax: 'ecmascript', target: 'es2024' }));
  return names;

  function visit(node: unknown): void {
    if (typeof node !== 'object' || node === null) return;
    const name = nameIn(node, file);
    if (name !== undefined) names.push(name);
    for (const inner of Object.values(node)) visit(inner);
  }
}

type Syntax = {
  readonly type?: string;
  readonly source?: { readonly value?: string } | null;
  readonly callee?: { readonly type?: string; readonly value?: string };
  readonly arguments?:
    | readonly { readonly expression: { readonly type: string; readonly value?: string } }[]
    | null;
};

function nameIn(
  { type, source, callee, arguments: given }: Syntax,
  file: string,
): string | undefined {
  if (
    type === 'ImportDeclaration' ||
    type === 'ExportNamedDeclaration' ||
    type === 'ExportAllDeclaration'
  )
    return source?.value;
  const isImport =
    type === 'CallExpression' && (callee?.type === 'Import' || callee?.value === 'require');
  const isUrl =
    type === 'NewExpression' &&
    callee?.value === 'URL' &&
    given?.[1]?.expression.type === 'MemberExpression';
  if (!isImport && !isUrl) return undefined;
  const [first] = given ?? [];
  if (first?.expression.type === 'StringLiteral') return first.expression.value;
  throw new Error(`${file} has an import that is known only when it runs`);
}

/**
 * As Node resolves it, with all declared dependencies; optional ones only if they are installed.
 */
function addPackage(specifier: string, from: string): void {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const at = lookUp(name, from);
  if (at === undefined)
    throw new Error(`${from} needs the package ${name}, which is not installed`);
  if (packages.has(at)) return;
  packages.add(at);
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
    readFileSync(path.join(at, 'package.json'), 'utf8'),
  ) as {
    readonly [field in 'dependencies' | 'optionalDependencies' | 'peerDependencies']?: Readonly<
      Record<string, string>
    >;
  };
  const needed = Object.keys(dependencies ?? {}).filter((other) => !other.startsWith('@types/'));
  for (const other of needed)
    if (optionalDependencies?.[other] === undefined) addPackage(other, at);
  for (const other of Object.keys({ ...optionalDependencies, ...peerDependencies }))
    if (lookUp(other, at)) addPackage(other, at);
}

function lookUp(name: string, from: string): string | undefined {
  const at = path.join(from, 'node_modules', name);
  if (existsSync(path.join(at, 'package.json'))) return at;
  return from === path.dirname(from) ? undefined : lookUp(name, path.dirname(from));
}

/**
 * Types, source maps and texts of packages are not read at run time; licences stay. Nested packages
 * are handled separately.
 */
function isNeeded(at: string, file: string): boolean {
  if (statSync(file).isDirectory())
    return path.relative(at, file) === '' || path.basename(file) !== 'node_modules';
  return (
    /^(licen[cs]e|notice)/i.test(path.basename(file)) || !/\.([cm]?ts|map|md|markdown)$/.test(file)
  );
}
