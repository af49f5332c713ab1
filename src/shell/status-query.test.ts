import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { needs } from '../../test/support/run/needs.ts';
import { statusQuery } from './status-query.ts';

const place = { col: 2, cols: 80, rows: 24, rowsAbove: 0, startCol: 0, isOneRow: false };

const queryFor = (rowsAbove = 0) => {
  const query = statusQuery('token', { ...place, rowsAbove });
  if (query === null) throw new Error('it does not fit');
  return query;
};

describe('the query for an exit status', () => {
  const shells = ['bash', 'dash', 'zsh', 'ksh', 'mksh', 'busybox sh', 'fish', 'bash --posix'];
  for (const shell of shells) {
    const [program = '', ...args] = shell.split(' ');
    const status = program === 'fish' ? '$status' : '$?';
    needs(program)(`is understood by ${shell}, and leaves its status`, () => {
      const lines = ['sh -c "exit 7"', queryFor().line, `echo after=${status}`, 'set | grep ^x23='];
      const script = lines.join('\n');
      const { stdout, stderr } = spawnSync(program, [...args, '-c', script], { encoding: 'utf8' });
      const match = new RegExp(queryFor().answer).exec(stdout);
      expect([match?.[1], stderr]).toEqual(['7', '']);
      expect(match?.[2]).toMatch(/^\d+$/);
      expect(stdout).toContain('after=7');
      expect(stdout.endsWith('after=7\n')).toBe(true);
    });
  }

  needs('bash')('does not end a shell that ends at errors, or that knows no unset names', () => {
    const line = `set -eu; ! true\n${queryFor().line}\necho alive`;
    expect(execFileSync('bash', { input: line, encoding: 'utf8' })).toContain('alive');
  });

  needs('bash')('does not stay in the history of bash', () => {
    const input = `set -o history\necho one\n${queryFor().line}\nhistory`;
    const text = execFileSync('bash', { input, encoding: 'utf8', env: { HISTFILE: '' } });
    expect(text.split('\n').filter((each) => / +\d+ +\w/.test(each))).toEqual([
      expect.stringContaining('echo one'),
      expect.stringContaining('history'),
    ]);
  });

  it('erases itself: from below its last row to the first row of the prompt', () => {
    for (let cols = 20; cols < 400; cols++) {
      for (const rowsAbove of [0, 1]) {
        const query = statusQuery('token', { ...place, cols, rows: 100, rowsAbove });
        const rows = Math.ceil((place.col + (query?.line.length ?? 0)) / cols);
        expect(query?.line).toContain(`[${rows + rowsAbove}A`);
        expect((place.col + (query?.line.length ?? 0)) % cols).not.toBe(0);
      }
    }
  });

  it('erases one row of a shell whose line scrolls in its row', () => {
    const query = statusQuery('token', { ...place, cols: 40, rows: 8, isOneRow: true });
    expect(query?.line).toContain('[1A');
  });

  it('is not typed where it does not fit', () => {
    expect(statusQuery('token', { ...place, cols: 40, rows: 8 })).toBeNull();
  });
});
