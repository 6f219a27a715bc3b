// Which command do the first words of a command line name? Some have names of two words, of which
// the first is a topic: `group status`.
type Named = { readonly name: string };
type Described = Named & { readonly summary: string };

const topicIn = (name: string): string | undefined =>
  name.includes(' ') ? name.slice(0, name.indexOf(' ')) : undefined;

export const topicsOf = (all: readonly Named[]): readonly string[] => [
  ...new Set(all.flatMap(({ name }) => topicIn(name) ?? [])),
];

export const inTopic = <It extends Named>(all: readonly It[], topic: string): readonly It[] =>
  all.filter(({ name }) => topicIn(name) === topic);

/** The words that name a command, and those that follow; nothing is said of whether it is there. */
export function splitName(
  all: readonly Named[],
  words: readonly string[],
): { readonly name: string; readonly rest: readonly string[] } {
  const [first = '', second = ''] = words;
  const isTwo = topicsOf(all).includes(first) && second !== '' && !second.startsWith('-');
  const count = isTwo ? 2 : 1;
  return { name: words.slice(0, count).join(' '), rest: words.slice(count) };
}

/** What may be typed as the first word, or as the second after a topic; with its meaning. */
export function nameWords(
  all: readonly Described[],
  topic?: string,
): readonly (readonly [word: string, meaning: string])[] {
  if (topic !== undefined)
    return inTopic(all, topic).map(({ name, summary }) => [name.slice(topic.length + 1), summary]);
  const words = all.map(({ name, summary }): readonly [string, string] => {
    const its = topicIn(name);
    if (its === undefined) return [name, summary];
    return [
      its,
      nameWords(all, its)
        .map(([word]) => word)
        .join(', '),
    ];
  });
  return [...new Map(words)];
}
