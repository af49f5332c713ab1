// What a shell ran, how it ended and what was its own output; and waiting for it without polling.
// Needs bash. Says what it found, and fails where that is not so.
import { deepEqual, equal, match } from 'node:assert/strict';
import { LocalCoordinator } from 'vtr';

const coordinator = new LocalCoordinator();
const shell = await coordinator.spawn({ program: 'bash', env: { PS1: '$ ' } });

// A line that the shell runs: its exit code, and exactly what it wrote.
const tests = await coordinator.run(shell, {
  line: 'echo "2 passed, 1 failed"; exit_with() { return $1; }; exit_with 3',
});
deepEqual(
  [tests.outcome, tests.exitCode, tests.output.tail],
  ['finished', 3, '2 passed, 1 failed'],
);

// Input with a wait for what it brings about: it is on before the first byte is written, so nothing
// comes too early for it. Whatever is first ends it.
const { mark, wait } = await coordinator.sendText(
  shell,
  'sleep 0.1; echo listening on 8080; cat\r',
  {
    wait: { match: ['^listening on (\\d+)'], stop: ['EADDRINUSE'], finished: true },
  },
);
deepEqual([wait?.outcome, wait?.match?.groups], ['matched', ['8080']]);

// What the session is doing, with what speaks for it: a command runs, and it is not the shell that reads.
const { evidence } = await coordinator.activity(shell);
equal(evidence.shellMark, 'command');

// A mark is a place in the output that the reader keeps: what came since, as often as it likes.
const { text, mark: later } = await coordinator.read(shell, { since: mark, maxTokens: 1000 });
match(text.tail, /^listening on 8080$/m);
equal((await coordinator.read(shell, { since: later })).kind, 'unchanged');

// The end of the command that runs, and with it what it was.
const { wait: end } = await coordinator.sendKeys(shell, ['ctrl+c'], { wait: { finished: true } });
equal(end?.command?.exitCode, 130);

// The ledger has both; the output of each can be read at any time.
const { commands } = await coordinator.commands(shell);
deepEqual(
  commands.map(({ number, exitCode }) => [number, exitCode]),
  [
    [1, 3],
    [2, 130],
  ],
);
const { text: output } = await coordinator.commandOutput(shell, { command: 1 });
console.log(`command 1 ended with ${tests.exitCode} and wrote: ${output.tail}`);

await coordinator.close();
