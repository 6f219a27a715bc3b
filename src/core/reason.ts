// Why is something in its state?

/** `reason` is for programs, `message` for people. */
export type Reason<Name extends string> = { readonly reason: Name; readonly message: string };
