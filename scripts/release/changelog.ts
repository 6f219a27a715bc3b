// What does CHANGELOG.md say of a version?

export type Section = {
  /** YYYY-MM-DD */
  readonly date: string;
  readonly text: string;
};

/** Undefined: the version has no heading with a date. */
export function sectionOf(changelog: string, version: string): Section | undefined {
  for (const part of changelog.split(/^## /m).slice(1)) {
    const [heading = '', ...lines] = part.split('\n');
    const [, name, date] = /^\[(.+)\] - (\d{4}-\d\d-\d\d)$/.exec(heading) ?? [];
    if (name === version && date !== undefined) return { date, text: lines.join('\n').trim() };
  }
  return undefined;
}
