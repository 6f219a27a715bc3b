// A lock between processes, held as a file.
import { link, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../api/text.ts';

const heartbeatMilliseconds = 10_000;
/** An older lock is abandoned, though its pid may be in use again, or in another container. */
const staleMilliseconds = 60_000;
const pollMilliseconds = 250;

/**
 * Runs the work while no other process does. The lock names its process, so that one that was
 * killed blocks no other. Two processes that find it abandoned at the same instant may both go on:
 * the work must be harmless when done twice.
 */
export async function withFileLock<T>(
  file: string,
  onWait: (holder: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  for (let waited = false; !(await tryLock(file)); ) {
    const holder = await livingHolder(file);
    if (holder === undefined) {
      await rm(file, { force: true });
      continue;
    }
    if (!waited) onWait(holder);
    waited = true;
    await delay(pollMilliseconds);
  }
  const heartbeat = setInterval(() => touch(file), heartbeatMilliseconds);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(file, { force: true });
  }
}

/** A link appears with its content, so that no lock is read without a pid. */
async function tryLock(file: string): Promise<boolean> {
  const mine = `${file}.${process.pid}.${crypto.randomUUID()}`;
  await writeFile(mine, String(process.pid));
  try {
    await link(mine, file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(mine, { force: true });
  }
}

async function livingHolder(file: string): Promise<string | undefined> {
  try {
    const [holder, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
    const abandoned = Date.now() - mtimeMs > staleMilliseconds || !isAlive(Number(holder));
    return abandoned ? undefined : holder;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function touch(file: string): void {
  const now = new Date();
  utimes(file, now, now).catch(() => undefined);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
