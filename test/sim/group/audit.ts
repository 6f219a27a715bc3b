// Who wrote? As an audit log tells: here each writer but the operator and the controllers says so.

export type Writer = 'operator' | 'other';

export class Audit {
  writer: Writer = 'operator';

  /** What is written meanwhile is not the operator's. */
  byOther<T>(write: () => T): T {
    const { writer } = this;
    this.writer = 'other';
    try {
      return write();
    } finally {
      this.writer = writer;
    }
  }
}
