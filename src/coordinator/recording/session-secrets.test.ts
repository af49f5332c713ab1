import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LocalCoordinator } from '#coordinator';
import { KnownSecrets, type SessionView } from '#session';
import { ReplacedCoordinator } from '../../../test/support/pty/replaced-coordinator.ts';
import { SeenSecrets } from './session-secrets.ts';

describe('the secrets of a session', () => {
  const env = { API_TOKEN: 'hunter2supersecret', AWS_PROFILE: 'production' };
  const program = { program: 'sh', args: ['-c', 'echo is $API_TOKEN $AWS_PROFILE'] };
  const hidden = `is ${'•'.repeat(18)} production`;
  let replaced: ReplacedCoordinator;
  let coordinator: LocalCoordinator;

  const restart = async () => {
    coordinator = await replaced.replace();
  };
  const shown = async (name: string) => {
    const { text, redacted } = await coordinator.read(name, { redact: true });
    return [text.tail, redacted];
  };

  beforeEach(async () => {
    replaced = await ReplacedCoordinator.start();
    coordinator = replaced.current;
  });
  afterEach(() => replaced.dispose());

  it('are replaced by the next coordinator, also if its program had ended before', async () => {
    const { name } = await coordinator.spawn({ ...program, env });
    await coordinator.wait(name);
    expect(await shown(name)).toEqual([hidden, 1]);
    await restart();
    expect(await shown(name)).toEqual([hidden, 1]);
    await restart();
    expect(await shown(name)).toEqual([hidden, 1]);
  });

  it('are replaced in the lines above the screen of a revived session', async () => {
    const { name } = await coordinator.spawn({ ...program, env });
    await coordinator.wait(name);
    await coordinator.revive(name, { env: { API_TOKEN: 'another-secret' } });
    await coordinator.wait(name);
    const lines = [hidden, expect.stringContaining('revived'), `is ${'•'.repeat(14)}`];
    const all = async () => {
      const { text } = await coordinator.read(name, { redact: true });
      return text.tail.split('\n');
    };
    expect(await all()).toEqual(lines);
    await restart();
    expect(await all()).toEqual(lines);
  });

  it('that was typed while the terminal hid it is replaced, also by the next coordinator', async () => {
    const script =
      'stty -echo; read -r p; stty echo; echo "got $p."; read -r q; echo "and $q."; cat';
    const { name } = await coordinator.spawn({ program: 'sh', args: ['-c', script] });
    await coordinator.wait(name, { asks: true });
    // As a person types it.
    for (const key of ['h', 'x', 'backspace', 'u', 'n', 't', 'e', 'r', '2']) {
      await coordinator.sendKeys(name, [key]);
    }
    const { wait } = await coordinator.sendKeys(name, ['enter'], {
      wait: { match: ['got.*'], redact: true },
    });
    expect(wait?.match?.text).toBe('got •••••••.');
    // Text that is shown while it is typed is not a secret.
    await coordinator.sendText(name, 'a long answer\r', { wait: { match: ['and.*'] } });
    expect(await shown(name)).toEqual(['got •••••••.\na long answer\nand a long answer.', 1]);
    await restart();
    await coordinator.sendText(name, 'is hunter2\r', { wait: { match: ['^is.*'] } });
    expect((await shown(name))[0]).toContain('is •••••••');
  });

  it('that was shown is replaced by the next coordinator, and when the program is revived', async () => {
    const script = 'echo http://me:hunter2@x; seq 20; read -r line; echo "$line"';
    const { name } = await coordinator.spawn({ program: 'sh', args: ['-c', script] });
    await coordinator.wait(name, { match: ['^20$'], since: 'start' });
    expect((await shown(name))[0]).toContain('http://me:•••••••@x');
    await restart();
    await coordinator.sendText(name, 'hunter2\r');
    await coordinator.wait(name);
    expect((await shown(name))[0]).not.toContain('hunter2');
    await coordinator.revive(name, { program: 'sh', args: ['-c', 'echo is hunter2'] });
    await coordinator.wait(name);
    expect((await shown(name))[0]).toContain('is •••••••');
    await restart();
    expect((await shown(name))[0]).not.toContain('hunter2');
  });
});

describe('seen secrets', () => {
  /** A session that shows lines, all but the last above the screen, and counts those that are read. */
  function showing(lines: readonly string[]) {
    const read: number[] = [];
    const topLine = lines.length - 1;
    const terminal = {
      revision: 1,
      firstLine: 0,
      topLine,
      endLine: lines.length,
      alternate: false,
      linePosition: () => ({ line: topLine, col: 0 }),
      scanLines(from: number, to: number) {
        const at = lines.findIndex((text, line) => line >= from && text.includes('://'));
        return at < 0 || at >= to ? { line: to, mayMatch: false } : { line: at, mayMatch: true };
      },
      *readLines(from: number, to: number) {
        for (const [index, text] of lines.slice(from, to).entries()) {
          read.push(from + index);
          yield { line: from + index, reader: { spaced: () => text } };
        }
      },
    };
    const view = {
      terminal,
      exitStatus: null,
      outputEnd: 0,
      rawOutput: () => [],
      onEvent: () => {},
    };
    const secrets = new KnownSecrets();
    const seenSecrets = new SeenSecrets({ view: view as unknown as SessionView, secrets });
    return { seen: seenSecrets, secrets, read };
  }

  const url = (number: number) => `fetch https://app:secret-${number}@db.example/`;

  it('no more lines are read than have secrets that are kept', () => {
    const { seen, secrets, read } = showing(Array.from({ length: 10_000 }, (_, line) => url(line)));
    seen.search();
    const newest = Array.from({ length: 256 }, (_, index) => `secret-${9_744 + index}`);
    expect(secrets.learned.seen).toEqual(newest);
    expect(read.length).toBeLessThan(600);
    seen.search();
    expect(read.length).toBeLessThan(600);
  });

  it('few secrets are found in many lines', () => {
    const lines = Array.from({ length: 10_000 }, (_, line) => (line % 2_000 ? 'plain' : url(line)));
    const { seen, secrets, read } = showing([...lines, 'https://not.a.secret/', '$ ']);
    seen.search();
    const texts = [0, 2_000, 4_000, 6_000, 8_000].map((line) => `secret-${line}`);
    expect(secrets.learned.seen).toEqual(texts);
    expect(read.length).toBeLessThan(10);
  });
});
