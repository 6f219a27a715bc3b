// What does an error of unknown origin say? Not by instanceof: in tests, Node's own errors come
// from another realm.
import { asString, dig } from './objects.ts';

export const errorText = (error: unknown): string =>
  asString(dig(error, 'message'))?.trim() || String(error);

/** Node's own code, such as ENOENT of a system call. */
export const errorCode = (error: unknown): string | undefined => asString(dig(error, 'code'));
