// Which process consumed which stream, and when? The processes themselves record it as they start
// and end, so that no report stands in between.

export type Consumer = { readonly pod: string; readonly uid: string };

export type Start = {
  readonly stream: string;
  readonly by: Consumer;
  readonly others: readonly Consumer[];
};

export class Ledger {
  readonly #consumers = new Map<string, Consumer[]>();
  readonly #onStart: (start: Start) => void;
  /** Streams that ever ran in two pods at a time. */
  readonly overlapped = new Set<string>();

  constructor(onStart: (start: Start) => void) {
    this.#onStart = onStart;
  }

  /** The returned function ends it. */
  begin(stream: string, by: Consumer): () => void {
    const present = this.#consumers.get(stream) ?? [];
    if (present.some(({ uid }) => uid !== by.uid)) this.overlapped.add(stream);
    this.#onStart({ stream, by, others: present });
    this.#consumers.set(stream, [...present, by]);
    return () => {
      const left = (this.#consumers.get(stream) ?? []).filter((it) => it !== by);
      if (left.length === 0) this.#consumers.delete(stream);
      else this.#consumers.set(stream, left);
    };
  }

  consumersOf(stream: string): readonly Consumer[] {
    return this.#consumers.get(stream) ?? [];
  }

  get streams(): readonly string[] {
    return [...this.#consumers.keys()];
  }
}
