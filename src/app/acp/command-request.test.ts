import { describe, expect, it } from 'vitest';
import { commandLineIn } from './command-request.ts';

const snapshot =
  'source /home/me/.claude/snapshot.sh 2>/dev/null || true && shopt -u extglob || true';
const directory = 'pwd -P >| /tmp/claude-9a82-cwd';

describe('the command in the words of an agent', () => {
  it.each([
    [['-c', 'npm test'], 'npm test'],
    [['-lc', 'npm test'], 'npm test'],
    [['-c', '-l', 'npm test'], 'npm test'],
    [['--norc', '-c', 'echo "$1"', 'sh', 'one'], 'echo "$1"'],
    [['-c', "eval 'a' < /dev/null"], "eval 'a' < /dev/null"],
  ])('%j: as it is', (words, command) => {
    expect(commandLineIn(words)).toEqual({ words, command, hasNoInput: false });
  });

  it.each([
    [`'npm test'`, 'npm test'],
    [`'echo '"'"'a b'"'"''`, "echo 'a b'"],
    [`'echo '\\''a'\\'''`, "echo 'a'"],
    [`'read a < /dev/null && pwd'`, 'read a < /dev/null && pwd'],
  ])('Claude Code, %s: without its own settings and redirection', (word, command) => {
    const line = (redirection: string) =>
      `${snapshot} && eval ${word}${redirection} && ${directory}`;
    const words = ['-c', line(' < /dev/null')];
    expect(commandLineIn(words)).toEqual({ words: ['-c', line('')], command, hasNoInput: true });
    // It adds none to a command that redirects its input itself.
    const own = ['-c', line('')];
    expect(commandLineIn(own)).toEqual({ words: own, command, hasNoInput: false });
  });
});
