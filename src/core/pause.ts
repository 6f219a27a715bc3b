// Is an object paused? By its spec, or by an annotation, which works even if the spec is managed in
// Git.
import type { OwnMeta } from '../api/own-object.ts';
import { ANNOTATION_PAUSED } from './labels.ts';

export const isPausedBy = (
  { annotations }: OwnMeta,
  spec: { readonly paused: boolean } | undefined,
): boolean => spec?.paused === true || annotations[ANNOTATION_PAUSED] === 'true';

/** The annotation is neither true nor false, and is ignored. */
export const isPauseUnclear = ({ annotations }: OwnMeta): boolean =>
  !['true', 'false', ''].includes(annotations[ANNOTATION_PAUSED] ?? '');
