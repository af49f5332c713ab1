import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { ignored } from '#base';
import type { SessionInfo } from '#model';
import { JsonCoordinator } from '#wire/service/short';
import { AcpEditor, type Step } from '../../support/acp/acp-editor.ts';
import { exitOf, served } from '../../support/command/running-daemon.ts';
import { Place } from '../../support/command/vtr-command.ts';
import { isAlive } from '../../support/pty/process-facts.ts';
import { conditionMs } from '../../support/run/condition-ms.ts';
import { needs, provided } from '../../support/run/needs.ts';
import { tree } from '../../support/tree.ts';

/** The tests share its daemon. */
const place = Place.forAll();
const coordinator = new JsonCoordinator(place.socket);

const it = provided(process.platform === 'linux', 'only on Linux: --shell needs /proc');
const withSetpriv = process.platform === 'linux' ? needs('setpriv') : it;

const started = (...flags: string[]) =>
  AcpEditor.start(place, {
    flags: flags.length === 0 ? ['--shell'] : flags,
    // A proxy that is killed leaves its directory.
    env: { TMPDIR: tree() },
  });

/** The sessions of commands, oldest first. */
const sessions = async () =>
  (await coordinator.list()).filter(({ labels }) => labels?.['acp'] !== undefined);

/** Resolves with the session of a command when it runs. */
async function sessionOf(command: string): Promise<SessionInfo> {
  return vi.waitFor(
    async () => {
      const session = (await sessions()).find(({ args }) => args[1] === command);
      if (session === undefined) throw new Error(`no session runs ${command}`);
      return session;
    },
    { timeout: conditionMs, interval: 10 },
  );
}

const exited = async (command: string) =>
  (await coordinator.wait(await sessionOf(command))).exitStatus;

/** Returns a function that makes a step: the agent tells something of a tool call. */
const updatesOf =
  (toolCallId: string) =>
  (fields: object): Step => ({
    notify: 'session/update',
    params: { update: { sessionUpdate: 'tool_call_update', toolCallId, ...fields } },
  });

describe('vtr acp --shell', () => {
  it('runs the commands of an agent in sessions, which it does not notice', async () => {
    const line = 'printf "a\\nb"; echo err >&2; test -t 0 || test -t 1 || test -t 2 || exit 3';
    const editor = await started();
    const [answer] = await editor.prompt({ run: line });
    expect(answer).toEqual({ code: 3, signal: null, stdout: 'a\nb', stderr: 'err\n' });
    const session = await sessionOf(line);
    expect(session).toMatchObject({ cwd: place.directory, labels: { acp: 'node' } });
    expect(await exited(line)).toEqual({ code: 3, signal: null });
    const shown = await coordinator.read(session);
    expect(shown.text.tail).toMatch(/a\n.*b/s);
    expect(shown.text.tail).toContain('err');
  });

  it('leaves environment, directory, file mode mask, arguments and input as they are', async () => {
    const editor = await started();
    const facts = (more: object): Step => ({
      run: 'env | grep -v "^VTR_SESSION\\|^VTR_REPORT\\|^_=\\|^SHLVL="; umask; pwd; cat',
      input: 'line\n',
      ...more,
    });
    const [inSession, without] = await editor.prompt(facts({}), facts({ isApart: false }));
    expect(inSession).toEqual(without);
    expect(inSession.stdout).toContain('SHELL=/bin/sh\n');
    expect(inSession.stdout).toMatch(/line\n$/);
    expect(await sessions()).toHaveLength(1);
  });

  it('a question on the terminal is answered from outside', async () => {
    const line = 'printf "Password: " >/dev/tty; read -r a </dev/tty; echo "got $a"';
    const editor = await started();
    const answered = editor.prompt({ run: line });
    const session = await sessionOf(line);
    const { outcome } = await coordinator.wait(session, { asks: true });
    expect(outcome).toBe('awaiting_input');
    await coordinator.sendText(session, 'secret\r');
    const [answer] = await answered;
    expect(answer).toEqual({ code: 0, signal: null, stdout: 'got secret\n', stderr: '' });
  });

  it('with --shell-input, so is a question that reads standard input', async () => {
    const command = 'printf "Proceed? [y/N] "; read -r a; echo "answer $a"';
    const wrapped = `true && eval '${command}' < /dev/null && pwd -P >| /dev/null`;
    const editor = await started('--shell-input');
    for (const line of [command, wrapped]) {
      const answered = editor.prompt({ run: line });
      const session = await sessionOf(command);
      await coordinator.wait(session, { asks: true });
      await coordinator.sendText(session, 'y\r');
      const [{ stdout }] = await answered;
      expect(stdout).toBe('Proceed? [y/N] answer y\n');
      await coordinator.wait(session);
      await coordinator.remove(session);
    }
  });

  it('passes all of a large output on', async () => {
    const editor = await started();
    const [{ stdout }] = await editor.prompt({ run: 'seq 1 100000; echo end' });
    const numbers = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join('');
    expect(stdout === `${numbers}end\n`).toBe(true);
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`${signal} to the group ends the command, and its descendants`, async () => {
      const line = `sleep 1000 & echo $!; wait # ${signal}`;
      const editor = await started();
      const [answer] = await editor.prompt({ run: line, endOn: '\n', signal });
      expect(answer).toMatchObject({ code: null, signal });
      const pid = Number(answer.stdout);
      expect(pid).toBeGreaterThan(1);
      await expect.poll(() => isAlive(pid), { interval: 10 }).toBe(false);
      await exited(line);
    });
  }

  it('a command that handles a signal goes on, and its status counts', async () => {
    const editor = await started();
    const run = 'trap "echo caught; exit 5" TERM; echo ready; while :; do sleep 0.01; done';
    // Several at once: each may get the signal as soon as it runs.
    const all = Array.from({ length: 12 }, () =>
      editor.prompt({ run, endOn: 'ready', signal: 'SIGTERM' }),
    );
    for (const [answer] of await Promise.all(all)) {
      expect(answer).toMatchObject({ code: 5, signal: null, stdout: 'ready\ncaught\n' });
    }
  });

  it('the same signal may come again', async () => {
    const editor = await started();
    const run =
      'trap "echo caught; \\$again exit 5; again=" TERM; again=:; echo ready; while :; do sleep 0.01; done';
    const [answer] = await editor.prompt({ run, endOn: '\n', signal: 'SIGTERM', times: 2 });
    expect(answer).toMatchObject({ code: 5, signal: null, stdout: 'ready\ncaught\ncaught\n' });
  });

  it('what a command leaves in the background goes on, and its output arrives', async () => {
    const editor = await started();
    const run = 'mkfifo go; (read -r _ <go; echo later >told) & sleep 1000 & echo "$!"';
    const [answer] = await editor.prompt({ run, until: '\n' });
    expect(answer).toMatchObject({ code: 0, signal: null });
    const pid = Number(answer.stdout);
    onTestFinished(() => void process.kill(pid));
    expect(await exited(run)).toEqual({ code: 0, signal: null });
    expect(isAlive(pid)).toBe(true);
    const [later] = await editor.prompt({ run: 'echo >go; while ! grep later told; do :; done' });
    expect(later.stdout).toContain('later\n');
  });

  it('several run at the same time', async () => {
    const editor = await started();
    const all = Array.from({ length: 8 }, (_, index) =>
      editor.prompt({ run: `read -r line; echo "${index} $line"`, input: `${index}\n` }),
    );
    const answers = (await Promise.all(all)).map(([{ stdout }]) => stdout);
    expect(answers).toEqual(answers.map((_, index) => `${index} ${index}\n`));
  });

  it('a killed daemon does not end a command', async () => {
    const line = 'echo begun; read -r _ <more; echo end';
    const own = new Place();
    const daemon = await served(own);
    const editor = await AcpEditor.start(own, { flags: ['--shell'], env: { TMPDIR: tree() } });
    const answered = editor.prompt({ run: `mkfifo more; ${line}` });
    const other = new JsonCoordinator(own.socket);
    await expect.poll(async () => (await other.list()).length, { interval: 10 }).toBe(1);
    const [session] = await other.list();
    if (session !== undefined) await other.wait(session, { screen: ['begun'] });
    daemon.kill('SIGKILL');
    await exitOf(daemon);
    writeFileSync(join(own.directory, 'more'), '\n');
    const [answer] = await answered;
    expect(answer).toMatchObject({ code: 0, stdout: 'begun\nend\n' });
    // The next daemon is there before the place is left.
    const serves = () =>
      other.list().then(
        () => true,
        () => false,
      );
    await expect.poll(serves, { interval: 10 }).toBe(true);
  });

  it('without a coordinator, a command runs as without vtr', async () => {
    const flags = ['--shell', '--socket', '/proc/none.sock'];
    const editor = await AcpEditor.start(place, { flags, env: { TMPDIR: tree() } });
    const [answer] = await editor.prompt({ run: 'echo out; exit 4' });
    expect(answer).toEqual({ code: 4, signal: null, stdout: 'out\n', stderr: '' });
    expect(editor.said).toContain('a command runs without a session: ');
  });

  withSetpriv('a command in a sandbox stays in it', async () => {
    const editor = await started();
    const run = 'grep NoNewPrivs /proc/self/status';
    const [answer] = await editor.prompt({ run, before: ['setpriv', '--no-new-privs'] });
    expect(answer).toMatchObject({ code: 0, stdout: 'NoNewPrivs:\t1\n' });
    expect(await sessions()).toEqual([]);
  });

  it('a command that was removed has ended by SIGHUP', async () => {
    const line = 'echo on; exec sleep 1000';
    const editor = await started();
    const answered = editor.prompt({ run: line });
    const session = await sessionOf(line);
    await coordinator.wait(session, { screen: ['on'] });
    await coordinator.remove(session, { force: true });
    const [answer] = await answered;
    expect(answer).toMatchObject({ code: 129, stdout: 'on\n' });
  });

  it('commands end with the agent', async () => {
    const line = 'echo $$; exec sleep 1000';
    const editor = await started();
    void ignored(editor.prompt({ run: line }), 'the agent ends meanwhile');
    const { pid } = await sessionOf(line);
    editor.child.stdin?.end();
    await editor.exit();
    expect(await exited(line)).toEqual({ code: null, signal: 'SIGHUP' });
    await expect.poll(() => isAlive(pid ?? 0), { interval: 10 }).toBe(false);
  });

  it('a command whose request is not answered before the agent ends runs without a session', async () => {
    const own = new Place();
    const daemon = await served(own);
    const requests = tree();
    const env = { TMPDIR: requests };
    const editor = await AcpEditor.start(own, { flags: ['--shell'], env });
    daemon.kill('SIGSTOP');
    onTestFinished(() => void daemon.kill('SIGCONT'));
    const file = join(own.directory, 'ran');
    void ignored(editor.prompt({ run: `echo ran >${file}` }), 'the agent ends meanwhile');
    const places = () => readdirSync(requests, { recursive: true }).join('\n');
    await expect.poll(places, { interval: 10 }).toMatch(/^vtr-acp-[\w-]+\/\d+\/err$/m);
    editor.child.stdin?.end();
    await editor.exit();
    await expect.poll(() => existsSync(file), { interval: 10 }).toBe(true);
  });

  /** Starts a command whose session is asked for and never comes: the daemon is stopped. */
  const waiting = async (run: string) => {
    const own = new Place();
    const daemon = await served(own);
    const requests = tree();
    const env = { TMPDIR: requests };
    const audit = join(own.directory, 'audit.jsonl');
    const editor = await AcpEditor.start(own, { flags: ['--shell', '--audit', audit], env });
    await editor.prompt({ run: 'echo first' });
    const lines = () => readFileSync(audit, 'utf8').split('\n').length;
    await expect.poll(lines, { interval: 10 }).toBe(3);
    daemon.kill('SIGSTOP');
    const goOn = () => void daemon.kill('SIGCONT');
    onTestFinished(goOn);
    const answered = editor.prompt({ run });
    void ignored(answered, 'the proxy may be killed meanwhile');
    await expect.poll(lines, { interval: 10 }).toBe(4);
    const [place = ''] = readdirSync(requests);
    const shell = Number(readdirSync(join(requests, place)).find(Number));
    return { own, editor, answered, goOn, requests, place, shell, env };
  };

  it('a command that is killed before it begins leaves no session that waits', async () => {
    const { own, answered, goOn, shell } = await waiting('echo never');
    process.kill(-shell, 'SIGKILL');
    const [answer] = await answered;
    expect(answer).toEqual({ code: null, signal: 'SIGKILL', stdout: '', stderr: '' });
    goOn();
    const other = new JsonCoordinator(own.socket);
    const exits = async () => (await other.list()).map(({ exitStatus }) => exitStatus !== null);
    await expect.poll(exits, { interval: 10 }).toEqual([true, true]);
  });

  it('a killed proxy leaves its directory to the next one, and commands that waited run', async () => {
    const file = join(tree(), 'ran');
    const { own, editor, requests, place: left, env, goOn } = await waiting(`echo ran >${file}`);
    editor.child.kill('SIGKILL');
    await editor.exit();
    await expect.poll(() => existsSync(file), { interval: 10 }).toBe(true);
    expect(readdirSync(requests)).toEqual([left]);
    mkdirSync(join(requests, 'vtr-acp-other'));
    goOn();
    const next = await AcpEditor.start(own, { flags: ['--shell'], env });
    await next.prompt({ run: 'true' });
    expect(readdirSync(requests)).toContain('vtr-acp-other');
    expect(readdirSync(requests)).not.toContain(left);
  });

  it('with --audit, a record tells who ran what, where, and how it ended', async () => {
    const file = join(tree(), 'audit.jsonl');
    const editor = await started('--shell', '--audit', file);
    await editor.prompt({ run: 'exit 3' });
    await exited('exit 3');
    const records = () =>
      readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    await expect.poll(() => records().length, { interval: 10 }).toBe(2);
    const { name } = await sessionOf('exit 3');
    const common = { terminal: name, args: ['-c', 'exit 3'], cwd: place.directory };
    expect(records()).toMatchObject([
      { event: 'start', conversation: '', ...common },
      { event: 'exit', exit: { code: 3, signal: null }, ...common },
    ]);
  });

  it('with --audit, a command that cannot be recorded is not run', async () => {
    const directory = tree();
    const file = join(directory, 'audit.jsonl');
    const editor = await started('--shell', '--audit', file);
    rmSync(file);
    symlinkSync(join(directory, 'elsewhere'), file);
    const ran = join(directory, 'ran');
    const [answer] = await editor.prompt({ run: `echo >${ran}` });
    expect(answer).toMatchObject({ code: 126, stdout: '' });
    expect(answer.stderr).toContain('could not be recorded');
    expect(existsSync(ran)).toBe(false);
  });

  it('SIGINT says nothing of its own', async () => {
    const editor = await started();
    const run = 'echo on; exec sleep 1000 # INT';
    const [answer] = await editor.prompt({ run, endOn: 'on', signal: 'SIGINT' });
    expect(answer).toEqual({ code: null, signal: 'SIGINT', stdout: 'on\n', stderr: '' });
  });

  it('shell of [acp] in config.toml is as the flag, and --no-shell takes it back', async () => {
    const own = new Place();
    const config = tree({ 'vtr/config.toml': '[acp]\nshell = "input"\n' });
    const run = 'read -r line; echo "got $line"';
    const env = { TMPDIR: tree(), XDG_CONFIG_HOME: config };
    const without = await AcpEditor.start(own, { flags: ['--no-shell'], env });
    const [plain] = await without.prompt({ run });
    expect(plain).toMatchObject({ code: 0, stdout: 'got \n' });
    const editor = await AcpEditor.start(own, { env });
    const answered = editor.prompt({ run });
    const other = new JsonCoordinator(own.socket);
    await expect.poll(async () => (await other.list()).length, { interval: 10 }).toBe(1);
    const [session] = await other.list();
    if (session === undefined) throw new Error('no session');
    await other.sendText(session, 'x\r');
    const [answer] = await answered;
    expect(answer).toMatchObject({ code: 0, stdout: 'got x\n' });
  });

  for (const shell of ['zsh', 'bash', 'dash'] as const) {
    const withShell = process.platform === 'linux' ? needs(shell) : it;
    withShell(`${shell} runs the commands if it is the shell of the user`, async () => {
      const SHELL = execFileSync('sh', ['-c', `command -v ${shell}`], { encoding: 'utf8' }).trim();
      const editor = await AcpEditor.start(place, {
        flags: ['--shell'],
        env: { TMPDIR: tree(), SHELL, ZDOTDIR: tree() },
      });
      const facts =
        'echo "$0 $SHELL"; a="x  y"; printf "%s\n" $a; sleep 1000 & kill $!; wait; exit 7';
      const run = (more: object = {}) => ({ run: facts, ...more });
      const [inSession, without] = await editor.prompt(run(), run({ isApart: false }));
      expect(inSession).toMatchObject({ code: 7, signal: null, stdout: without.stdout });
      // With a process in the loop, zsh alone writes its output twice.
      const trap = 'trap "echo caught; exit 5" TERM; echo ready; while :; do :; done';
      const [caught] = await editor.prompt({ run: trap, endOn: 'ready', signal: 'SIGTERM' });
      // zsh itself can write twice what its buffer has when a signal comes.
      const stdout = expect.stringMatching(/^(?:ready\n)+caught\n$/);
      expect(caught).toMatchObject({ code: 5, stdout });
      const asks = 'printf "Name? " >/dev/tty; read -r a </dev/tty; echo "hello $a"';
      const answered = editor.prompt({ run: asks });
      const session = await sessionOf(asks);
      await coordinator.wait(session, { asks: true });
      await coordinator.sendText(session, 'Ada\r');
      expect((await answered)[0]).toMatchObject({ code: 0, stdout: 'hello Ada\n', stderr: '' });
    });
  }

  it('a tool call names the session of its command until it has ended', async () => {
    const command = 'read -r _ <go; echo end';
    const editor = await started();
    const update = updatesOf('call-1');
    const text = (of: string) => ({ type: 'content', content: { type: 'text', text: of } });
    const first = editor.prompt(
      { run: 'mkfifo go' },
      update({ sessionUpdate: 'tool_call', title: command, rawInput: { command } }),
      { run: command },
      update({ status: 'completed', content: [text('end')] }),
    );
    const { content } = await editor.seesUpdate((each) => each.content !== undefined);
    const { name } = await sessionOf(command);
    expect(content).toEqual([text(`running · \`vtr attach ${name}\` · \`vtr answer ${name}\``)]);
    await editor.prompt(update({ content: [text('part')] }), { run: 'echo >go' });
    await first;
    const contents = editor.updates.map((each) => each.content).filter(Boolean);
    expect(contents).toEqual([content, [text('part'), ...content], [text('end')]]);
  });

  it('a tool call that ends without content shows what it showed without the session', async () => {
    const command = 'read -r _ <ended';
    const editor = await started();
    const update = updatesOf('call-4');
    const part = { type: 'content', content: { type: 'text', text: 'part' } };
    const turn = editor.prompt(
      { run: 'mkfifo ended' },
      update({ sessionUpdate: 'tool_call', title: command, rawInput: { command } }),
      { run: command },
      update({ status: 'completed' }),
    );
    const isNamed = ({ content }: { content?: unknown }) =>
      JSON.stringify(content)?.includes('vtr attach') ?? false;
    await editor.seesUpdate(isNamed);
    await editor.prompt(update({ content: [part] }), { run: 'echo >ended' });
    await turn;
    expect(editor.updates.slice(-2)).toMatchObject([{ content: [part] }, { status: 'completed' }]);
  });

  it('a tool call tells what its command asks', async () => {
    const command = 'printf "Name? " >/dev/tty; read -r a </dev/tty; echo "hello $a"';
    const editor = await started();
    const turn = editor.prompt(
      {
        notify: 'session/update',
        params: {
          update: {
            sessionUpdate: 'tool_call',
            toolCallId: 'call-3',
            title: 'x',
            rawInput: { command },
          },
        },
      },
      { run: command },
    );
    const tells = (text: string) => (update: object) => JSON.stringify(update).includes(text);
    await editor.seesUpdate(tells('asks: Name? '));
    const session = await sessionOf(command);
    await coordinator.sendText(session, 'Ada\r');
    const [, answer] = await turn;
    expect(answer.stdout).toBe('hello Ada\n');
    const last = () => JSON.stringify(editor.updates.at(-1));
    await expect.poll(last, { interval: 10 }).toContain('running');
  });

  it('a terminal that the agent shows is the session of its command', async () => {
    const command = 'echo from the session';
    const editor = await started();
    const update = (fields: object): Step => ({
      notify: 'session/update',
      params: { update: { sessionUpdate: 'tool_call_update', toolCallId: 'call-2', ...fields } },
    });
    const content = [{ type: 'terminal', terminalId: 'call-2' }];
    const of = { terminal_id: 'call-2' };
    await editor.prompt(
      update({ title: command, rawInput: { command }, content, _meta: { terminal_info: of } }),
      { run: command },
      update({ _meta: { terminal_output: { ...of, data: 'a copy' } } }),
      update({ status: 'completed', _meta: { terminal_exit: { ...of, exit_code: 0 } } }),
    );
    const { name } = await sessionOf(command);
    const isLast = ({ content: blocks }: { content?: unknown }) =>
      JSON.stringify(blocks)?.includes('exited 0') ?? false;
    const { content: shown } = await editor.seesUpdate(isLast);
    const screens = `\`vtr attach ${name}\` · \`vtr screen ${name}\``;
    const expected = `\`\`\`\nfrom the session\n\`\`\`\nexited 0 · ${screens}`;
    expect(shown).toEqual([{ type: 'content', content: { type: 'text', text: expected } }]);
    expect((await coordinator.list()).map((each) => each.name)).toEqual([name]);
  });
});
