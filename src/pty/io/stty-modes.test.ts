import { describe, expect, it, vi } from 'vitest';
import { deferred } from '../../../test/support/deferred.ts';
import { FakePty } from '../../../test/support/pty/fake-pty.ts';
import { parseModes, SttyModes } from './stty-modes.ts';

const linux = `speed 38400 baud; rows 24; columns 80; line = 0;\r
intr = ^C; quit = ^\\; erase = ^?; kill = ^U; eof = ^D; eol = <undef>; eol2 = <undef>;\r
-parenb -parodd -cmspar cs8 -hupcl -cstopb cread -clocal -crtscts\r
isig icanon iexten -echo echoe echok -echonl -noflsh -xcase -tostop -echoprt echoctl echoke\r
`;
const mac = `speed 38400 baud; 24 rows; 80 columns;
lflags: -icanon isig iexten echo echoe -echok echoke -echonl echoctl
	-echoprt -altwerase -noflsh -tostop -flusho pendin -nokerninfo
iflags: -istrip icrnl -inlcr -igncr ixon -ixoff ixany imaxbel iutf8`;

describe('parseModes', () => {
  it.each([
    ['Linux', linux, { echo: false, canonical: true }],
    ['macOS', mac, { echo: true, canonical: false }],
    ['a closed terminal', "stty: '/dev/pts/7': No such file or directory", null],
    ['nothing', '', null],
  ])('parses the output for %s', (_, text, modes) => {
    expect(parseModes(text)).toEqual(modes);
  });
});

describe('SttyModes', () => {
  /** Runs that end when the test says so, with their terminals. */
  function setUp() {
    const runs: { terminals: readonly string[]; pty: FakePty }[] = [];
    const forgotten: FakePty[] = [];
    const modes = new SttyModes(async (_, args) => {
      const pty = new FakePty();
      runs.push({ terminals: args.slice(3), pty });
      return { pty, forget: () => forgotten.push(pty) };
    });
    const end = async (index: number, text?: string) => {
      await vi.waitFor(() => expect(runs.length).toBeGreaterThan(index));
      const { pty, terminals } = runs[index] as (typeof runs)[0];
      pty.output(text ?? terminals.map((each) => `terminal ${each}\r\n${linux}`).join(''));
      pty.announceExit({ code: 0, signal: null });
    };
    return { modes, runs, forgotten, end };
  }
  const usual = { echo: false, canonical: true };

  it('shares one run among the calls during another run', async () => {
    const { modes, runs, forgotten, end } = setUp();
    const first = modes.read('/dev/pts/1');
    await vi.waitFor(() => expect(runs).toHaveLength(1));
    const later = ['/dev/pts/1', '/dev/pts/2', '/dev/pts/1'].map((each) => modes.read(each));
    await end(0);
    expect(await first).toEqual(usual);
    await end(1);
    expect(await Promise.all(later)).toEqual([usual, usual, usual]);
    expect(runs.map(({ terminals }) => terminals)).toEqual([
      ['/dev/pts/1'],
      ['/dev/pts/1', '/dev/pts/2'],
    ]);
    expect(forgotten).toHaveLength(2);
  });

  it('returns null for a terminal without an answer, and the modes of the others', async () => {
    const { modes, end } = setUp();
    const reads = ['/dev/pts/1', '/dev/pts/10', '/dev/pts/2'].map((each) => modes.read(each));
    const error = 'terminal /dev/pts/1\r\nstty: /dev/pts/1: Input/output error\r\n';
    await end(0, `${error}terminal /dev/pts/10\r\n${linux}terminal /dev/pts/2\r\n${mac}`);
    expect(await Promise.all(reads)).toEqual([null, usual, { echo: true, canonical: false }]);
  });

  it('has at most 256 terminals in a run', async () => {
    const { modes, runs, end } = setUp();
    const reads = Array.from({ length: 300 }, (_, index) => modes.read(`/dev/pts/${index}`));
    await end(0);
    await end(1);
    expect(await Promise.all(reads)).toEqual(Array.from({ length: 300 }, () => usual));
    expect(runs.map(({ terminals }) => terminals.length)).toEqual([256, 44]);
  });

  it('returns null if the helper cannot be started, and tries again', async () => {
    let refused = 0;
    const modes = new SttyModes(() => {
      refused++;
      return Promise.reject(new Error('no more processes'));
    });
    expect(await modes.read('/dev/pts/1')).toBeNull();
    expect(await modes.read('/dev/pts/1')).toBeNull();
    expect(refused).toBe(2);
  });

  it('kills a run that takes too long, and uses the answers it printed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const started = deferred<FakePty>();
    const modes = new SttyModes(async () => {
      const pty = new FakePty();
      started.resolve(pty);
      return { pty, forget: () => {} };
    });
    const reads = ['/dev/pts/1', '/dev/pts/2'].map((each) => modes.read(each));
    const pty = await started.promise;
    await vi.advanceTimersByTimeAsync(0);
    pty.output(`terminal /dev/pts/1\r\n${linux}terminal /dev/pts/2\r\n`);
    await vi.advanceTimersByTimeAsync(5_000);
    vi.useRealTimers();
    expect(await Promise.all(reads)).toEqual([usual, null]);
  });
});
