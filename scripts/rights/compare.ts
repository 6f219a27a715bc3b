// Does the operator have exactly the permissions that it uses? Compares the manifests with the
// audit logs of all suites; prints a table.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { loadAll } from 'js-yaml';
import { isKubeObject } from '../../src/api/objects.ts';
import { grantedTo, usedIn } from './rights.ts';

const account = { namespace: 'swarm-operator', name: 'swarm-operator' };

/** Granted although no suite uses it, and why. */
const surplus: Readonly<Record<string, string>> = {};

export type Comparison = { readonly table: string; readonly problems: readonly string[] };

/** `isWhole`: all suites ran, so that a permission without use is too much. */
export function compareRights(
  kubectl: string,
  kustomization: string,
  auditFolder: string,
  isWhole: boolean,
): Comparison {
  const objects = loadAll(
    execFileSync(kubectl, ['kustomize', kustomization], { encoding: 'utf8' }),
  ).filter(isKubeObject);
  const granted = grantedTo(account, objects);
  const logs = readdirSync(auditFolder).map((file) =>
    readFileSync(path.join(auditFolder, file), 'utf8'),
  );
  const { used, refused } = usedIn(logs.join('\n'));
  const rights = [...new Set([...granted, ...used.keys()])].sort(byResource);
  const rows = rights.map((right) => [
    right,
    granted.has(right) ? 'yes' : 'NO',
    String(used.get(right) ?? 0),
    surplus[right] ?? '',
  ]);
  const unused = isWhole ? [...granted].filter((right) => !used.has(right)) : [];
  return {
    table: tableOf([
      ['right', 'granted', `requests in ${logs.length} suites`, 'why, if never used'],
      ...rows,
    ]),
    problems: [
      ...[...used.keys()]
        .filter((right) => !granted.has(right))
        .map((right) => `${right} is used and not granted`),
      ...refused.map((text) => `refused: ${text}`),
      ...unused
        .filter((right) => !(right in surplus))
        .map((right) => `${right} is granted and used by no suite`),
      ...Object.keys(surplus).flatMap((right) =>
        granted.has(right) && !used.has(right)
          ? []
          : isWhole
            ? [`${right} is listed as surplus, but is used or not granted`]
            : [],
      ),
    ],
  };
}

const byResource = (a: string, b: string): number => (reversed(a) < reversed(b) ? -1 : 1);
const reversed = (right: string): string => right.split(' ').slice(1).concat(right).join(' ');

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
    )
    .join('\n');
}
