// What is a view? A part of the page that exists as long as its address is shown.
import type { News } from '../model/news.ts';
import type { Selected } from '../model/route.ts';

export type View = {
  readonly element: HTMLElement;
  /** Reads everything again, since news may have been missed. */
  refresh?(): void;
  onNews?(news: News): void;
  /** The address selects another stream or worker. */
  select?(selected: Selected): void;
  close?(): void;
};

/** Called when the operator gave no answer: the connection may be lost. */
export type OnSilence = () => void;
