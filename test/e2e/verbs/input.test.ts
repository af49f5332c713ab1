import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';

/** A session that shows each byte of its input in octal. */
async function bytesShown(): Promise<Place> {
  const place = new Place();
  const script = 'stty raw -echo; echo ready; od -An -v -to1 -w1';
  await place.ok('spawn', 'od', '--', 'sh', '-c', script);
  await place.sees('od', 'ready');
  return place;
}

/** The output of `od` once it shows `count` bytes. */
async function octal(place: Place, count: number): Promise<string> {
  for (;;) {
    const { lines } = await place.json('screen', 'od');
    const bytes = (lines as string[]).join(' ').match(/\b\d{3}\b/g) ?? [];
    if (bytes.length >= count) return bytes.join(' ');
    await place.vtr(['wait', 'od', '.', '--timeout', '200ms']);
  }
}

describe('vtr send', () => {
  it('[S3.12] types text, and presses enter with --enter', async () => {
    const place = new Place();
    await place.shell('one');
    await place.ok('send', 'one', 'echo $((6*', '--coordinator', place.socket);
    await place.ok('send', 'one', '7))', '--enter');
    await place.sees('one', '42');
  });

  it('sends all of stdin, and refuses a missing or a second text', async () => {
    const place = await bytesShown();
    expect((await place.vtr(['send', 'od', '--stdin'], { input: 'ä\n' })).status).toBe(0);
    expect(await octal(place, 3)).toBe('303 244 012');
    expect((await place.vtr(['send', 'od'])).status).toBe(2);
    expect((await place.vtr(['send', 'od', 'x', '--stdin'])).status).toBe(2);
  });

  it('pastes several lines in brackets if the program has set that mode', async () => {
    const place = new Place();
    const script = `printf '\\033[?2004h'; stty -icanon -echo; echo ready; exec cat -v`;
    await place.ok('spawn', 'cat', '--', 'sh', '-c', script);
    await place.sees('cat', 'ready');
    await place.ok('send', 'cat', 'a\nb', '--paste');
    const lines = await place.sees('cat', '^[[200~a');
    expect(lines.join('\n')).toContain('b^[[201~');
  });

  it('warns about a line that the terminal truncates, and succeeds', async () => {
    const place = new Place();
    await place.ok('spawn', 'cat', '--', 'sh', '-c', 'stty -echo; echo ready; exec cat');
    await place.sees('cat', 'ready');
    const { status, stderr } = await place.vtr(['send', 'cat', 'x'.repeat(5000), '--enter']);
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /warning: session cat: the terminal is in canonical mode; lines over \d{4} bytes are truncated/,
    );
    expect(await place.ok('send', 'cat', 'x'.repeat(4000), '--enter')).toBe('');
  });

  it('fails if the program has exited', async () => {
    const place = new Place();
    await place.ok('spawn', 'done', '--', 'true');
    await place.vtr(['wait', 'done', 'never']);
    expect((await place.vtr(['send', 'done', 'x'])).status).toBe(6);
  });
});

describe('vtr key', () => {
  it('[S3.13] presses several keys in order, by the modes of the terminal', async () => {
    const place = await bytesShown();
    await place.ok('key', 'od', 'x', 'ctrl+c', 'up', 'alt+x', 'enter');
    expect(await octal(place, 8)).toBe('170 003 033 133 101 033 170 015');
  });

  it('accepts keys as tmux and manuals write them', async () => {
    const place = await bytesShown();
    await place.ok('key', 'od', 'C-c', 'ctrl-r', '^D', 'M-x', 'S-tab', 'C-M-a');
    expect(await octal(place, 10)).toBe('003 022 004 033 170 033 133 132 033 001');
  });

  it('suggests a similar name for an unknown key, and presses nothing', async () => {
    const place = await bytesShown();
    const { status, stderr } = await place.vtr(['key', 'od', 'x', 'entre']);
    expect(status).toBe(2);
    expect(stderr).toContain('did you mean enter?');
    await place.ok('key', 'od', 'y');
    expect(await octal(place, 1)).toBe('171');
  });
});

describe('vtr raw', () => {
  it('[S3.14] sends bytes given in hexadecimal unchanged', async () => {
    const place = await bytesShown();
    await place.ok('raw', 'od', '00ff', '1B', '0a');
    expect(await octal(place, 4)).toBe('000 377 033 012');
  });

  it('refuses an odd number of digits, and other characters', async () => {
    const place = await bytesShown();
    expect((await place.vtr(['raw', 'od', '0'])).status).toBe(2);
    expect((await place.vtr(['raw', 'od', '0x41'])).stderr).toContain('hexadecimal');
  });
});

describe('vtr resize', () => {
  it('[S3.15] changes the size, and notifies the program', async () => {
    const place = new Place();
    const script = 'trap "stty size" WINCH; echo ready; while :; do sleep 0.1; done';
    await place.ok('spawn', 'one', '--', 'sh', '-c', script);
    await place.sees('one', 'ready');
    await place.ok('resize', 'one', '100', '30');
    await place.sees('one', '30 100');
    expect(await place.json('info', 'one')).toMatchObject({ cols: 100, rows: 30 });
    expect((await place.vtr(['resize', 'one', '0', '30'])).status).toBe(2);
    expect((await place.vtr(['resize', 'one', '70000', '30'])).status).toBe(2);
    expect((await place.vtr(['resize', 'one', 'wide', '30'])).status).toBe(2);
  });
});
