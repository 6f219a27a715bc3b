// A short text for the status that differs for different values.
import { createHash } from 'node:crypto';

export const fingerprint = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
