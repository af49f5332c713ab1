// Reads the commands that a shell ran, with status and output, and waits without polling. Needs bash.
// Prints one result, and fails if a result is not the expected one.
import { deepEqual, equal, match } from 'node:assert/strict';
import { LocalCoordinator } from 'vtr';

const coordinator = new LocalCoordinator();
const shell = await coordinator.spawn({ program: 'bash', env: { PS1: '$ ' } });

// Run a line in the shell: its exit code, and exactly its output.
const tests = await coordinator.run(shell, {
  line: 'echo "2 passed, 1 failed"; exit_with() { return $1; }; exit_with 3',
});
deepEqual(
  [tests.outcome, tests.exitCode, tests.output.tail],
  ['finished', 3, '2 passed, 1 failed'],
);

// Send input with a wait. The wait is registered before the input is sent, so it cannot miss the
// answer. The first condition that is met ends it.
const { mark, wait } = await coordinator.sendText(
  shell,
  'sleep 0.1; echo listening on 8080; cat\r',
  {
    wait: { match: ['^listening on (\\d+)'], stop: ['EADDRINUSE'], finished: true },
  },
);
deepEqual([wait?.outcome, wait?.match?.groups], ['matched', ['8080']]);

// The activity of the session, with the evidence: the shell's mark says that a command is running.
const { evidence } = await coordinator.activity(shell);
equal(evidence.shellMark, 'command');

// A mark is a position in the output that the reader keeps: read the output after it, repeatedly.
const { text, mark: later } = await coordinator.read(shell, { since: mark, maxTokens: 1000 });
match(text.tail, /^listening on 8080$/m);
equal((await coordinator.read(shell, { since: later })).kind, 'unchanged');

// Wait for the end of the running command.
const { wait: end } = await coordinator.sendKeys(shell, ['ctrl+c'], { wait: { finished: true } });
equal(end?.command?.exitCode, 130);

// The ledger contains both commands; the output of each can be read at any time.
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
