import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from './play-steps.ts';
import { script } from './programs.ts';
import { expectEqual } from './stage.ts';

/** Enter, and a wait for output that matches. */
const enterFor = (pattern: string) => ['--enter', '--wait', pattern];

/** From the simple to the unusual. */
export const steps: readonly Step[] = [
  {
    title: 'Run a command: its output alone, and its exit status',
    // zsh and fish mark their commands, too; the prompt of another shell does not show the status.
    needs: 'bash',
    async play(stage) {
      await stage.startShell('shell');
      const line = 'echo "6 times 7 is $((6 * 7))"; (exit 3)';
      const printed = await stage.ends(3, 'run', 'shell', '--', line);
      expectEqual('the output', printed, '6 times 7 is 42\n');
      await stage.screen('shell', /│6 times 7 is 42 .*\n│\$ █/);
      return 'A script gets both, as if it had run the command itself; the shell goes on.';
    },
  },
  {
    title: 'Interrupt a program with ctrl+c',
    async play(stage) {
      await stage.startShell('counter');
      const loop = 'echo counting; while :; do n=$((n + 1)); done';
      await stage.vtr('send', 'counter', loop, ...enterFor('^counting'));
      // An interrupt discards input that is typed before it is seen, so this waits for the prompt.
      await stage.vtr('key', 'counter', 'ctrl+c', '--wait', '\\$ $');
      // Not "$n": dash may be interrupted while the variable has no value.
      const stopped = 'echo "stopped with status $?"';
      await stage.vtr('send', 'counter', stopped, ...enterFor('^stopped with status \\d+'));
      await stage.screen('counter', /│stopped with status 130 .*\n│\$ █/);
      return 'It would have counted for ever; the interrupt ended it with status 130.';
    },
  },
  {
    title: 'Search what has scrolled off the screen',
    async play(stage) {
      await stage.startShell('log');
      const loop = 'i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo "event $i"; done; echo done';
      await stage.vtr('send', 'log', loop, ...enterFor('^done'));
      const found = await stage.vtr('grep', 'log', '^event \\d*777$');
      const events = [...found.matchAll(/event (\d+)/g)].map(([, number]) => number);
      expectEqual('the matches', events, ['777', '1777', '2777', '3777', '4777']);
      return 'Of 5,000 lines, these five end in 777.';
    },
  },
  {
    title: 'Write a file in vim',
    needs: 'vim',
    async play(stage) {
      await stage.start('vim', 'note\\.txt', 'vim', '--clean', '-n', 'note.txt');
      await stage.vtr('send', 'vim', 'iWritten by vtr,', '--enter');
      await stage.vtr('send', 'vim', 'read by you.', '--wait', '--screen', 'read by you\\.');
      await stage.vtr('key', 'vim', 'escape');
      await stage.screen('vim', /│Written by vtr, .*\n│read by you\. .*\n(?:.*\n)*.* 2,12 /);
      await stage.vtr('send', 'vim', ':wq', '--enter', '--wait', '--exit');
      await stage.expectEnd('vim', 0);
      const written = readFileSync(join(stage.home, 'note.txt'), 'utf8');
      expectEqual('note.txt', written, 'Written by vtr,\nread by you.\n');
      return 'vim wrote note.txt, and it contains what was typed.';
    },
  },
  {
    title: 'Find a line in less, and make the terminal smaller',
    needs: 'less',
    async play(stage) {
      const text = Array.from({ length: 1000 }, (_, at) => `This is line ${at + 1} of 1000.\n`);
      writeFileSync(join(stage.home, 'lines.txt'), text.join(''));
      await stage.start('less', 'line 1 of', 'less', 'lines.txt');
      await stage.vtr('send', 'less', '/line 427', ...enterFor('line 427 of'));
      // The bytes of an arrow depend on the modes that the program has set.
      await stage.vtr('key', 'less', 'down', '--wait', 'line 432 of');
      await stage.screen('less', /┐\n│This is line 428 of 1000\. /);
      await stage.vtr('resize', 'less', '40', '4');
      await stage.screen('less', /40×4.*┐\n│This is line 428 .*\n.*\n│This is line 430 .*\n│:█/);
      await stage.vtr('send', 'less', 'q', '--wait', '--exit');
      await stage.expectEnd('less', 0);
      return 'less found line 427, went down one, and redrew itself at 40×4.';
    },
  },
  {
    title: 'Talk to Python, and interrupt it',
    needs: 'python3',
    // Some machines have a python3 that only explains how to install it.
    probe: "python3 -c ''",
    async play(stage) {
      const program = ['python3', '-I', '-q', '-i', '-c', 'from time import sleep'];
      await stage.start('python', '^>>> *$', ...program);
      await stage.vtr('send', 'python', 'sum(range(101))', ...enterFor('^5050'));
      await stage.vtr('wait', 'python', '--screen', '^>>> *$');
      // Many short sleeps: Python misses an interrupt that arrives right before a long one.
      const work = 'print("at work"); any(sleep(0.1) for _ in range(9999))';
      await stage.vtr('send', 'python', work, ...enterFor('^at work'));
      await stage.vtr('key', 'python', 'ctrl+c', '--wait', '^KeyboardInterrupt');
      await stage.screen('python', /│KeyboardInterrupt .*\n│>>> █/);
      await stage.vtr('send', 'python', 'exit(3)', '--enter', '--wait', '--exit');
      await stage.expectEnd('python', 3);
      return 'Ctrl+c interrupted it, it went on, and exited with the status that was typed.';
    },
  },
  {
    title: 'Watch top, which never stops drawing',
    needs: 'top',
    async play(stage) {
      await stage.vtr('spawn', 'top', '--size', '72x12', '--', 'top');
      await stage.screen('top', /│ *PID /);
      await stage.vtr('send', 'top', 'q', '--wait', '--exit');
      await stage.expectEnd('top', 0);
      return 'It listed the processes of this machine, and exited when q was typed.';
    },
  },
  {
    title: 'Tell how programs ended',
    async play(stage) {
      await stage.spawn('leaver', ...script('exit 7'));
      await stage.spawn('fallen', ...script('echo last words; kill -TERM $$'));
      await stage.start('killed', 'ready', ...script('echo ready; read answer'));
      await stage.vtr('kill', 'killed', '--signal', 'KILL');
      for (const name of ['leaver', 'fallen', 'killed']) await stage.vtr('wait', name, '--exit');
      await stage.expectEnd('leaver', 7);
      await stage.expectEnd('fallen', 'SIGTERM');
      await stage.expectEnd('killed', 'SIGKILL');
      await stage.vtr('ls');
      await stage.screen('fallen', /│last words /);
      return 'An exit status or a signal, never both; the output can still be read.';
    },
  },
  {
    title: 'Get answers from one session while another one floods',
    async play(stage) {
      await stage.spawn('echo', ...script('while read -r line; do echo "heard $line"; done'));
      // Any number of five digits: the first may have scrolled by before the wait starts.
      await stage.start('flood', '^\\d{5,}$', ...script('while :; do n=$((n + 1)); echo $n; done'));
      const coordinator = await stage.connect();
      const timesMs: number[] = [];
      for (let number = 1; number <= 50; number++) {
        const wait = { match: [`^heard ${number}$`], signal: stage.signal };
        const answer = (await coordinator.sendText('echo', `${number}\r`, { wait })).wait;
        expectEqual(`the answer to line ${number}`, answer?.outcome, 'matched');
        timesMs.push(Math.round(answer?.elapsedMs ?? 0));
      }
      await coordinator.close();
      timesMs.sort((a, b) => a - b);
      await stage.vtr('rm', 'flood', '--force');
      return `50 lines were answered: median ${timesMs[25]} ms, longest ${timesMs.at(-1)} ms.`;
    },
  },
  {
    title: 'Kill the daemon, and go on',
    async play(stage) {
      await stage.startShell('survivor');
      await stage.vtr('send', 'survivor', 'n=41; echo "n is $n"', ...enterFor('^n is 41'));
      const killed = await stage.killDaemon();
      await stage.vtr('send', 'survivor', 'echo "now $((n + 1))"', ...enterFor('^now 42'));
      await stage.screen('survivor', /│n is 41 .*\n(?:.*\n)*│now 42 .*\n│\$ █/);
      return `The next call has started another daemon. Process ${killed} is gone; the shell, its variable and its screen are still there.`;
    },
  },
  {
    title: 'Remove a session with its descendants',
    async play(stage) {
      const deafJob = '(trap "" HUP TERM; echo deaf; while :; do :; done) & echo job $!; wait';
      await stage.start('parent', '^deaf', ...script(deafJob));
      const line = await stage.vtr('wait', 'parent', '--screen', '^job \\d+$');
      const job = Number(/\d+/.exec(line));
      const runs = async () => (await stage.processes()).includes(job);
      expectEqual(`that process ${job} runs`, await runs(), true);
      await stage.vtr('rm', 'parent', '--force');
      expectEqual(`that process ${job} runs`, await runs(), false);
      return `Process ${job} ignores HUP and TERM, and is gone all the same.`;
    },
  },
  {
    title: 'Answer a question, and take a picture',
    async play(stage) {
      const asks = 'printf "Overwrite notes.txt? [y/N] "; read -r answer; echo "it got $answer"';
      await stage.spawn('copy', ...script(asks));
      const question = await stage.vtr('wait', 'copy', '--asks');
      expectEqual('the question', question.includes('Overwrite notes.txt? [y/N]'), true);
      await stage.vtr('answer', 'copy', 'yes');
      await stage.vtr('wait', 'copy', '--exit');
      await stage.screen('copy', /│Overwrite notes\.txt\? \[y\/N\] y.*\n│it got y/);
      await stage.vtr('screenshot', 'copy', '-o', 'copy.svg');
      const picture = readFileSync(join(stage.home, 'copy.svg'), 'utf8');
      expectEqual('that the picture has its text', picture.includes('it got y'), true);
      return 'The wait ended when the program asked; the picture is text that one can select.';
    },
  },
  {
    title: 'Show all sessions in a browser',
    async play(stage) {
      await stage.startShell('shell');
      const link = (await stage.vtr('web', '--port', '0')).trim();
      const { status } = await fetch(new URL('/', link), { redirect: 'manual' });
      expectEqual('that the page answers', status > 0 && status < 500, true);
      await stage.vtr('web', 'stop');
      return `vtr web --open opens such a page at ${new URL(link).origin}; it is at this machine only.`;
    },
  },
];
