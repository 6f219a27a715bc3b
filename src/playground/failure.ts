// The message and code of an error. Without instanceof: tests run in another realm than Node.

export function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return String(error);
  return String(error.message).trim() || String(error);
}

/** Node's own code of a failed system call, such as ENOENT. */
export function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
