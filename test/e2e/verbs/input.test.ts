import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { needs, provided } from '../../support/run/needs.ts';

const place = Place.forAll();

/** A session that shows each byte of its input in octal. */
async function bytesShown(): Promise<void> {
  const script = 'stty raw -echo; echo ready; od -An -v -to1 -w1';
  await place.ok('spawn', 'od', '--', 'sh', '-c', script);
  await place.sees('od', 'ready');
}

/** The output of `od` once it shows `count` bytes. */
async function octal(count: number): Promise<string> {
  for (;;) {
    const { lines } = await place.json('screen', 'od');
    const bytes = (lines as string[]).join(' ').match(/\b\d{3}\b/g) ?? [];
    if (bytes.length >= count) return bytes.join(' ');
  }
}

describe('vtr send', () => {
  it('with --wait prints the new output without the echo, and the question', async () => {
    await place.ok('spawn', 'fresh', '--wait', '--prompt', '--', 'bash', '--norc');
    const send = (line: string, ...conditions: readonly string[]) =>
      place.vtr(['send', 'fresh', line, '-e', '--wait', ...conditions]);
    expect(await send('seq 3', '--finished')).toMatchObject({ status: 0, stdout: '1\n2\n3\n' });
    const asking = `read -p 'name? ' x; echo "hi $x"; read -p 'age? ' y`;
    expect((await send(asking, '--asks')).stdout).toMatch(/^name\? ?\n$/);
    expect((await send('bob', '--asks')).stdout).toMatch(/^hi bob\nage\? ?\n$/);
    expect((await send('7', '--finished')).stdout).toBe('');
    expect((await send('seq 3', '^2$')).stdout).toBe('2\n');
    const keys = ['e', 'c', 'h', 'o', 'space', 'a', 'enter'];
    const { stdout } = await place.vtr(['key', 'fresh', ...keys, '--wait', '--finished']);
    expect(stdout).toBe('a\n');
  });

  for (const shell of ['bash', 'zsh', 'fish']) {
    needs(shell)(
      `waits for the last of several lines in ${shell}, also without a condition`,
      async () => {
        const name = `lines-${shell}`;
        await place.ok('spawn', name, '--wait', '--prompt', '--', shell);
        const send = (text: string, ...flags: readonly string[]) =>
          place.vtr(['send', name, text, '-e', ...flags]);
        const lines = 'echo a\nsleep 0.5\necho b; false';
        for (const flags of [['--wait', '--finished'], ['--wait']]) {
          const result = await send(lines, ...flags);
          expect(result.stdout).toMatch(/^a\n[\s\S]*\nb\n$/);
          expect(result.stderr).toMatch(/exited with status 1 after/);
        }
        const pasted = await send('echo c\nsleep 0.5\necho d', '--paste', '--wait');
        expect(pasted.stdout).toBe('c\nd\n');
        expect((await send('sleep 0.5; sh -c "exit 3"', '--wait')).stderr).toContain(
          'exited with status 3',
        );
      },
    );
  }

  it('waits for the exit with --wait alone where no shell shows its prompt', async () => {
    await place.ok('spawn', 'asking', '--', 'sh', '-c', 'read x; exit 4');
    const result = await place.vtr(['send', 'asking', 'y', '-e', '--wait']);
    expect(result.stderr).toContain('status 4');
  });

  it('[S3.12] types text, and presses enter with --enter', async () => {
    await place.shell('one');
    await place.ok('send', 'one', 'echo $((6*', '--coordinator', place.socket);
    await place.ok('send', 'one', '7))', '--enter');
    await place.sees('one', '42');
  });

  it('sends all of stdin, and refuses a missing or a second text', async () => {
    await bytesShown();
    expect((await place.vtr(['send', 'od', '--stdin'], { input: 'ä\n' })).status).toBe(0);
    expect(await octal(3)).toBe('303 244 012');
    expect((await place.result(['send', 'od'])).status).toBe(2);
    expect((await place.result(['send', 'od', 'x', '--stdin'])).status).toBe(2);
  });

  provided(existsSync('/proc/self/cmdline'), 'only where the system has the bytes of arguments')(
    'refuses an argument that is not valid UTF-8',
    () => {
      const script = 'exec "$0" "$@" "$(printf \'a\\377\')"';
      const args = ['-c', script, process.execPath, vtrFile, 'send', 'any'];
      const { status, stderr } = spawnSync('sh', args, { env: place.env, encoding: 'utf8' });
      const said = 'vtr: an argument is not valid UTF-8; send bytes with vtr raw\n';
      expect([status, stderr]).toEqual([2, said]);
    },
  );

  it('pastes several lines in brackets if the program has set that mode', async () => {
    const script = `printf '\\033[?2004h'; stty -icanon -echo; echo ready; exec cat -v`;
    await place.ok('spawn', 'cat', '--', 'sh', '-c', script);
    await place.sees('cat', 'ready');
    await place.ok('send', 'cat', 'a\nb', '--paste');
    const lines = await place.sees('cat', '^[[200~a');
    expect(lines.join('\n')).toContain('b^[[201~');
  });

  it('warns about a line that the terminal truncates, and succeeds', async () => {
    await place.ok('spawn', 'cat', '--', 'sh', '-c', 'stty -echo; echo ready; exec cat');
    await place.sees('cat', 'ready');
    const { status, stderr } = await place.result(['send', 'cat', 'x'.repeat(5000), '--enter']);
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /warning: session cat: the terminal is in canonical mode; lines over \d{4} bytes are truncated/,
    );
    expect(await place.ok('send', 'cat', 'x'.repeat(4000), '--enter')).toBe('');
  });

  it('fails if the program has exited', async () => {
    await place.ok('spawn', 'done', '--', 'true');
    await place.result(['wait', 'done', 'never']);
    expect((await place.result(['send', 'done', 'x'])).status).toBe(6);
  });
});

describe('vtr key', () => {
  it('[S3.13] presses several keys in order, by the modes of the terminal', async () => {
    await bytesShown();
    await place.ok('key', 'od', 'x', 'ctrl+c', 'up', 'alt+x', 'enter');
    expect(await octal(8)).toBe('170 003 033 133 101 033 170 015');
  });

  it('accepts keys as tmux and manuals write them', async () => {
    await bytesShown();
    await place.ok('key', 'od', 'C-c', 'ctrl-r', '^D', 'M-x', 'S-tab', 'C-M-a');
    expect(await octal(10)).toBe('003 022 004 033 170 033 133 132 033 001');
  });

  it('suggests a similar name for an unknown key, and presses nothing', async () => {
    await bytesShown();
    const { status, stderr } = await place.result(['key', 'od', 'x', 'entre']);
    expect(status).toBe(2);
    expect(stderr).toContain('did you mean enter?');
    await place.ok('key', 'od', 'y');
    expect(await octal(1)).toBe('171');
  });
});

describe('vtr raw', () => {
  it('[S3.14] sends bytes given in hexadecimal unchanged', async () => {
    await bytesShown();
    await place.ok('raw', 'od', '00ff', '1B', '0a');
    expect(await octal(4)).toBe('000 377 033 012');
  });

  it('refuses an odd number of digits, and other characters', async () => {
    await bytesShown();
    expect((await place.result(['raw', 'od', '0'])).status).toBe(2);
    expect((await place.result(['raw', 'od', '0x41'])).stderr).toContain('hexadecimal');
  });
});

describe('vtr resize', () => {
  it('takes COLSxROWS', async () => {
    await place.shell('wide');
    await place.ok('resize', 'wide', '130x50');
    expect(await place.json('info', 'wide')).toMatchObject({ cols: 130, rows: 50 });
  });

  it('[S3.15] changes the size, and notifies the program', async () => {
    const script = 'trap "stty size" WINCH; echo ready; while :; do sleep 0.1; done';
    await place.ok('spawn', 'one', '--', 'sh', '-c', script);
    await place.sees('one', 'ready');
    await place.ok('resize', 'one', '100', '30');
    await place.sees('one', '30 100');
    expect(await place.json('info', 'one')).toMatchObject({ cols: 100, rows: 30 });
    expect((await place.result(['resize', 'one', '0', '30'])).status).toBe(2);
    expect((await place.result(['resize', 'one', '70000', '30'])).status).toBe(2);
    expect(await place.result(['resize', 'one', '100x'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('give SESSION COLS ROWS, SESSION COLSxROWS'),
    });
  });

  it('resizes all sessions to COLSxROWS', async () => {
    await place.ok('spawn', 'sized', '--', 'sleep', '60');
    await place.ok('resize', '--all', '77x11');
    expect(await place.json('screen', 'sized')).toMatchObject({ cols: 77, rows: 11 });
    expect((await place.result(['resize', '77x11'])).status).toBe(2);
  });
});

describe('vtr mouse', () => {
  it('clicks, drags and scrolls as the program requested, and says what was not sent', async () => {
    const menu = "printf '\\033[?1002;1006hready\\r\\n [ Yes ] [ No ] [ No ]\\r\\n'";
    const script = `stty raw -echo; ${menu}; exec cat -v`;
    await place.ok('spawn', 'menu', '--', 'sh', '-c', script);
    await place.sees('menu', ' [ Yes ]');
    await place.ok('mouse', 'menu', 'click', '--text', 'Y[a-z]+', '--ctrl');
    await place.ok('mouse', 'menu', 'click', '3,4', '--count', '2', '--button', 'right');
    await place.ok('mouse', 'menu', 'drag', '0,0', '1,0', '1,9');
    const wait = ['--wait', '--screen', '<67;', '--timeout', '60s'];
    await place.ok('mouse', 'menu', 'scroll', 'right', '--count', '2', ...wait);
    const { lines } = await place.json('screen', 'menu');
    expect((lines as string[]).join('').replace(/^ready.*\]/, '')).toBe(
      '^[[<16;5;2M^[[<16;5;2m' +
        '^[[<2;5;4M^[[<2;5;4m^[[<2;5;4M^[[<2;5;4m' +
        '^[[<0;1;1M^[[<32;1;2M^[[<32;10;2M^[[<0;10;2m' +
        '^[[<67;41;13M^[[<67;41;13M',
    );
    const unsent = async (...args: string[]) => {
      const { status, stderr } = await place.result(['mouse', 'menu', ...args]);
      return [status, stderr.replace(/^vtr: session menu: /, '').trimEnd()];
    };
    expect(await unsent('click', '--text', 'No')).toEqual([
      1,
      'not sent: 2 places on the screen match:\n  1,11 No\n  1,18 No',
    ]);
    expect(await unsent('click', '--text', 'Maybe')).toEqual([
      1,
      'not sent: no text on the screen matches',
    ]);
    expect(await unsent('move', '1,1')).toEqual([
      1,
      'not sent: the program did not request these events of the mouse',
    ]);
    const wrong = [['click'], ['drag', '1,1'], ['scroll'], ['click', '1;1'], ['click', '24,0']];
    const statuses = await Promise.all(wrong.map(async (args) => (await unsent(...args))[0]));
    expect(statuses).toEqual([2, 2, 2, 2, 2]);
  });

  needs('vim', 'less')('moves the cursor of vim, and scrolls in less', async () => {
    const showsText = (name: string, text: string) =>
      place.ok('wait', name, '--screen', text, '--timeout', '30s');
    const numbers = 'call setline(1, range(1, 60))';
    const settings = ['-u', 'NONE', '-N', '-c', 'set mouse=a ruler', '-c', numbers];
    await place.ok('spawn', 'vim', '--', 'vim', ...settings);
    await showsText('vim', '1,1 +Top');
    await place.ok('mouse', 'vim', 'click', '--text', '^12$');
    await showsText('vim', '12,1 ');
    await place.ok('spawn', 'less', '--', 'sh', '-c', 'seq 1 90 | less --mouse');
    await showsText('less', '^23$');
    await place.ok('mouse', 'less', 'scroll', 'down', '--count', '40');
    await showsText('less', '^63$');
  });
});
