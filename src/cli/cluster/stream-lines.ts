// Which lines in the log of a worker are about a stream? Those that the stream writes, with its
// name in brackets before them, and those that swarm-worker itself writes about it.

/** swarm-worker quotes a name that is not plain. */
export function isAbout(stream: string, line: string): boolean {
  return [stream, JSON.stringify(stream)].some((name) => {
    if (line.startsWith(`[${name}] `)) return true;
    const [, words = ''] = /^\S+ (?:info|warn) (.*)$/.exec(line) ?? [];
    return [`stream ${name} `, `started stream=${name} `, `stopped stream=${name} `].some((start) =>
      `${words} `.startsWith(start),
    );
  });
}
