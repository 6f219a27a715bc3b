// Which lines of an operator's log tell of a mistake?

/** The operator logs only JSON: a line of another form comes from Node, just before it exits. */
export const strangeLinesIn = (log: string): readonly string[] =>
  log
    .split('\n')
    .filter(
      (line) =>
        line !== '' &&
        (!line.startsWith('{') ||
          /"level":"error"|[Uu]nhandled|mistake in the operator/.test(line)),
    );
