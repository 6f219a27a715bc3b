// How are ages and measured times written in a few characters?

export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

/** `time`: as the API writes it. */
export function sinceText(time: string | undefined, now: number): string {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? '-' : ageText(now - at);
}

/** What was measured: "24 ms", "4.2 s", "95 s". */
export function durationText(ms: number | undefined): string | undefined {
  if (ms === undefined) return undefined;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return `${(ms / 1_000).toFixed(ms < 100_000 ? 1 : 0)} s`;
}
