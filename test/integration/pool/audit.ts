// What did operators ask of the API servers of all suites? `npm test` gathers it, and scripts/rights compares it with what is granted.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = process.env['SWARM_AUDIT_FOLDER'];

export const isGathered = folder !== undefined;

/** Of the audit log of one control plane, what is theirs. */
export function gather(name: string, auditLog: string | undefined): void {
  if (folder === undefined || auditLog === undefined) return;
  const lines = readFileSync(auditLog, 'utf8').split('\n');
  const ours = lines.filter((line) => line.includes('"userAgent":"swarm-operator"') && line.includes('system:serviceaccount:'));
  writeFileSync(path.join(folder, `${name}.log`), ours.join('\n'));
}
