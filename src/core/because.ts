// Why is something as it is?

/** A reason for programs, a message for people. */
export type Because<Reason extends string> = { readonly reason: Reason; readonly message: string };
