// When did which process run for which stream? Each process records its beginning, and regularly
// that it still runs.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A killed process cannot record its end: it is known to this precision. */
const beatMs = 10;

/**
 * One file per process: two instants of the machine's monotonic clock, which all containers of a
 * machine share. After SIGTERM it takes a moment, like real consumers, so that a handoff without
 * waiting would be visible.
 */
const script = (lingerMs: number, given: string): string => `
  const { openSync, writeSync } = process.getBuiltinModule('node:fs');
  const [folder, stream, worker] = ${given};
  const now = () => String(process.hrtime.bigint()).padStart(20, '0');
  const file = openSync(folder + '/' + [encodeURIComponent(stream), worker, crypto.randomUUID()].join('~'), 'w');
  writeSync(file, now(), 0);
  const beat = () => writeSync(file, now(), 20);
  beat();
  setInterval(beat, ${beatMs});
  process.on('SIGTERM', () => setTimeout(() => { beat(); process.exit(0); }, ${lingerMs}));
`;

export const mountPath = '/records';

export type Run = {
  readonly stream: string;
  readonly worker: string;
  readonly startMs: number;
  readonly endMs: number;
};
export type Overlap = { readonly stream: string; readonly workers: string; readonly ms: number };

export class Recorder {
  readonly #folder: string;
  readonly #lingerMs: number;

  /** `lingerMs`: how long a process takes to end after SIGTERM. */
  constructor(folder: string, lingerMs = 100) {
    this.#folder = folder;
    this.#lingerMs = lingerMs;
  }

  get volume(): object {
    return { name: 'records', hostPath: { path: this.#folder, type: 'Directory' } };
  }

  get mount(): object {
    return { name: 'records', mountPath };
  }

  /** As a text: `node --eval TEXT FOLDER STREAM WORKER`. */
  get program(): string {
    return script(this.#lingerMs, 'process.argv.slice(1)');
  }

  /** An empty file that processes see in the folder. */
  put(name: string): void {
    writeFileSync(path.join(this.#folder, name), '');
  }

  /** As a file: `node FILE STREAM` in a pod that mounts the volume. */
  get module(): string {
    const worker = "process.getBuiltinModule('node:os').hostname()";
    return script(this.#lingerMs, `['${mountPath}', process.argv[2], ${worker}]`);
  }

  /** A worker's container, with these flags and further volumes (each at /etc/NAME). */
  container(args: readonly string[], volumes: readonly string[]): object {
    return {
      image: 'swarm-worker:dev',
      // A Ready worker stays Ready on a busy machine: the tests are not about that.
      readinessProbe: {
        httpGet: { path: '/internal/health', port: 9090 },
        periodSeconds: 1,
        failureThreshold: 60,
      },
      securityContext: {
        runAsNonRoot: true,
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      },
      args: [...args, '--', 'node', '--eval', this.program, mountPath, '{stream}', '{worker}'],
      volumeMounts: [
        { name: 'assignments', mountPath: '/app/config' },
        this.mount,
        ...volumes.map((name) => ({ name, mountPath: `/etc/${name}` })),
      ],
    };
  }

  runs(): readonly Run[] {
    return readdirSync(this.#folder).flatMap((name) => {
      const [stream = '', worker = ''] = name.split('~');
      const text = readFileSync(path.join(this.#folder, name), 'utf8');
      if (text.length < 40) return [];
      return [
        {
          stream: decodeURIComponent(stream),
          worker,
          startMs: Number(text.slice(0, 20)) / 1e6,
          endMs: Number(text.slice(20, 40)) / 1e6,
        },
      ];
    });
  }

  /** Wherever a stream had two processes at the same time. */
  overlaps(): readonly Overlap[] {
    const byStream = Map.groupBy(this.runs(), ({ stream }) => stream);
    return [...byStream.values()].flatMap((runs) => {
      const sorted = [...runs].sort((a, b) => a.startMs - b.startMs);
      return sorted.flatMap((run, index) =>
        sorted.slice(0, index).flatMap((before) => {
          const ms = Math.min(before.endMs, run.endMs) - run.startMs;
          return ms > 0
            ? [{ stream: run.stream, workers: `${before.worker} and ${run.worker}`, ms }]
            : [];
        }),
      );
    });
  }
}
