// Does a shell or command in a rank have a terminal, and does it read the input of this process?

/** `isTTY` is undefined where there is no terminal. */
type MayBeTerminal = { readonly isTTY?: boolean | undefined };

type Given<Input> = {
  readonly stdin: Input;
  readonly stdout: MayBeTerminal;
  /** Empty: a shell. */
  readonly words: readonly string[];
};

type Streams<Input> = {
  readonly isTerminal: boolean;
  /** Undefined: it reads nothing. */
  readonly stdin: Input | undefined;
};

export function streamsFor<Input extends MayBeTerminal>({
  stdin,
  stdout,
  words,
}: Given<Input>): Streams<Input> {
  if (stdin.isTTY !== true) return { isTerminal: false, stdin };
  // A command whose output goes to a pipe or a file must not take what the user types next.
  const isTerminal = stdout.isTTY === true || words.length === 0;
  return { isTerminal, stdin: isTerminal ? stdin : undefined };
}
