import { describe, expect, it } from '@jest/globals';
import { makeScreen, type Screen, type ScreenOutput } from '../../../../src/cli/views/screen.ts';

function output(shape: Partial<Pick<ScreenOutput, 'isTTY' | 'columns' | 'rows'>> = {}) {
  const state = { text: '', resize: (): void => undefined };
  const out: ScreenOutput = {
    ...shape,
    write: (text) => {
      state.text += text;
    },
    on: (_, listener) => {
      state.resize = listener;
    },
    off: () => {
      state.resize = () => undefined;
    },
  };
  return { out, state };
}

const terminal = { isTTY: true, columns: 20, rows: 5 };
const good = (text: string) => [{ text, style: 'good' }] as const;

function tell(screen: Screen): void {
  screen.say(good('first'));
  screen.draw(() => ['one', 'two']);
  screen.say('second');
  screen.draw((width) => [`${width} wide`]);
  screen.close();
}

describe('a screen', () => {
  it('a screen without a terminal is a plain log: no escape codes, nothing redrawn', () => {
    const { out, state } = output();
    tell(makeScreen(out, {}));
    expect(state.text).toBe('first\nsecond\n');
  });

  it.each([[{ TERM: 'dumb' }, 'first\nsecond\n']])(
    'a screen with %j is a plain log, too',
    (env, text) => {
      const { out, state } = output(terminal);
      tell(makeScreen(out, env));
      expect(state.text).toBe(text);
    },
  );

  it('a screen redraws the drawing below the printed lines in place', () => {
    const { out, state } = output(terminal);
    tell(makeScreen(out, { NO_COLOR: '' }));
    expect(state.text).toBe(
      [
        '\u001b[J\u001b[32mfirst\u001b[0m\n',
        'one\u001b[K\ntwo\u001b[K\n\u001b[J',
        '\r\u001b[2A\u001b[Jsecond\none\u001b[K\ntwo\u001b[K\n',
        '\r\u001b[2A20 wide\u001b[K\n\u001b[J',
      ].join(''),
    );
  });

  it('a screen has no colours with NO_COLOR', () => {
    const { out, state } = output(terminal);
    makeScreen(out, { NO_COLOR: '1' }).say(good('first'));
    expect(state.text).toBe('\u001b[Jfirst\n');
  });

  it('a screen cuts a drawing to the height and width that it can redraw', () => {
    const { out, state } = output(terminal);
    makeScreen(out, {}).draw(() => Array.from({ length: 9 }, () => 'x'.repeat(30)));
    const lines = state.text.split('\n').slice(0, -1);
    expect(lines).toHaveLength(4);
    expect(lines[0]).toContain(`${'x'.repeat(19)}`);
    expect(lines[0]).not.toContain('x'.repeat(20));
  });

  it('a screen redraws everything after a resize, and nothing after it is closed', () => {
    const { out, state } = output(terminal);
    const screen = makeScreen(out, { NO_COLOR: '1' });
    screen.say('said');
    screen.draw(() => ['drawn']);
    state.text = '';
    state.resize();
    expect(state.text).toBe('\u001b[2J\u001b[Hsaid\ndrawn\u001b[K\n');
    screen.close();
    state.text = '';
    state.resize();
    expect(state.text).toBe('');
  });
});
