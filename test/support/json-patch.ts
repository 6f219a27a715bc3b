// What does a JSON patch make of an object? All of its operations, or none.
import { asRecord, type KubeObject } from '../../src/api/objects.ts';
import type { PatchOperation } from '../../src/core/decision.ts';
import { KubeError } from '../../src/runtime/client/errors.ts';

type Fields = Readonly<Record<string, unknown>>;

export function patched(object: KubeObject, operations: readonly PatchOperation[]): KubeObject {
  let at = object;
  for (const operation of operations)
    at = { ...at, ...applied(at, operation, partsOf(operation.path)) };
  return at;
}

const partsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

function applied(value: unknown, operation: PatchOperation, path: readonly string[]): Fields {
  const fields = asRecord(value);
  const [name = '', ...rest] = path;
  if (fields === undefined) throw refused(operation, 'there is nothing there');
  if (rest.length > 0) return { ...fields, [name]: applied(fields[name], operation, rest) };
  if (operation.op === 'test') {
    if (JSON.stringify(fields[name]) === JSON.stringify(operation.value)) return fields;
    throw refused(operation, 'test failed');
  }
  if (operation.op !== 'add' && fields[name] === undefined)
    throw refused(operation, 'there is nothing there');
  if (operation.op !== 'remove') return { ...fields, [name]: operation.value };
  const { [name]: _, ...others } = fields;
  return others;
}

/** As an API server answers: the object is not the one that was meant. */
const refused = ({ op, path }: PatchOperation, why: string): KubeError =>
  new KubeError('Stale', `the ${op} of ${path}: ${why}`, { status: 422 });
