// Which packages does a build contain? Every package that runs in it, as CycloneDX, from the lock
// file: the same lock file gives the same text. (`npm sbom --omit=dev` leaves out packages that
// development needs as well: winston's own is-stream, for one.)
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../run.ts';

export type Locked = {
  readonly version: string;
  readonly dev?: boolean;
  /** A workspace: a folder of this project. */
  readonly link?: boolean;
  readonly integrity?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
};

type Package = { readonly name: string; readonly version: string; readonly license?: string };

export function billOf(project: Package, packages: Readonly<Record<string, Locked>>): object {
  // The project itself, and a workspace with its link, are not packages.
  const installed = Object.entries(packages).filter(
    ([folder, { dev, link }]) => folder.includes('node_modules/') && dev !== true && link !== true,
  );
  const components = new Map(
    installed.map(([folder, locked]) => {
      const component = componentOf({ name: nameIn(folder), ...locked }, locked.integrity);
      return [component['bom-ref'], component] as const;
    }),
  );
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { ...componentOf(project, undefined), type: 'application' } },
    components: [...components.values()].sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
  };
  return { ...bill, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(bill))}` };
}

const nameIn = (folder: string): string =>
  folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);

function componentOf({ name, version, license }: Package, integrity: string | undefined) {
  const [algorithm = '', digest = ''] = integrity?.split('-') ?? [];
  const content = Buffer.from(digest, 'base64').toString('hex');
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license !== undefined && { licenses: [{ expression: license }] }),
    ...(content !== '' && { hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content }] }),
  };
}

/** A hash of the contents, in the form of a UUID. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Writes it into the folder of a build or of an image; for an image it lists only the packages that
 * were copied to these folders.
 */
export function writeBill(into: string, from = root, paths?: readonly string[]): void {
  const project = JSON.parse(readFileSync(path.join(from, 'package.json'), 'utf8')) as Package;
  const { packages: locked } = JSON.parse(
    readFileSync(path.join(from, 'package-lock.json'), 'utf8'),
  ) as {
    packages: Record<string, Locked>;
  };
  const packages =
    paths === undefined
      ? locked
      : Object.fromEntries(paths.map((folder) => [folder, runningAt(folder, locked)]));
  mkdirSync(into, { recursive: true });
  writeFileSync(
    `${into}/sbom.cdx.json`,
    `${JSON.stringify(billOf(project, packages), undefined, 2)}\n`,
  );
}

/** An image must not contain a package that is not pinned, or that is for development only. */
function runningAt(folder: string, locked: Readonly<Record<string, Locked>>): Locked {
  const found = locked[folder];
  if (found === undefined) throw new Error(`${folder} is not in package-lock.json`);
  if (found.dev === true) throw new Error(`${folder} is for development, says package-lock.json`);
  return found;
}
