// Is this Node new enough? Checked before any module is loaded that an older Node does not
// understand: this file uses nothing that Node 18 lacks.

/** The version in `engines` of both packages. */
const OLDEST = { major: 22, minor: 19 } as const;

/** Undefined: it is new enough. */
export function oldNodeProblem(
  program: string,
  version = process.versions.node,
): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor);
  return isOld
    ? `${program} needs Node.js ${OLDEST.major}.${OLDEST.minor} or newer; this is ${version}`
    : undefined;
}

export function requireNode(program: string): void {
  const problem = oldNodeProblem(program);
  if (problem === undefined) return;
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}
