import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allVerbs } from '#app/cli';
import { root } from '../../scripts/root.mjs';
import { foreignVerbs, foreignVerbsOfSession } from '../../src/app/cli/verbs/foreign-verbs.ts';
import { Place } from '../support/command/vtr-command.ts';

const directory = join(root, 'test/e2e/verbs');
const verbs = await allVerbs();

it('every verb has end-to-end tests', () => {
  const shown = readdirSync(directory).flatMap((file) => {
    const text = readFileSync(join(directory, file), 'utf8');
    return [...text.matchAll(/^describe\('vtr (.*)', /gm)].map(([, name]) => name);
  });
  expect(shown.sort()).toEqual(verbs.map(({ name }) => name).sort());
});

describe.each(verbs)('vtr $name', ({ name, flags }) => {
  it('has help with a usage, its flags and an example', async () => {
    const help = await new Place().ok(...name.split(' '), '--help');
    expect(help).toMatch(new RegExp(`^usage: vtr ${name}`));
    for (const flag of Object.keys(flags)) expect(help).toContain(`--${flag}`);
    expect(help).toMatch(/^examples:\n {2}\S/m);
  });
});

describe('vtr config', () => {
  it.each([[['config', '--help']], [['config', '-h']], [['help', 'config']]])(
    'has help that lists the verbs of the group: vtr %j',
    async (words) => {
      const help = await new Place().ok(...words);
      expect(help).toMatch(/^usage: vtr config VERB/);
      for (const { name, summary } of verbs.filter((verb) => verb.name.startsWith('config '))) {
        expect(help).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'));
      }
    },
  );

  it('alone is refused, with the verbs of the group', async () => {
    const { status, stderr } = await new Place().vtr(['config']);
    expect(status).toBe(2);
    expect(stderr).toContain('vtr config ls, vtr config add, vtr config rm, vtr config resolve');
  });
});

describe('a verb of another program', () => {
  it.each([
    [['list'], 'unknown verb "list"; list the sessions with: vtr ls'],
    [
      ['create', 'x'],
      'unknown verb "create"; start a session with: vtr new NAME -- PROGRAM ARGS...; in a script, vtr spawn NAME -- PROGRAM',
    ],
    [
      ['capture-pane', '-p', '-t', 'x'],
      'unknown verb "capture-pane"; print the screen with: vtr screen SESSION',
    ],
    [
      ['send-keys', '-t', 'x', 'ls', 'Enter'],
      'unknown verb "send-keys"; type with: vtr send SESSION TEXT --enter, vtr key SESSION KEY...',
    ],
    [['attach-session', 'x'], 'unknown verb "attach-session"; attach with: vtr attach SESSION'],
    [
      ['kill-session', '-t', 'x'],
      'unknown verb "kill-session"; end and remove a session with: vtr rm SESSION',
    ],
    [
      ['resize-window', '-x', '80'],
      'unknown verb "resize-window"; resize with: vtr resize SESSION COLS ROWS',
    ],
    [
      ['stop', 'build'],
      'unknown verb "stop"; end the program with: vtr kill SESSION; and remove the session with: vtr rm SESSION',
    ],
    [
      ['restart', 'build'],
      'unknown verb "restart"; start the program again with: vtr revive --now SESSION',
    ],
    [['detach'], 'unknown verb "detach"; in vtr attach, press Ctrl+b d'],
    [['select-pane', '-L'], 'unknown verb "select-pane"; as in tmux: vtr tmux select-pane'],
    [['--versoin'], 'unknown flag --versoin; did you mean --version?'],
    [['-ls'], 'unknown flag -ls; did you mean vtr ls?'],
    [['stop'], 'unknown verb "stop"; end the daemon and all sessions with: vtr serve --stop'],
    [['--list'], 'unknown flag --list; list the sessions with: vtr ls'],
    [
      ['follow', 'build'],
      'unknown verb "follow"; print the output as it comes with: vtr read SESSION --follow',
    ],
    [['--json', 'lss'], 'unknown verb "lss"; did you mean vtr ls?'],
    [['--json', 'tmux', 'ls'], 'unknown flag --json; vtr --help lists the verbs'],
    [['--json'], 'unknown flag --json; vtr --help lists the verbs'],
    [['lss'], 'unknown verb "lss"; did you mean vtr ls?'],
    [['demo', 'run', '--', 'ls'], 'unknown verb "demo"; the verb comes first: vtr run demo'],
    [['Screen'], 'unknown verb "Screen"; did you mean vtr screen?'],
  ])('is refused with the verb to use: %j', async (words, message) => {
    const { status, stdout, stderr } = await new Place().vtr(words);
    const isJson = words.includes('--json');
    const shown = isJson ? `vtr: ${JSON.parse(stderr).error.message}\n` : stderr;
    expect([status, stdout, shown]).toEqual([2, '', `vtr: ${message}\n`]);
  });

  it('names only verbs and flags that exist', () => {
    const texts = [foreignVerbs, foreignVerbsOfSession].flatMap((each) => Object.values(each));
    const lines = texts.flatMap((text) => text.match(/vtr [^,;]*/g) ?? []);
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) {
      const [, ...words] = line.split(' ');
      const verb = verbs.find(({ name }) => name === words[0]);
      const flags = words.filter((word) => /^--./.test(word)).map((word) => word.slice(2));
      expect([line, Object.keys(verb?.flags ?? {})]).toEqual([line, expect.arrayContaining(flags)]);
      expect([line, verb?.name]).toEqual([line, words[0]]);
    }
  });

  it('is not a verb of vtr', () => {
    const names = verbs.map(({ name }) => name);
    expect(Object.keys(foreignVerbs).filter((name) => names.includes(name))).toEqual([]);
  });
});

describe('vtr', () => {
  it('without a verb shows the first steps and what runs, and fails', async () => {
    const place = new Place();
    const none = await place.result([]);
    expect(none).toMatchObject({ status: 2, stdout: expect.stringMatching(/\nNo session\.\n$/) });
    await place.ok('spawn', 'one', '--', 'sleep', '100');
    const { stdout } = await place.result([]);
    expect(stdout.match(/^ {2}vtr .*/gm)).toHaveLength(10);
    expect(stdout).toMatch(/\nSESSION .*\none +\S/);
    for (let at = 0; at < 11; at += 1) await place.ok('spawn', `more-${at}`, '--', 'sleep', '100');
    expect((await place.result([])).stdout).toMatch(/\n… 2 more: vtr ls\n$/);
  });

  it('takes --json and --coordinator before the verb, too', async () => {
    const place = new Place();
    await place.ok('spawn', 'one', '--', 'sleep', '100');
    const after = JSON.parse(await place.ok('info', 'one', '--json'));
    expect(JSON.parse(await place.ok('--json', 'info', 'one'))).toMatchObject({ name: after.name });
    expect(await place.ok('--json', 'record', 'ls')).toBe(await place.ok('record', 'ls', '--json'));
    const near = await place.vtr(['--coordinator', '/nowhere/vtr.sock', 'ls']);
    expect([near.status, near.stderr]).toEqual([
      (await place.vtr(['ls', '--coordinator', '/nowhere/vtr.sock'])).status,
      expect.stringContaining('/nowhere/vtr.sock'),
    ]);
  });

  it('--help lists each verb once, under a heading', async () => {
    const help = await new Place().ok('--help');
    const listed = [...help.matchAll(/^ {2}(\S+(?: [a-z]+)?)(?: {2,}\S.*)?$/gm)].map(
      ([, name]) => name,
    );
    expect(listed.sort()).toEqual(verbs.map(({ name }) => name).sort());
    expect(help.match(/^[A-Z].*:$/gm)?.length).toBeGreaterThan(4);
  });
});
