// Is an object of ours paused? By its spec, or by an annotation, which Git does not undo.
import type { OwnMeta } from '../api/own-object.ts';
import { ANNOTATION_PAUSED } from './meta.ts';

export const isPausedBy = (
  { annotations }: OwnMeta,
  spec: { readonly paused: boolean } | undefined,
): boolean => spec?.paused === true || annotations[ANNOTATION_PAUSED] === 'true';

/** The annotation has a value that says neither: nothing is paused by it. */
export const isPauseUnclear = ({ annotations }: OwnMeta): boolean =>
  !['true', 'false', ''].includes(annotations[ANNOTATION_PAUSED] ?? '');
