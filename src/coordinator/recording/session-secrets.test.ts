import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LocalCoordinator } from '#coordinator';
import { ReplacedCoordinator } from '../../../test/support/pty/replaced-coordinator.ts';

describe('the secrets that a session was started with', () => {
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
});
