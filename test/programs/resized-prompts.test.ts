import { afterEach, expect } from 'vitest';
import type { Terminal } from '#vt';
import { EventFeed } from '#watch';
import { systemClock } from '../../src/coordinator/system-clock.ts';
import { needs } from '../support/run/needs.ts';
import { SubscribedTerminal } from '../support/service/subscribed-terminal.ts';
import { ShellSession, type ShellSetup } from '../support/session/shell-session.ts';
import { expectSameTerminal } from '../support/vt/same-terminal.ts';

// A shell draws its prompt again after a resize, from where the prompt began by its own knowledge.

let shell: ShellSession | null = null;

afterEach(async () => {
  await shell?.dispose();
  shell = null;
});

const first = 'first-line-of-a-prompt-that-does-not-fit-into-the-columns-of-a-narrow-screen';

interface Prompt {
  readonly program: string;
  readonly setup: ShellSetup;
  /** What it shows in 80 columns or more, without white space. */
  readonly left: string;
  readonly right?: string;
}

const rc = (program: string, text: string): ShellSetup => {
  const files = { zsh: '.zshrc', bash: '.bashrc', fish: '.config/fish/config.fish' };
  return { files: { [files[program as keyof typeof files]]: `${text}\n` } };
};
const zsh = (text: string) => ({ program: 'zsh', setup: rc('zsh', text) });
const bash = (text: string) => ({ program: 'bash', setup: rc('bash', text) });
const fish = (...lines: string[]) => ({ program: 'fish', setup: rc('fish', lines.join('\n')) });
const marked = (text: string) => `%{\\e]133;A\\a%}${text}%{\\e]133;B\\a%}`;

const prompts: Readonly<Record<string, Prompt>> = {
  'zsh with a long prompt': { ...zsh(`PS1='${first}> '`), left: `${first}>` },
  'zsh with a prompt of two lines': { ...zsh(`PS1=$'${first}\\n> '`), left: `${first}>` },
  'zsh with a prompt at the right': {
    ...zsh(`PS1='left> '; RPS1='at-the-right'`),
    left: 'left>',
    right: 'at-the-right',
  },
  'zsh with two lines, and a prompt at the right': {
    ...zsh(`PS1=$'${first}\\n> '; RPS1='at-the-right'`),
    left: `${first}>`,
    right: 'at-the-right',
  },
  'zsh that marks its prompt itself': {
    program: 'zsh',
    setup: { ...zsh(`PS1=$'${marked(`${first}> `)}'`).setup, shellIntegration: false },
    left: `${first}>`,
  },
  'bash with a long prompt': { ...bash(`PS1='${first}> '`), left: `${first}>` },
  'bash with a prompt of two lines, of which it draws the last one': {
    ...bash(`PS1='${first}\\n> '`),
    left: `${first}>`,
  },
  'fish with a long prompt': {
    ...fish(`function fish_prompt; echo -n '${first}> '; end`),
    left: `${first}>`,
  },
  'fish with two lines, and a prompt at the right': {
    ...fish(
      `function fish_prompt; echo '${first}'; echo -n '> '; end`,
      'function fish_right_prompt; echo at-the-right; end',
    ),
    left: `${first}>`,
    right: 'at-the-right',
  },
};

const without = (text: string) => text.replaceAll(/\s/g, '');
const count = (text: string, part: string) => text.split(part).length - 1;
const output = Array.from({ length: 12 }, (_, index) => `line-${index}`).join('');

for (const [title, { program, setup, left, right = '' }] of Object.entries(prompts)) {
  needs(program)(`${title} shows it once after resizes, below all output`, async () => {
    shell = await ShellSession.start(program, { size: { cols: 80, rows: 24 }, ...setup });
    const { session } = shell;
    await shell.untilPrompt();
    const copy = new SubscribedTerminal(new EventFeed(session.view, { clock: systemClock }));
    const run =
      program === 'fish' ? `printf 'line-%d\\n' (seq 0 11)` : `printf 'line-%d\\n' {0..11}`;
    const shown = () => without(shell?.text ?? '');
    const ends = (text: string) =>
      shown()
        .replaceAll(right || '\0', '')
        .endsWith(text);
    await session.sendText(`${run}\r`, {});
    await shell.until(() => ends(`${output}${left}`));
    let redrawn = 0;
    session.view.onEvent((event) => {
      if (event.type === 'mark' && event.mark === 'promptEnd') redrawn++;
    });
    // fish 3 erases the last character of a full row.
    let typed = program === 'fish' ? 'typed' : 'typed-and-not-entered-';
    await session.sendText(typed, {});
    await shell.until(() => ends(typed));
    for (const cols of [20, 80, 120, 40, 120, 30, 25, 80]) {
      // What it still draws for the columns before must not count for these.
      await shell.untilReads();
      const before = redrawn;
      await session.resize({ cols, rows: 24 });
      // A key that a shell reads before the signal is drawn for the columns before.
      await shell.until(() => redrawn > before);
      await shell.untilReads();
      await session.sendText('x', {});
      typed += 'x';
      await shell.until(() => ends(typed));
      const text = shown();
      expect(count(text, output)).toBe(1);
      // That of the command, and the present one. fish shows only the end of a line that does not fit.
      const isCut = program === 'fish' && cols <= first.length;
      if (left !== 'left>') expect(count(text, first.slice(0, 10))).toBe(isCut ? 1 : 2);
      else expect(count(text, left)).toBe(2);
      if (cols >= 80)
        expect(text.replaceAll(right || '\0', '')).toContain(`${output}${left}${typed}`);
      expect(count(text, typed)).toBe(1);
      await copy.takeUntilRevision(session.revision);
      expectSameTerminal(copy.terminal, session.view.terminal as Terminal);
    }
  });
}
