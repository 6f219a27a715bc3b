// Which errors keep the process from starting? Those that its user can do something about.

/** The process cannot start. Its message is for the user: why, and what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
