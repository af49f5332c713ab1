import { chmodSync, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { testProgram } from '../../support/pty/pty-request.ts';
import { needs } from '../../support/run/needs.ts';
import { tree } from '../../support/tree.ts';

/** A place with the session `api`, whose agent can be prompted. */
async function withAgent(...options: readonly string[]): Promise<Place> {
  const place = new Place();
  const program = join(tree(), 'codex.mjs');
  copyFileSync(testProgram('coding-agent.mjs'), program);
  const words = [process.execPath, program, 'prompted', ...options];
  await place.vtr(['spawn', 'api', '--agent', 'codex', '--wait', '--', ...words]);
  return place;
}

/** Runs a command that succeeds, whatever it tells on stderr, and returns what it prints. */
async function does(place: Place, ...words: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await place.vtr(words);
  expect(status, `vtr ${words.join(' ')}: ${stderr}`).toBe(0);
  return stdout;
}

const agentOf = async (place: Place) => (await place.json('info', 'api')).agent;

describe('vtr prompt', () => {
  it('prompts, waits for the end of its turn, and prints what is new', async () => {
    const place = await withAgent();
    const done = await place.vtr(['prompt', 'api', 'look around', '--read']);
    expect(done.stdout).toContain('● answer 1: look around');
    expect(done).toMatchObject({ status: 0, stderr: expect.stringContaining('codex is idle') });
    expect(await agentOf(place)).toMatchObject({ state: 'idle', turn: 1 });
  });

  it('returns the turn, which another wait can wait for', async () => {
    const place = await withAgent();
    expect(await does(place, 'prompt', 'api', 'look')).toBe('1\n');
    await does(place, 'wait', 'api', '--agent', 'idle,asks', '--turn', '1');
    expect(await does(place, 'prompt', 'api', 'and again')).toBe('2\n');
    await does(place, 'wait', 'api', '--agent', 'idle,asks', '--turn', '2');
    expect(await does(place, 'screen', 'api')).toContain('answer 2: and again');
  });

  it('takes a prompt from a file and from stdin', async () => {
    const place = await withAgent();
    const file = join(tree(), 'task.md');
    writeFileSync(file, 'from a file');
    await does(place, 'prompt', 'api', '--file', file, '--wait');
    const piped = await place.vtr(['prompt', 'api', '--stdin', '--wait'], { input: 'from stdin' });
    expect(piped.status).toBe(0);
    const screen = await does(place, 'screen', 'api');
    expect(screen).toContain('answer 1: from a file');
    expect(screen).toContain('answer 2: from stdin');
    expect((await place.vtr(['prompt', 'api'])).status).toBe(2);
  });

  it('ends with the question if the agent asks, and with the answer goes on', async () => {
    const place = await withAgent();
    const result = await place.vtr(['prompt', 'api', 'ask twice', '--wait']);
    expect(result).toMatchObject({ status: 13, stdout: expect.stringContaining('1. Yes') });
    const again = await place.vtr(['prompt', 'api', 'more']);
    expect(again).toMatchObject({ status: 15, stderr: expect.stringContaining('1. Yes') });

    const { question_id: id } = await agentOf(place);
    const second = await place.vtr(['answer', 'api', 'yes, and', '--question', id]);
    expect(second).toMatchObject({ status: 13 });
    const changed = await place.vtr(['answer', 'api', '1', '--question', id]);
    expect(changed).toMatchObject({
      status: 20,
      stderr: expect.stringContaining('another question'),
    });
    const unknown = await place.vtr(['answer', 'api', 'maybe']);
    expect(unknown).toMatchObject({ status: 2, stderr: expect.stringContaining('3. No') });
    const goesOn = await place.vtr(['answer', 'api', 'no']);
    expect(goesOn.status).toBe(0);
    await does(place, 'wait', 'api', '--agent', 'idle', '--turn', '1');
    const screen = await does(place, 'screen', 'api');
    expect(screen).toContain('npm publish: 2');
    expect(screen).toContain('git push: 3');
    expect((await place.vtr(['answer', 'api', 'yes'])).status).toBe(20);
  });

  it('ends when the agent says that it needs a login, which is typed into its composer', async () => {
    const place = await withAgent();
    const result = await place.vtr(['prompt', 'api', 'login', '--wait']);
    expect(result).toMatchObject({ status: 13, stdout: expect.stringContaining('Not logged in') });
    const again = await place.vtr(['prompt', 'api', 'more']);
    expect(again).toMatchObject({
      status: 15,
      stderr: expect.stringMatching(/codex asks: Not logged in; nothing was typed; .* vtr send /),
    });
    await does(place, 'send', 'api', 'quick', '--enter');
    await does(place, 'wait', 'api', '--agent', 'idle');
    expect(await does(place, 'screen', 'api')).toContain('quickly: quick');
  });

  it('answers a dialog that is drawn in parts', async () => {
    const place = await withAgent('halves');
    await place.vtr(['prompt', 'api', 'ask', '--wait']);
    await does(place, 'wait', 'api', '--screen', 'No \\(esc\\)');
    await does(place, 'answer', 'api', 'no');
    await does(place, 'wait', 'api', '--screen', 'npm publish: 3');
  });

  it('does not send the draft of a person, unless it is to be replaced', async () => {
    const place = await withAgent();
    await does(place, 'send', 'api', 'half of a');
    await does(place, 'wait', 'api', '--screen', 'half of a');
    const refused = await place.vtr(['prompt', 'api', 'look']);
    expect(refused).toMatchObject({ status: 17, stderr: expect.stringContaining('half of a') });
    await does(place, 'prompt', 'api', 'look', '--replace', '--wait');
    const screen = await does(place, 'screen', 'api');
    expect(screen).toContain('answer 1: look');
    expect(screen).not.toContain('half of a');
  });

  it('prompts a busy agent only with --queue', async () => {
    const place = await withAgent();
    await does(place, 'prompt', 'api', 'long work');
    await does(place, 'wait', 'api', '--agent', 'busy');
    const refused = await place.vtr(['prompt', 'api', 'then this']);
    expect(refused).toMatchObject({ status: 18, stderr: expect.stringContaining('codex is busy') });
    await does(place, 'prompt', 'api', 'then this', '--queue');
    await does(place, 'key', 'api', 'escape');
    await does(place, 'wait', 'api', '--screen', 'answer 2: then this');
  });

  it('says that a prompt after which nothing happens is stalled', async () => {
    const place = await withAgent('silent');
    const stalled = await place.vtr(['prompt', 'api', 'stall', '--wait']);
    expect(stalled).toMatchObject({ status: 19, stderr: expect.stringContaining('stalled') });
  });

  it('sees the end of a turn in which the agent was never seen to work', async () => {
    const place = await withAgent('silent');
    const { wait, turn } = JSON.parse(
      await does(place, 'prompt', 'api', 'quick', '--wait', '--json'),
    );
    expect(turn).toBe(1);
    expect(wait).toMatchObject({ outcome: 'agent' });
    expect(await agentOf(place)).toMatchObject({ state: 'idle', turn: 1 });
  });

  it('needs an agent', async () => {
    const place = new Place();
    await does(place, 'spawn', 'cat', '--', 'cat');
    const { status, stderr } = await place.vtr(['prompt', 'cat', 'hello']);
    expect(status).toBe(18);
    expect(stderr).toContain('no coding agent');
  });
});

describe('vtr start', () => {
  it('starts the command of a kind, and reports a dialog of the first run', async () => {
    const place = new Place();
    const agent = testProgram('coding-agent.mjs');
    const bin = tree({ codex: `#!/bin/sh\nexec '${process.execPath}' '${agent}' "$@"\n` });
    chmodSync(join(bin, 'codex'), 0o755);
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    const started = await place.vtr(['start', 'codex', 'one', '--', 'prompted'], { env });
    expect(started).toMatchObject({ status: 0, stdout: 'one\n' });
    expect((await place.json('info', 'one')).labels).toEqual({ agent: 'codex' });
    const asks = await place.vtr(['start', 'codex', 'two', '--', 'prompted', 'trust'], { env });
    expect(asks).toMatchObject({ status: 13, stdout: expect.stringContaining('1. Yes') });
    await does(place, 'answer', 'two', 'yes');
    await does(place, 'prompt', 'two', 'hello', '--wait');
    const wrong = await place.vtr(['start', 'nobody']);
    expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('codex') });
  });
});

describe('vtr answer', () => {
  /** Starts a program in a shell, and returns what it prints after an answer. */
  const answered = async (line: string, ...answers: readonly string[]) => {
    const place = new Place();
    await does(place, 'spawn', 'ask', '--', 'bash', '--norc', '-c', `${line}; sleep 60`);
    await does(place, 'wait', 'ask', '--asks');
    for (const answer of answers) {
      const { status, stderr } = await place.vtr(['answer', 'ask', answer]);
      expect([0, 13], stderr).toContain(status);
    }
    await does(place, 'wait', 'ask', '--screen', 'got');
    return /got \[(.*)\]/.exec(await does(place, 'screen', 'ask'))?.[1];
  };

  it('answers y/n, a text and a number', async () => {
    expect(await answered('read -p "Overwrite? [y/N] " x; echo "got [$x]"', 'y')).toBe('y');
    expect(await answered('read -n1 -p "Continue? (y/n) " x; echo "got [$x]"', 'y')).toBe('y');
    expect(await answered('read -p "Name? " x; echo "got [$x]"', 'a name')).toBe('a name');
    const select = 'select x in apple pear; do echo "got [$x]"; break; done';
    expect(await answered(select, 'pear')).toBe('pear');
  });

  it('presses the number of a choice whose pointer does not move', async () => {
    // As a program that reads its terminal byte by byte, and ignores what it does not know.
    const menu = 'printf "Run it?\\n❯ 1. Yes\\n  2. No\\n"';
    const key = 'until [[ $x == [12] ]]; do read -rsn1 x; done';
    expect(await answered(`${menu}; ${key}; echo "got [$x]"`, 'No')).toBe('2');
  });

  it('answers one question after another', async () => {
    const line = 'read -p "Name? " x; read -p "Sure? (y/n) " y; echo "got [$x $y]"';
    expect(await answered(line, 'vtr', 'n')).toBe('vtr n');
  });

  it('refuses where nothing is asked', async () => {
    const place = new Place();
    await does(place, 'spawn', 'busy', '--', 'sh', '-c', 'sleep 60');
    expect(await place.vtr(['answer', 'busy', 'y'])).toMatchObject({ status: 20 });
  });

  needs('fzf')('moves in a list of fzf', async () => {
    const line = 'x=$(printf "one\\ntwo\\nthree\\n" | fzf); echo "got [$x]"';
    expect(await answered(line, 'three')).toBe('three');
  });

  needs('dialog')('takes items and buttons of dialog', async () => {
    const menu =
      'x=$(dialog --stdout --menu Color 12 40 3 r red g green b blue); clear; echo "got [$x]"';
    expect(await answered(menu, 'blue')).toBe('b');
    const yesNo = 'dialog --yesno Sure? 8 40; x=$?; clear; echo "got [$x]"';
    expect(await answered(yesNo, 'no')).toBe('1');
    const boxes =
      'x=$(dialog --stdout --checklist Which 12 40 3 a A off b B on c C off); clear; echo "got [$x]"';
    expect(await answered(boxes, 'a A, c C')).toBe('a c');
  });
});

describe('a wait for several agents', () => {
  it('tells each state once, in the order in which they began', async () => {
    const place = new Place();
    const names = ['a', 'b', 'c'];
    const program = join(tree(), 'codex.mjs');
    copyFileSync(testProgram('coding-agent.mjs'), program);
    for (const name of names) {
      const words = [process.execPath, program, 'prompted'];
      await place.vtr(['spawn', name, '--agent', 'codex', '--wait', '--', ...words]);
      await does(place, 'prompt', name, 'long');
      await does(place, 'wait', name, '--agent', 'busy');
    }
    for (const name of ['b', 'c', 'a']) {
      await does(place, 'key', name, 'escape');
      await does(place, 'wait', name, '--agent', 'idle');
    }
    const texts: string[] = [];
    let after: string[] = [];
    for (const _ of names) {
      const answer = JSON.parse(
        await does(place, 'wait', ...names, '--agent', 'idle,asks', '--json', ...after),
      );
      texts.push(answer.name);
      after = ['--after', answer.agent_mark];
    }
    expect(texts).toEqual(['b', 'c', 'a']);
    const words = ['wait', '*', '--agent', 'idle,asks', ...after, '--timeout', '0s'];
    expect(await place.vtr(words)).toMatchObject({ status: 9 });
  });

  it('says that a session has no agent', async () => {
    const place = new Place();
    await does(place, 'spawn', 'cat', '--', 'cat');
    const late = await place.vtr(['wait', 'cat', '--agent', 'idle', '--timeout', '0s']);
    expect(late).toMatchObject({ status: 9, stderr: expect.stringContaining('no coding agent') });
  });
});

it('turns and states go on after a kill of the daemon', async () => {
  const place = await withAgent();
  await does(place, 'prompt', 'api', 'look', '--wait');
  const before = await agentOf(place);
  await does(place, 'prompt', 'api', 'long');
  await does(place, 'wait', 'api', '--agent', 'busy');
  process.kill((await place.json('serve', '--status')).pid, 'SIGKILL');
  await does(place, 'key', 'api', 'escape');
  await does(place, 'wait', 'api', '--agent', 'idle', '--turn', '2', '--timeout', '20s');
  expect(before.turn).toBe(1);
  expect(await agentOf(place)).toMatchObject({ state: 'idle', turn: 2 });
});
