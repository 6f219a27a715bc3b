// How is an answer kept up to date? By one request at a time: if something changes meanwhile,
// another one follows.

export function oneAtATime(ask: () => Promise<void>): () => void {
  let isAsking = false;
  let isStale = false;
  return function refresh(): void {
    isStale = isAsking;
    if (isAsking) return;
    isAsking = true;
    void ask().finally(() => {
      isAsking = false;
      if (isStale) refresh();
    });
  };
}
