// Does Renovate find every version that the playground pins, and move together what belongs
// together?
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import * as releases from '../../../src/playground/binaries/releases.ts';

const root = new URL('../../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');

type Config = {
  readonly customManagers: readonly {
    readonly matchStrings: readonly [string];
    readonly depNameTemplate: string;
  }[];
  readonly packageRules: readonly {
    readonly matchDepTypes?: readonly string[];
    readonly matchPackageNames: readonly string[];
    readonly groupName?: string;
  }[];
};
const { customManagers, packageRules } = JSON.parse(read('renovate.json')) as Config;
const found = customManagers.map(({ matchStrings: [pattern], depNameTemplate }) => ({
  name: depNameTemplate,
  versions: [...read('src/playground/binaries/releases.ts').matchAll(new RegExp(pattern, 'g'))].map(
    ({ groups }) => groups?.['currentValue'],
  ),
}));

const isNamed = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith('/**') ? name.startsWith(pattern.slice(0, -2)) : name === pattern,
  );

it('Renovate finds each version of releases.ts, once', () => {
  const pinned = Object.entries(releases).filter(([name]) => name.endsWith('Version'));
  expect(found.flatMap(({ versions }) => versions).sort()).toEqual(
    pinned.map(([, version]) => version).sort(),
  );
});

describe.each(found)('the module $name', ({ name, versions }) => {
  it('a version of releases.ts belongs to a module that tools/ pins', () => {
    const modules = readdirSync(new URL('tools/', root)).filter((folder) => folder !== 'lint');
    const pins = modules.map((module) => read(`tools/${module}/go.mod`));
    expect(pins.filter((text) => text.includes(`\t${name} ${versions[0]} `))).not.toEqual([]);
  });

  it('Renovate updates an indirect module in tools/, too, in the same pull request', () => {
    const rules = packageRules.filter((rule) => isNamed(name, rule.matchPackageNames));
    expect(rules.some(({ matchDepTypes }) => matchDepTypes?.includes('indirect'))).toBe(true);
    expect(rules.filter(({ groupName }) => groupName !== undefined)).toHaveLength(1);
  });
});

it('Renovate updates Kubernetes and etcd together', () => {
  const groupOf = (name: string): string | undefined =>
    packageRules.find(
      (rule) => rule.groupName !== undefined && isNamed(name, rule.matchPackageNames),
    )?.groupName;
  expect(groupOf('k8s.io/kubernetes')).toBe('Kubernetes and etcd');
  expect(groupOf('go.etcd.io/etcd/server/v3')).toBe('Kubernetes and etcd');
});
