// One pool as it lives: which worker has which stream, is it confirmed, and why.
import type { PoolDetail, ShownBoard, ShownStream } from '../../../api/introspection.ts';
import { type Answer, type Failure, isFailure, type PoolApi, poolApi } from '../../ask.ts';
import { keyOf, type PoolNews } from '../../model/pools.ts';
import { hashOf, type Looked } from '../../model/route.ts';
import { BoardView } from '../board/board.ts';
import { trayView } from '../board/tray.ts';
import { h } from '../dom.ts';
import type { OnSilence, View } from '../view.ts';
import { headView } from './head.ts';
import { searchView } from './search.ts';
import { timelineView } from './timeline.ts';
import { whatIfView } from './what-if.ts';
import { WhyView } from './why.ts';
import { workerDialog } from './worker.ts';

export class PoolPage implements View {
  readonly element: HTMLElement;
  readonly #key: string;
  readonly #hash: (looked?: Looked) => string;
  readonly #onSilence: OnSilence;
  readonly #api: PoolApi;
  readonly #head: ReturnType<typeof headView>;
  readonly #board: BoardView;
  readonly #tray: ReturnType<typeof trayView>;
  readonly #timeline = timelineView();
  readonly #whatIf: ReturnType<typeof whatIfView>;
  readonly #why: WhyView;
  readonly #dialog: ReturnType<typeof workerDialog>;
  readonly #content: HTMLElement;
  #looked: Looked = {};
  #isAsking = false;
  #isStale = false;
  #isClosed = false;

  constructor(namespace: string, name: string, onSilence: OnSilence) {
    this.#key = keyOf({ namespace, name });
    this.#hash = (looked) => hashOf(namespace, name, looked);
    this.#onSilence = onSilence;
    this.#api = poolApi(namespace, name);
    this.#head = headView(namespace, name);
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
    this.#tray = trayView(events);
    this.#whatIf = whatIfView(this.#api);
    this.#why = new WhyView(this.#api, () => this.#note({}));
    this.#dialog = workerDialog(this.#api, () => this.#note({}));
    this.#content = h(
      'div.pool-content',
      { hidden: '' },
      searchView(this.#api, (stream) => this.#found(stream)),
      h('div.work', this.#whatIf.element, this.#tray.element, this.#board.element),
      this.#timeline.element,
    );
    this.element = h(
      'article.pool',
      this.#head.element,
      this.#content,
      this.#why.element,
      this.#dialog.element,
    );
  }

  /** One request at a time: if something changes meanwhile, another follows. */
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

  #show(detail: Answer<PoolDetail>, board: Answer<ShownBoard>): void {
    const failed = [detail, board].find(isFailure);
    if (failed !== undefined) this.#fail(failed);
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

  /** Without an answer the page keeps what it shows. */
  #fail({ isSilent, error }: Failure): void {
    if (isSilent) this.#onSilence();
    else {
      this.#head.fail(error);
      this.#content.hidden = true;
    }
  }

  #found({ name, worker }: ShownStream): void {
    const isDrawn = this.#anchorOf(name) !== undefined;
    const looked = isDrawn || worker === '' ? { stream: name } : { stream: name, worker };
    window.location.hash = this.#hash(looked);
    this.#looked = {};
    this.look(looked);
  }

  #anchorOf(stream: string): HTMLElement | undefined {
    return this.#board.blockOf(stream) ?? this.#tray.itemOf(stream);
  }

  /** At the stream or worker that the address names. */
  #look(): void {
    if (this.#content.hidden) return;
    const { stream, worker } = this.#looked;
    if (worker !== undefined) this.#dialog.open(worker, stream);
    else if (stream !== undefined) this.#point(stream);
  }

  #point(stream: string): void {
    const anchor = this.#anchorOf(stream);
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
