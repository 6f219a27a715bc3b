// Why is something as it is?

/** A reason for programs, a message for people. */
export type Reason<Name extends string> = { readonly reason: Name; readonly message: string };
