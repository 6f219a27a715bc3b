// Which API calls did operators make in all suites? `npm test` collects them, and scripts/rights
// compares them with the granted permissions.
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { asString, dig } from '../../../src/api/objects.ts';

const folder = process.env['SWARM_AUDIT_FOLDER'];

export const isGathered = folder !== undefined;

/** The audit log of a control plane, from the offset where this file's tests began. */
export type AuditLog = { readonly file: string; readonly from: number };

export const auditLogFromNow = (file: string): AuditLog => ({
  file,
  from: existsSync(file) ? statSync(file).size : 0,
});

/** Without the line that was being written when the tests began. */
export function textOf({ file, from }: AuditLog): string {
  const log = openSync(file, 'r');
  try {
    const start = Math.max(from - 1, 0);
    const bytes = Buffer.alloc(fstatSync(log).size - start);
    const text = bytes.toString('utf8', 0, readSync(log, bytes, 0, bytes.length, start));
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    closeSync(log);
  }
}

/** The operators' calls in the audit log of one control plane. */
export function gather(name: string, auditLog: AuditLog | undefined): void {
  if (folder === undefined || auditLog === undefined) return;
  const lines = textOf(auditLog).split('\n');
  const ours = lines.filter(
    (line) =>
      line.includes('"userAgent":"swarm-operator"') && line.includes('system:serviceaccount:'),
  );
  writeFileSync(path.join(folder, `${name}.log`), ours.join('\n'));
}

/** The write in a line of an audit log, if an operator made it. */
export function operatorWrite(
  line: string,
): { readonly namespace: string; readonly name: string; readonly resource: string } | undefined {
  const entry: unknown = JSON.parse(line);
  const resource = asString(dig(entry, 'objectRef', 'resource')) ?? '';
  const isWrite = ['create', 'update', 'patch', 'delete'].includes(
    asString(dig(entry, 'verb')) ?? '',
  );
  const isOurs = asString(dig(entry, 'userAgent'))?.startsWith('swarm-operator') === true;
  if (!isWrite || !isOurs || resource === 'events') return undefined;
  const subresource = asString(dig(entry, 'objectRef', 'subresource'));
  const namespace = asString(dig(entry, 'objectRef', 'namespace')) ?? '';
  return {
    namespace,
    name: asString(dig(entry, 'objectRef', 'name')) ?? '',
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
  };
}

/**
 * The operators' writes in a namespace, from the API server's audit log: `configmaps`,
 * `pods/status`. Without Events.
 */
export function operatorWrites(auditLog: AuditLog, namespace: string): readonly string[] {
  // The part after the last line break is still being written.
  const lines = textOf(auditLog).split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    const write = operatorWrite(line);
    return write?.namespace === namespace ? [write.resource] : [];
  });
}

/**
 * The same, from each write of a ConfigMap to the next. The log may contain a write after its
 * effect is visible; but an operator sends its next write only after the response to the one
 * before: all but the last of these are complete.
 */
export function publications(
  auditLog: AuditLog,
  namespace: string,
): readonly (readonly string[])[] {
  const writes = operatorWrites(auditLog, namespace);
  const starts = writes.flatMap((what, index) => (what === 'configmaps' ? [index] : []));
  return starts.map((start, index) => writes.slice(start, starts[index + 1]));
}
