// How often did another writer scale a member while it was the group's? Only that is a conflict.
import type { Writer } from '../audit.ts';
import { scaledBetween } from './changes.ts';
import type { Scene } from './scene.ts';

const CONTESTED_MS = 600_000;
const MOST_CHANGES = 3;

type Note = { readonly at: number; readonly uid: string };

export class Hands {
  #notes: readonly Note[] = [];
  /** Another writer has insisted, for a while at least. */
  hasInsisted = false;
  /** A fault keeps the operator from seeing what else scales a member. */
  isBlind = false;

  take(before: Scene | undefined, scene: Scene, writer: Writer, now: number): void {
    this.#notes = this.#notes.filter(({ at }) => now - at < CONTESTED_MS);
    if (writer !== 'other' || before?.isPaused !== false) return;
    for (const { before: member } of scaledBetween(before, scene))
      if (member.isFree || member.isContested || this.isBlind)
        this.#notes = [...this.#notes, { at: now, uid: member.uid }];
    this.hasInsisted ||= this.#notes.some(({ uid }) => this.isContested(uid));
  }

  countOf(uid: string): number {
    return this.#notes.filter((note) => note.uid === uid).length;
  }

  isContested(uid: string): boolean {
    return this.countOf(uid) >= MOST_CHANGES;
  }
}
