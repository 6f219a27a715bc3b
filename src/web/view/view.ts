// What is a view? A part of the page that is there for as long as its address is.
import type { PoolNews } from '../model/pools.ts';
import type { Looked } from '../model/route.ts';

export type View = {
  readonly element: HTMLElement;
  readonly title: string;
  /** Ask again: news may have been missed. */
  refresh(): void;
  onNews(news: PoolNews): void;
  /** The address names another stream or worker. */
  look(looked: Looked): void;
  close(): void;
};

/** Who asked and got no answer tells whoever looks after the connection. */
export type Ears = { readonly onSilence: () => void };
