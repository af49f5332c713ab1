import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { cellsText } from '#model';
import { Terminal } from '#vt';
import { agentScreens, questionOf } from '../../../test/support/agents/agent-screens.ts';
import { askedScreen } from './asked-screen.ts';

/** A screen, as the page reads it. */
function rowsOf(texts: readonly string[], size: readonly [cols: number, rows: number] = [60, 20]) {
  const terminal = new Terminal({ size: { cols: size[0], rows: size[1] } });
  terminal.feed(encodeUtf8(texts.map((text, at) => `\x1b[${at + 1}H\x1b[m${text}`).join('')));
  return terminal.screenCells().rows;
}

const menuOf = (...options: string[]) => ({
  title: '',
  options,
  selected: 0,
  multiple: false,
  keys: '',
});

function shown(texts: readonly string[], question: string, ...options: string[]) {
  const menu = options.length === 0 ? null : menuOf(...options);
  const { rows, isCut } = askedScreen(rowsOf(texts), question, menu);
  return { rows: rows.map(cellsText), isCut };
}

/** What the screen of a real agent shows above its choices. */
function aboutAgent(screen: ReturnType<typeof agentScreens>[number]) {
  const { question, menu } = questionOf(screen) ?? { question: '', menu: null };
  return askedScreen(rowsOf(screen.rows, screen.size), question, menu)
    .rows.map(cellsText)
    .join('\n');
}

describe('[S3.32] what a question is about', () => {
  const asking = agentScreens().filter(({ state }) => state === 'asks');

  it.each(
    asking.filter(({ stage }) => /asks-command|narrow|long/.test(stage)).map((each) => [each]),
  )('is the command that $agent wants to run, $stage', (screen) => {
    const text = aboutAgent(screen);
    expect(text).toMatch(/touch|rm -rf|node -e|Access external directory/);
    // Nothing of the conversation above.
    expect(text).not.toMatch(/I look at the files|The project has one file|Please/);
    expect(text).not.toMatch(/^\s*[❯›→●▶]?\s*(?:1\.|Yes|Allow once)/m);
  });

  it('is the diff that an agent wants to apply', () => {
    const edit = asking.find(({ stage }) => stage === '11-asks-edit');
    expect(edit && aboutAgent(edit)).toMatch(/- # demo\n.*\+ # Demo\n.*\n.*\+ A second line\./);
  });

  it.each(asking.filter(({ stage }) => stage === '15-asks-question').map((each) => [each]))(
    'is found where the choices of $agent go on in rows below',
    (screen) => {
      expect(aboutAgent(screen)).toMatch(/Language|Question 1|Answer Questions/);
    },
  );

  it('goes up to a rule, and over dashed ones', () => {
    const texts = [
      '● I edit it',
      '─'.repeat(40),
      ' Edit a.ts',
      '╌'.repeat(40),
      ' 1 - old',
      ' 1 + new',
      '╌'.repeat(40),
      ' Do you want to make this edit?',
      ' ❯ 1. Yes',
      '   2. No',
    ];
    expect(shown(texts, 'Do you want to make this edit?', '1. Yes', '2. No')).toEqual({
      rows: ['Edit a.ts', '1 - old', '1 + new'],
      isCut: false,
    });
  });

  it('is inside of the box of the choices', () => {
    const texts = ['above', '╭──────╮', '│ $ rm │', '│ Ok?  │', '│ ❯ 1. Yes │', '╰──────╯'];
    expect(shown(texts, 'Ok?', '1. Yes')).toEqual({ rows: ['$ rm'], isCut: false });
  });

  it('may begin above the screen', () => {
    const texts = ['line 7', 'line 8', 'Apply?', '❯ 1. Yes'];
    expect(shown(texts, 'Apply?', '1. Yes')).toEqual({ rows: ['line 7', 'line 8'], isCut: true });
  });

  it('is nothing where the screen shows another question', () => {
    expect(shown(['$ '], 'Ok?', '1. Yes')).toEqual({ rows: [], isCut: false });
  });

  it('is above a question without choices', () => {
    const texts = ['$ ./deploy', 'Target: production', 'Go on? [y/N]'];
    expect(shown(texts, 'Go on? [y/N]').rows).toEqual(['$ ./deploy', 'Target: production']);
  });
});
