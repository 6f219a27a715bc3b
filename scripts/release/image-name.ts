// Which image does a text name by its digest?

export type Image = { readonly repository: string; readonly digest: string };

/** A release never names an image by a tag, which could be moved. */
export function parseImage(text: string): Image {
  const [, repository, digest] = /^([^@\s]+)@(sha256:[0-9a-f]{64})$/.exec(text) ?? [];
  if (repository === undefined || digest === undefined)
    throw new Error(`${text} is not valid; expected REPOSITORY@sha256:DIGEST`);
  return { repository, digest };
}
