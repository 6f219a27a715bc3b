// One pool as it lives: who has what, is it true, and why.
import type { PoolDetail, ShownBoard, ShownStream } from '../../../api/introspection.ts';
import { type PoolsAnswer, poolApi } from '../../ask.ts';
import { keyOf, type PoolNews } from '../../model/pools.ts';
import { hashOf, type Looked } from '../../model/route.ts';
import { BoardView } from '../board/board.ts';
import { TrayView } from '../board/tray.ts';
import { h } from '../dom.ts';
import type { Ears, View } from '../view.ts';
import { HeadView } from './head.ts';
import { searchView } from './search.ts';
import { TimelineView } from './timeline.ts';
import { WhatIfView } from './what-if.ts';
import { WhyView } from './why.ts';
import { WorkerDialog } from './worker.ts';

export const poolView = (namespace: string, name: string, ears: Ears): View =>
  new PoolView(namespace, name, ears);

class PoolView implements View {
  readonly element: HTMLElement;
  readonly title: string;
  readonly #key: string;
  readonly #hash: (looked?: Looked) => string;
  readonly #ears: Ears;
  readonly #api: ReturnType<typeof poolApi>;
  readonly #head: HeadView;
  readonly #board: BoardView;
  readonly #tray: TrayView;
  readonly #timeline = new TimelineView();
  readonly #whatIf: WhatIfView;
  readonly #why: WhyView;
  readonly #dialog: WorkerDialog;
  readonly #content: HTMLElement;
  #looked: Looked = {};
  #isAsking = false;
  #isStale = false;
  #isClosed = false;

  constructor(namespace: string, name: string, ears: Ears) {
    this.#key = keyOf({ namespace, name });
    this.#hash = (looked) => hashOf(namespace, name, looked);
    this.title = `${namespace}/${name}`;
    this.#ears = ears;
    this.#api = poolApi(namespace, name);
    this.#head = new HeadView(namespace, name);
    const events = {
      onStream: (stream: string, anchor: HTMLElement, isChosen: boolean) => {
        this.#why.show(stream, anchor, isChosen);
        if (isChosen) this.#note({ stream });
      },
      onLeave: () => this.#why.leave(),
      onWorker: (worker: string) => {
        window.location.hash = this.#hash({ worker });
      },
    };
    this.#board = new BoardView(events);
    this.#tray = new TrayView(events);
    this.#whatIf = new WhatIfView(this.#api);
    this.#why = new WhyView(this.#api, () => this.#note({}));
    this.#dialog = new WorkerDialog(this.#api, () => this.#note({}));
    const search = searchView(this.#api, (stream) => this.#found(stream));
    const work = h(
      'div',
      { class: 'work' },
      this.#whatIf.element,
      this.#tray.element,
      this.#board.element,
    );
    this.#content = h(
      'div',
      { class: 'pool-content', hidden: '' },
      search,
      work,
      this.#timeline.element,
    );
    this.element = h(
      'article',
      { class: 'pool' },
      this.#head.element,
      this.#content,
      this.#why.element,
      this.#dialog.element,
    );
  }

  /** One question at a time; what changes meanwhile is asked for afterwards. */
  refresh(): void {
    if (this.#isAsking) {
      this.#isStale = true;
      return;
    }
    this.#isAsking = true;
    this.#isStale = false;
    void Promise.all([this.#api.detail(), this.#api.board()]).then(([detail, board]) => {
      this.#isAsking = false;
      if (this.#isClosed) return;
      this.#show(detail, board);
      if (this.#isStale) this.refresh();
    });
  }

  onNews(news: PoolNews): void {
    if (news.type !== 'all' && keyOf(news.type === 'pool' ? news.pool : news) === this.#key)
      this.refresh();
  }

  look(looked: Looked): void {
    const isAnother =
      looked.stream !== this.#looked.stream || looked.worker !== this.#looked.worker;
    this.#looked = looked;
    if (isAnother) this.#look();
  }

  close(): void {
    this.#isClosed = true;
    this.#why.close();
    this.#whatIf.close();
  }

  #show(detail: PoolsAnswer<PoolDetail>, board: PoolsAnswer<ShownBoard>): void {
    const failed = [detail, board].find((asked) => !asked.ok);
    if (failed !== undefined && !failed.ok) {
      if (failed.status === 0) this.#ears.onSilence();
      else this.#head.fail(failed.error);
      this.#content.hidden = failed.status !== 0 || this.#content.hidden;
      return;
    }
    if (!detail.ok || !board.ok) return;
    const isFirst = this.#content.hidden;
    this.#content.hidden = false;
    this.#head.show(detail.value);
    this.#tray.show(detail.value);
    this.#timeline.show(detail.value, Date.now());
    this.#whatIf.show(detail.value);
    this.#board.show(board.value);
    this.#why.refresh();
    if (isFirst) this.#look();
  }

  #found({ name, worker }: ShownStream): void {
    const anchor = this.#board.blockOf(name) ?? this.#tray.itemOf(name);
    if (anchor === undefined && worker !== '')
      window.location.hash = this.#hash({ stream: name, worker });
    else window.location.hash = this.#hash({ stream: name });
    this.#looked = {};
    this.look(anchor === undefined ? { stream: name, worker } : { stream: name });
  }

  /** At what the address names. */
  #look(): void {
    if (this.#content.hidden) return;
    const { stream, worker } = this.#looked;
    if (worker !== undefined) this.#dialog.open(worker, stream);
    else if (stream !== undefined) this.#point(stream);
  }

  #point(stream: string): void {
    const anchor = this.#board.blockOf(stream) ?? this.#tray.itemOf(stream);
    anchor?.scrollIntoView({ block: 'center' });
    anchor?.focus({ preventScroll: true });
    this.#why.show(stream, anchor ?? this.#head.element, true);
  }

  /** In the address, without a step of its own on the way back. */
  #note(looked: Looked): void {
    this.#looked = looked;
    if (this.#isClosed) return;
    window.history.replaceState(null, '', this.#hash(looked));
  }
}
