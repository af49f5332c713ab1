import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { TestElement, testPage } from '../../../test/support/web/test-element.ts';
import { History, showCells } from './history.ts';

const colors = { palette: {}, foreground: null, background: null, reverseVideo: false };

let selected: object | null = null;

beforeEach(() => {
  selected = null;
  for (const [name, value] of Object.entries(testPage)) vi.stubGlobal(name, value);
  vi.stubGlobal('getSelection', () =>
    selected === null ? null : { isCollapsed: false, anchorNode: selected },
  );
});
afterEach(() => vi.unstubAllGlobals());

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}\r\n`).join('');

/** A terminal of 20x4 that keeps `maxLines` lines, its history in a page, and the session that has all lines. */
function shown(maxLines = 10_000) {
  const session = new Terminal({ size: { cols: 20, rows: 4 } });
  const terminal = new Terminal({
    size: { cols: 20, rows: 4 },
    scrollback: { maxLines, maxBytes: 2 ** 30 },
  });
  const scroller = new TestElement();
  scroller.clientHeight = 100;
  const reads: [number, number][] = [];
  let answer: (() => void) | null = null;
  const readLines = async (from: number, to: number) => {
    reads.push([from, to]);
    if (answer !== null) await new Promise<void>((resolve) => (answer = resolve));
    return Array.from(session.readLines(from, to), ({ reader }) => reader.cells());
  };
  const history = new History(scroller as never, readLines);
  const element = history.element as unknown as TestElement;
  const lines = () =>
    element.children.filter((each) => each instanceof TestElement && 'line' in each.dataset);
  return {
    session,
    terminal,
    scroller,
    history,
    reads,
    print(text: string): void {
      for (const each of [session, terminal]) each.feed(encodeUtf8(text));
    },
    show: (follows = true) => history.show(terminal, colors, follows),
    lines,
    numbers: () => lines().map((each) => Number((each as TestElement).dataset['line'])),
    /** A person scrolls to the first line. */
    async toFirst(): Promise<void> {
      scroller.scrollTop = 0;
      history.scrolled();
      await nextTurn();
    },
    hold(): () => void {
      answer = () => {};
      return () => answer?.();
    },
  };
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe('the lines above the screen', () => {
  it('are those of the terminal, with their numbers, and new ones follow', () => {
    const { print, show, numbers, lines } = shown();
    print(numbered(0, 5));
    expect(show()).toBe(true);
    expect(numbers()).toEqual([0, 1]);
    expect(show()).toBe(false);
    print(numbered(5, 7));
    expect(show()).toBe(true);
    expect(lines().map(({ textContent }) => textContent)).toEqual(
      range(0, 4).map((n) => `line ${n}`),
    );
  });

  it('are found also if they are made anew while they are read', async () => {
    const { print, show, history, hold, reads, numbers } = shown(50);
    print(numbered(0, 1000));
    show(false);
    const answer = hold();
    const mounted = history.mount(10);
    history.repaint();
    answer();
    await nextTurn();
    answer();
    expect((await mounted)?.dataset['line']).toBe('10');
    expect([reads.length, numbers().includes(10)]).toEqual([2, true]);
  });

  it('are the last 200 while the view follows the output', () => {
    const { print, show, numbers } = shown();
    print(numbered(0, 1000));
    show();
    expect(numbers()).toEqual(range(797, 997));
    print(numbered(1000, 1050));
    show();
    expect(numbers()).toEqual(range(847, 1047));
  });

  it('stay where a person reads, and the number of new ones is shown', () => {
    const { print, show, numbers, history } = shown();
    print(numbered(0, 103));
    show();
    print(numbered(103, 1303));
    show(false);
    expect(numbers()).toEqual(range(0, 100));
    expect(history.linesBelow).toBe(1200);
    const below = (history.element as unknown as TestElement).children.find(
      (each) => each instanceof TestElement && each.className === 'below',
    );
    expect(below).toMatchObject({ hidden: false, textContent: '1,200 lines' });
    history.follow();
    expect([numbers(), history.linesBelow]).toEqual([range(1100, 1300), 0]);
  });

  it('stay while some of them are selected', () => {
    const { print, show, numbers, lines } = shown();
    print(numbered(0, 13));
    show();
    selected = lines()[0] ?? null;
    print(numbered(13, 400));
    show();
    expect(numbers()).toEqual(range(0, 10));
    selected = null;
    show();
    expect(numbers()).toEqual(range(197, 397));
  });

  it('are wrapped anew with the terminal', () => {
    const { print, show, terminal, lines } = shown();
    print(`${'ab'.repeat(10)}\r\n${numbered(1, 6)}`);
    show();
    terminal.resize({ cols: 10, rows: 4 });
    expect(show()).toBe(true);
    expect(lines()[0]?.textContent).toBe('ab'.repeat(10));
  });

  it('are gone when the program erases them', () => {
    const { print, show, numbers, history } = shown();
    print(numbered(0, 50));
    show();
    print('\x1b[3J');
    expect(show()).toBe(true);
    expect([numbers(), history.linesBelow]).toEqual([[], 0]);
  });
});

describe('earlier lines', () => {
  it('come 200 at a time when a person scrolls near the first', async () => {
    const { print, show, numbers, toFirst, reads } = shown();
    print(numbered(0, 1003));
    show();
    await toFirst();
    expect(numbers()).toEqual(range(600, 1000));
    await toFirst();
    expect(numbers()).toEqual(range(400, 1000));
    // The page's terminal has them.
    expect(reads).toEqual([]);
  });

  it('leave what is seen where it is', async () => {
    const { print, show, history, scroller, lines, hold } = shown(100);
    // Each line is 10 pixels high.
    Object.defineProperty(scroller, 'scrollHeight', { get: () => lines().length * 10 });
    print(numbered(0, 1003));
    show();
    const before = lines().length;
    const answer = hold();
    scroller.scrollTop = 70;
    history.scrolled();
    // The person goes on while they are read.
    scroller.scrollTop = 20;
    answer();
    await nextTurn();
    expect(lines().length - before).toBe(200);
    expect(scroller.scrollTop).toBe(20 + 200 * 10);
  });

  it('that the terminal of the page lacks are read from the session', async () => {
    const { print, show, numbers, toFirst, reads, lines } = shown(100);
    print(numbered(0, 1003));
    show();
    const first = numbers()[0] ?? 0;
    await toFirst();
    expect(reads).toEqual([[first - 200, first]]);
    expect(numbers()).toEqual(range(first - 200, 1000));
    expect(lines()[0]?.textContent).toBe(`line ${first - 200}`);
  });

  it('that come after the program has erased them are not shown', async () => {
    const { print, show, numbers, history, hold } = shown(100);
    print(numbered(0, 1003));
    show();
    const answer = hold();
    history.scrolled();
    print('\x1b[3J');
    show();
    answer();
    await nextTurn();
    expect(numbers()).toEqual([]);
  });

  it('are at most 3,000 in the page', async () => {
    const { print, show, numbers, toFirst, history } = shown();
    print(numbered(0, 5003));
    show();
    for (let times = 0; times < 20; times++) await toFirst();
    expect(numbers()).toHaveLength(3000);
    expect(history.linesBelow).toBe(5000 - 1 - (numbers().at(-1) ?? 0));
  });

  it('around one that was found are shown with it', async () => {
    const { print, show, numbers, history } = shown();
    print(numbered(0, 2003));
    show();
    const element = (await history.mount(700)) as unknown as TestElement;
    expect([element.textContent, numbers()]).toEqual(['line 700', range(600, 800)]);
    expect(await history.mount(700)).toBe(element);
  });
});

it('[S3.32] boxes only the characters whose width fonts dispute', () => {
  const terminal = new Terminal({ size: { cols: 24, rows: 1 } });
  terminal.feed(encodeUtf8('✻ 1. Yes │日本│ ❯ ⏵ ok'));
  const element = new TestElement();
  showCells(element as never, terminal.readRow(0).cells(), colors);
  const shown = element.children.map((each) => [
    each instanceof TestElement ? each.className : 'text',
    each.textContent,
  ]);
  expect(shown).toEqual([
    ['w1', '✻'],
    ['text', ' 1. Yes │'],
    ['w2', '日'],
    ['w2', '本'],
    ['text', '│ ❯ ⏵ ok'],
  ]);
});

describe('[S3.32] an address in the output', () => {
  /** The links of a row of 40 columns, which may go on. */
  function linksOf(output: string, goesOn = false) {
    const terminal = new Terminal({ size: { cols: 40, rows: 1 } });
    terminal.feed(encodeUtf8(output));
    const element = new TestElement();
    showCells(element as never, terminal.readRow(0).cells(), colors, goesOn);
    const links = element.children.filter(
      (each) => each instanceof TestElement && each.tag === 'a',
    );
    return links.map((each) => [(each as TestElement).dataset['href'], each.textContent]);
  }

  it.each([
    ['Local: http://localhost:5173/', 'http://localhost:5173/'],
    ['(see https://example.org/a_(b)).', 'https://example.org/a_(b)'],
    ['at HTTPS://h/x?y=1#z, and', 'HTTPS://h/x?y=1#z'],
    ['\x1b[36mhttp://h:1/\x1b[m ok', 'http://h:1/'],
  ])('is a link: %j', (output, href) => {
    expect(linksOf(output)).toEqual([[href, href]]);
  });

  it.each([
    ['javascript://h/x'],
    ['file:///etc/passwd'],
    ['http://'],
    // The rest of it has another colour.
    ['http://h/\x1b[1ma\x1b[m'],
  ])('is no link: %j', (output) => {
    expect(linksOf(output)).toEqual([]);
  });

  it('is no link where the row ends before it does', () => {
    expect(linksOf('https://example.org/a', true)).toEqual([]);
    expect(linksOf('https://example.org/a b', true)).toHaveLength(1);
  });
});
