import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { billOf, type Locked } from '../../../scripts/build/sbom.ts';

const root = new URL('../../../', import.meta.url).pathname;
const lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
  packages: Record<string, Locked>;
};
const project = { name: 'swarm-operator', version: '0.1.0', license: 'Apache-2.0' };

type Bill = {
  readonly serialNumber: string;
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly hashes?: object;
  }[];
};
const bill = (packages: Readonly<Record<string, Locked>>): Bill =>
  billOf(project, packages) as Bill;

describe('the SBOM', () => {
  it('the SBOM lists runtime packages with versions, licences and checksums, and no development packages', () => {
    const integrity = `sha512-${Buffer.from('abc').toString('base64')}`;
    const packages = {
      '': { version: '0.1.0' },
      'node_modules/@scope/a': { version: '1.0.0', integrity, license: 'MIT' },
      'node_modules/b/node_modules/@scope/a': { version: '2.0.0', integrity },
      'node_modules/jest': { version: '30.0.0', dev: true },
    };
    expect(bill(packages).components).toMatchObject([
      {
        name: '@scope/a',
        version: '1.0.0',
        purl: 'pkg:npm/%40scope/a@1.0.0',
        licenses: [{ expression: 'MIT' }],
        hashes: [{ alg: 'SHA-512', content: '616263' }],
      },
      { name: '@scope/a', version: '2.0.0' },
    ]);
  });

  it('the SBOM of this project has every package of its dependencies, down to the last', () => {
    const names = new Set(bill(lock.packages).components.map(({ name }) => name));
    const seen = new Set<string>();
    const visit = (name: string): void => {
      if (seen.has(name) || !existsSync(`${root}node_modules/${name}/package.json`)) return;
      seen.add(name);
      const { dependencies = {} } = JSON.parse(
        readFileSync(`${root}node_modules/${name}/package.json`, 'utf8'),
      ) as {
        dependencies?: Record<string, string>;
      };
      Object.keys(dependencies).forEach(visit);
    };
    const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
      dependencies: Record<string, string>;
    };
    Object.keys(dependencies).forEach(visit);
    expect([...seen].filter((name) => !names.has(name))).toEqual([]);
    expect(bill(lock.packages).components.filter(({ hashes }) => hashes === undefined)).toEqual([]);
  });

  it('the SBOM is the same for the same packages, and has another serial number for others', () => {
    const { [Object.keys(lock.packages).at(-1) ?? '']: _, ...fewer } = lock.packages;
    expect(bill(lock.packages)).toEqual(bill(lock.packages));
    expect(bill({ ...fewer, 'node_modules/x': { version: '1.0.0' } }).serialNumber).not.toBe(
      bill(lock.packages).serialNumber,
    );
  });
});

describe('docs/decisions/0007-dependencies.md', () => {
  const text = readFileSync(`${root}docs/decisions/0007-dependencies.md`, 'utf8');
  const told = [...text.matchAll(/^\| `([^`]+)` \| (\d+) \|/gm)].map(
    ([, name = '', count]) => [name, Number(count)] as const,
  );

  /** Where Node finds a package of this name from there. */
  const found = (from: string, name: string): string | undefined => {
    const place = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
    if (place in lock.packages) return place;
    return from === ''
      ? undefined
      : found(
          from.includes('/node_modules/') ? from.slice(0, from.lastIndexOf('/node_modules/')) : '',
          name,
        );
  };
  const visit = (place: string | undefined, seen: Set<string>): Set<string> => {
    if (place === undefined || seen.has(place)) return seen;
    const { dependencies, optionalDependencies, peerDependencies } = lock.packages[place] ?? {};
    seen.add(place);
    for (const name of Object.keys({
      ...dependencies,
      ...optionalDependencies,
      ...peerDependencies,
    }))
      visit(found(place, name), seen);
    return seen;
  };

  it('docs/decisions/0007 gives a reason for every dependency, and counts the packages that each adds', () => {
    const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const counted = Object.keys(dependencies).map((name) => [
      name,
      visit(found('', name), new Set()).size,
    ]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(counted));
    const together = told.reduce((seen, [name]) => visit(found('', name), seen), new Set<string>());
    expect(text).toContain(`together they are ${together.size},`);
  });
});
