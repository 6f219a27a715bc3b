// A short text that tells two values apart, for status: another value, another text.
import { createHash } from 'node:crypto';

export const fingerprint = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
