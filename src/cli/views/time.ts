// How are ages and measured times written in a few characters?
import type { ToldStart } from '../../queue/starts.ts';

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

/** When a job that waits will have started: "starts at the latest in 12m". */
export function startText({ startsBy, noEstimate }: ToldStart, now: number): string | undefined {
  if (startsBy !== undefined) return `starts at the latest in ${untilText(startsBy, now)}`;
  return noEstimate === undefined ? undefined : `no estimate: ${noEstimate}`;
}

/** Not less than it is. */
export function untilText(time: string, now: number): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(time) - now) / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.ceil(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.ceil(hours / 24)}d`;
}

/** What was measured: "24 ms", "4.2 s", "95 s". */
export function durationText(ms: number | undefined): string | undefined {
  if (ms === undefined) return undefined;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return `${(ms / 1_000).toFixed(ms < 100_000 ? 1 : 0)} s`;
}
