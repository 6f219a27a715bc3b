// What has an operator written? Read from the API server's audit log, from where the last read
// ended.
import { closeSync, openSync, readSync } from 'node:fs';
import { namespaceOfLedger } from '../../src/api/ledger.ts';
import { operatorWrite } from '../integration/support/audit.ts';

export class Audit {
  readonly #file: string;
  readonly #writes = new Map<string, string[]>();
  #offset = 0;
  #rest = '';

  constructor(file: string) {
    this.#file = file;
  }

  /** With its ledger, and without Leases, whose renewals never end. */
  writesIn(namespace: string): readonly string[] {
    for (const line of this.#newLines()) {
      const write = line.includes('swarm-operator') ? operatorWrite(line) : undefined;
      if (write === undefined || write.resource === 'leases') continue;
      const namespace = namespaceOfLedger(write.name) ?? write.namespace;
      const known = this.#writes.get(namespace) ?? [];
      known.push(write.resource);
      this.#writes.set(namespace, known);
    }
    return this.#writes.get(namespace) ?? [];
  }

  #newLines(): readonly string[] {
    const file = openSync(this.#file, 'r');
    const chunk = Buffer.alloc(1024 * 1024);
    const lines: string[] = [];
    try {
      for (let read = readSync(file, chunk, 0, chunk.length, this.#offset); read > 0; ) {
        this.#offset += read;
        const parts = (this.#rest + chunk.toString('utf8', 0, read)).split('\n');
        this.#rest = parts.pop() ?? '';
        lines.push(...parts);
        read = readSync(file, chunk, 0, chunk.length, this.#offset);
      }
    } finally {
      closeSync(file);
    }
    return lines;
  }
}
