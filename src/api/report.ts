// What does a worker answer when it is asked which version it runs? Written by workers, read by the operator.
import { HIGHEST_VERSION } from './assignment.ts';
import { asList, asString, isRecord } from './objects.ts';

export type WorkerReport = {
  readonly version: number;
  /** Workers of the original Go project may leave it out; then the version alone speaks. */
  readonly jobs?: readonly string[];
  /** The newer version that it has read and is carrying out; nothing when there is none. */
  readonly read?: number;
  /** Whose answer it is: an address may have passed to another pod. */
  readonly podUid?: string;
};

export function readReport(text: string): WorkerReport | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || !isVersion(value['version'])) return undefined;
  const podUid = asString(value['podUid']);
  const read = value['read'];
  return {
    version: value['version'],
    ...(Array.isArray(value['jobs']) && { jobs: asList(value['jobs']).map(String) }),
    ...(isVersion(read) && { read }),
    ...(podUid !== undefined && podUid !== '' && { podUid }),
  };
}

const isVersion = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= HIGHEST_VERSION;
