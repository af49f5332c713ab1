import { describe, expect, it } from 'vitest';
import { needs } from '../../support/run/needs.ts';
import { tree } from '../../support/tree.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

export function keysContract(fixture: CoordinatorFixture): void {
  describe('keys', () => {
    /** A program that sets modes and then prints its input, escaped. */
    const shows = (modes = '') =>
      fixture.driver.ready(`stty raw -echo; printf '${modes}ready\\r\\n'; exec cat -v`);

    it.each([
      [
        'as in a new terminal',
        '',
        ['up', 'ctrl+c', 'f1', 'shift+tab', 'ä'],
        '^[[A^C^[OP^[[ZM-CM-$',
      ],
      ['with application cursor keys', '\\033[?1h', ['up', 'home'], '^[OA^[OH'],
      ['with an application keypad', '\\033=', ['kp_5'], '^[Ou'],
      [
        'as in kitty, if the program enabled it',
        '\\033[>1u',
        ['ctrl+c', 'escape'],
        '^[[99;5u^[[27u',
      ],
      ['as tmux and manuals write them', '', ['C-c', 'ctrl-r', '^D', 'S-tab'], '^C^R^D^[[Z'],
    ])('are encoded %s', async (_how, modes, keys, text) => {
      const session = await shows(modes);
      await fixture.coordinator.sendKeys(session, keys);
      await fixture.driver.untilShown(session, text.replaceAll(/[\^$[\]]/g, '\\$&'));
    });

    it('that the program cannot tell from plainer keys are named, unless it asked for them', async () => {
      const { coordinator } = fixture;
      const keys = ['shift+enter', 'ctrl+shift+a', 'ctrl+c', 'alt+x', 'A'];
      const result = await coordinator.sendKeys(await shows(), keys);
      expect(result.sentAs).toEqual({ 'shift+enter': 'enter', 'ctrl+shift+a': 'ctrl+a' });
      for (const modes of ['\\033[>1u', '\\033[>4;2m']) {
        expect(await coordinator.sendKeys(await shows(modes), keys)).not.toHaveProperty('sentAs');
      }
    });

    it('are accepted by name and modifiers, or in short form', async () => {
      const session = await shows();
      await fixture.coordinator.sendKeys(session, [
        { key: 'c', ctrl: true },
        { key: 'x', alt: true },
      ]);
      await fixture.driver.untilShown(session, /\^C\^\[x/);
    });

    it('are not sent if one is unknown', async () => {
      const session = await shows();
      const sending = fixture.coordinator.sendKeys(session, ['a', 'entr']);
      await expect(sending).rejects.toMatchObject({
        code: 'INVALID_KEY',
        message: expect.stringMatching(new RegExp(`^session ${session.name}: .*"entr".*enter`)),
      });
      await fixture.coordinator.sendKeys(session, ['z']);
      await fixture.driver.untilShown(session, /ready\nz/);
    });

    needs('less')('move in a program that set application cursor keys', async () => {
      const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join('\n');
      const directory = tree({ text: lines });
      const session = await fixture.driver.spawn({
        program: 'less',
        args: ['text'],
        cwd: directory,
        env: { LESS: '' },
        size: { cols: 20, rows: 5 },
      });
      await fixture.driver.untilShown(session, /line 4\n/);
      await fixture.coordinator.sendKeys(session, ['down', 'down', 'down']);
      await fixture.driver.untilShown(session, /^line 4\nline 5\nline 6\nline 7\n/);
      await fixture.coordinator.sendKeys(session, ['end']);
      await fixture.driver.untilShown(session, /line 100/);
      await fixture.coordinator.sendKeys(session, ['q']);
      expect(await fixture.driver.exitOf(session)).toEqual({ code: 0, signal: null });
    });

    needs('vim')('write a file with vim', async () => {
      const directory = tree({ 'note.txt': 'first\nsecond\n' });
      const session = await fixture.driver.spawn({
        program: 'vim',
        args: ['-u', 'NONE', '-N', '-i', 'NONE', 'note.txt'],
        cwd: directory,
      });
      await fixture.driver.untilShown(session, /second[\s\S]*note\.txt/);
      const { coordinator } = fixture;
      await coordinator.sendKeys(session, ['down', 'shift+a']);
      await coordinator.sendText(session, ' and more');
      await coordinator.sendKeys(session, ['escape']);
      await coordinator.sendText(session, ':wq\r');
      expect(await fixture.driver.exitOf(session)).toEqual({ code: 0, signal: null });
      const reader = await fixture.driver.spawn({
        program: 'cat',
        args: ['note.txt'],
        cwd: directory,
      });
      await fixture.driver.exitOf(reader);
      expect(await fixture.driver.text(reader)).toBe('first\nsecond and more');
    });
  });

  describe('a paste', () => {
    const shows = (modes: string) =>
      fixture.driver.ready(`stty raw -echo; printf '${modes}ready\\r\\n'; exec cat -v`);
    const on = '\\033[?2004h';

    it.each([
      ['is plain by default', on, undefined, 'a\nb', /a\n +b\./],
      [
        'is plain if the program did not enable bracketed paste',
        '',
        'auto',
        'a\nb',
        /ready\na\^Mb\.|ready\na\n +b\./,
      ],
      ['of one line is plain', on, 'auto', 'ab', /ready\nab\./],
      ['of several lines has marks', on, 'auto', 'a\nb', /\^\[\[200~a.*b\^\[\[201~\./s],
      ['has marks always, if wished', '', 'always', 'ab', /\^\[\[200~ab\^\[\[201~\./],
      ['never has them, if wished', on, 'never', 'a\nb', /ready\na/],
      ['cannot end itself', on, 'always', 'a\x1b[201~b', /\^\[\[200~ab\^\[\[201~\./],
    ] as const)('%s', async (_what, modes, paste, text, shown) => {
      const session = await shows(modes);
      await fixture.coordinator.sendText(session, text, paste === undefined ? {} : { paste });
      await fixture.coordinator.sendText(session, '.');
      await fixture.driver.untilShown(session, shown);
    });
  });
}
