// How does an object become the text of a template? It is dumped as YAML with a mark at each place
// that values fill; then each mark is replaced by its Helm expression.
import { dump } from 'js-yaml';

type Hole = {
  /** For a mark that is only a part of a text. */
  readonly expression?: string;
  /** The lines at a mark: `indent` is where they begin, `key` the field that they fill. */
  readonly lines: (indent: string, key: string) => readonly string[];
};

const MARK = 'HELMHOLE';
const alone = new RegExp(`^( *)${MARK}(\\d+)x: null$`);
const filled = new RegExp(`^( *)([\\w./-]+): ${MARK}(\\d+)x$`);
const inside = new RegExp(`${MARK}(\\d+)x`, 'g');

// Aliases would repeat marks; folded lines would break them.
const yaml = (value: unknown): readonly string[] =>
  dump(value, { noRefs: true, lineWidth: -1 }).trimEnd().split('\n');

/** A level of YAML, as `nindent` counts it. */
const deeper = (indent: string): number => indent.length + 2;

export class Holes {
  readonly #holes: Hole[] = [];

  /** A text, or a part of one. */
  text(expression: string): string {
    const lines: Hole['lines'] = (indent, key) => [`${indent}${key}: {{ ${expression} }}`];
    return this.#mark({ expression, lines });
  }

  /** A map or a list that is there only when the value is not empty. */
  optional(value: string): string {
    return this.#inside(`with ${value}`, (indent, key) => [
      `${indent}${key}:`,
      `${indent}  {{- toYaml . | nindent ${deeper(indent)} }}`,
    ]);
  }

  /** The same of a text. */
  optionalText(value: string): string {
    return this.#inside(`with ${value}`, (indent, key) => [`${indent}${key}: {{ quote . }}`]);
  }

  /** A text for which there is a condition. */
  only(condition: string, expression: string): string {
    const line = `{{ ${expression} }}`;
    return this.#inside(`if ${condition}`, (indent, key) => [`${indent}${key}: ${line}`]);
  }

  /** A list of which the first entries are fixed. */
  list(fixed: readonly unknown[], more: string): string {
    const lines: Hole['lines'] = (indent, key) => [
      `${indent}${key}:`,
      ...yaml(fixed).map((line) => `${indent}  ${line}`),
      `${indent}  {{- with ${more} }}`,
      `${indent}  {{- . | nindent ${deeper(indent)} }}`,
      `${indent}  {{- end }}`,
    ];
    return this.#mark({ lines });
  }

  /** Fields that a helper writes: `{ [holes.fields(…)]: null }`. */
  fields(expression: string): string {
    const lines: Hole['lines'] = (indent) => [
      `${indent}{{- ${expression} | nindent ${indent.length} }}`,
    ];
    return this.#mark({ lines });
  }

  write(object: unknown): string {
    const lines = yaml(object).flatMap((line) => {
      // Braces of alerts and the like are no expressions of Helm.
      return this.#fill(line.replaceAll('{{', '{{ "{{" }}'));
    });
    return `${lines.join('\n')}\n`;
  }

  #inside(begin: string, lines: Hole['lines']): string {
    return this.#mark({
      lines: (indent, key) => [
        `${indent}{{- ${begin} }}`,
        ...lines(indent, key),
        `${indent}{{- end }}`,
      ],
    });
  }

  #mark(hole: Hole): string {
    return `${MARK}${this.#holes.push(hole) - 1}x`;
  }

  #fill(line: string): readonly string[] {
    const [, indent = '', key = '', number] = filled.exec(line) ?? [];
    if (number !== undefined) return this.#at(number).lines(indent, key);
    const [, start = '', index] = alone.exec(line) ?? [];
    if (index !== undefined) return this.#at(index).lines(start, '');
    return [line.replaceAll(inside, (_, found: string) => this.#textAt(found))];
  }

  #textAt(number: string): string {
    const { expression } = this.#at(number);
    if (expression === undefined) throw new Error('only a text can be a part of a line');
    return `{{ ${expression} }}`;
  }

  #at(number: string): Hole {
    const hole = this.#holes[Number(number)];
    if (hole === undefined) throw new Error(`${MARK}${number} was never made`);
    return hole;
  }
}
