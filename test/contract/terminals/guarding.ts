import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '#wire/acp';
import { tree } from '../../support/tree.ts';
import type { TerminalsFixture } from '../terminals.ts';

export function guardingContract(fixture: TerminalsFixture): void {
  const create = (command: string) => ({ sessionId: 'conversation', command });

  describe('the limits of a connection', () => {
    it('[S2.10] cover open terminals', async () => {
      const pair = await fixture.another({ maxTerminals: 2 });
      const [first] = await Promise.all([pair.run('cat'), pair.run('true')]);
      const failure = await pair.failure('terminal/create', create('true'));
      expect(failure).toMatchObject({
        code: -32603,
        data: { code: 'MAX_SESSIONS', maxTerminals: 2 },
        message: expect.stringMatching(
          /^2 terminals are open, the limit is 2; release one with terminal\/release: for example term_.*, term_/,
        ),
      });
      const other = await pair.failure('terminal/create', {
        ...create('true'),
        sessionId: 'other',
      });
      expect(other.message).toMatch(/terminal\/release: none in this conversation$/);
      await pair.release(first);
      await pair.run('true');
    });

    it('[S2.10] cover the run time of a program, and the exit reports it', async () => {
      const pair = await fixture.another({ maxRunMs: 100 });
      const terminal = await pair.run('sleep 1000');
      expect(await pair.waitForExit(terminal)).toMatchObject({
        exitCode: null,
        signal: 'SIGHUP',
        _meta: { vtr: { endedBy: { reason: 'run_time', limit: 100 } } },
      });
      expect(await pair.output(terminal)).toMatchObject({
        exitStatus: { _meta: { vtr: { endedBy: { reason: 'run_time', limit: 100 } } } },
      });
    });

    it('[S2.10] cover its memory', async () => {
      const pair = await fixture.another({ limits: { memoryBytes: 1 } });
      const terminal = await pair.run('sleep 1000');
      expect(await pair.waitForExit(terminal)).toMatchObject({
        _meta: { vtr: { endedBy: { reason: 'memory', limit: 1 } } },
      });
    });
  });

  describe('the audit', () => {
    it('[S2.10] has each command with its conversation, directory and end, without values of variables', async () => {
      const records: AuditRecord[] = [];
      const auditFile = join(tree(), 'audit.jsonl');
      const pair = await fixture.another({ audit: (each) => records.push(each), auditFile });
      const cwd = tree();
      const env = [{ name: 'API_KEY', value: 'hidden-value' }];
      const terminal = await pair.create({ command: 'sh', args: ['-c', 'exit 3'], cwd, env });
      await pair.waitForExit(terminal);
      await pair.failure('terminal/create', create('no-such-program'));

      const command = { conversation: 'conversation', command: 'sh', args: ['-c', 'exit 3'], cwd };
      expect(records).toMatchObject([
        { event: 'start', terminal, ...command, envNames: ['API_KEY'] },
        { event: 'exit', terminal, ...command, exit: { code: 3, signal: null } },
        { event: 'start', command: 'no-such-program', cwd: process.cwd() },
        { event: 'refused', command: 'no-such-program', error: 'PROGRAM_NOT_FOUND' },
      ]);
      for (const { time } of records) expect(new Date(time).toISOString()).toBe(time);
      const written = readFileSync(auditFile, 'utf8');
      expect(
        written
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual(records);
      expect(written).not.toContain('hidden-value');
      expect(statSync(auditFile).mode & 0o777).toBe(0o600);
    });

    it('[S2.10] refuses a file that others may read, or a link', async () => {
      const directory = tree({ open: '' });
      const [open, link, own] = ['open', 'link', 'own'].map((name) => join(directory, name)) as [
        string,
        string,
        string,
      ];
      chmodSync(open, 0o644);
      symlinkSync(own, link);
      await expect(fixture.another({ auditFile: open })).rejects.toThrow(
        /accessible to others \(mode 644\); chmod 600/,
      );
      await expect(fixture.another({ auditFile: link })).rejects.toThrow(/symbolic link/);
      await expect(fixture.another({ auditFile: directory })).rejects.toThrow(
        /cannot be written: .*EISDIR/,
      );
    });

    it('[S2.10] runs nothing that it cannot record', async () => {
      const directory = tree();
      const auditFile = join(directory, 'audit.jsonl');
      const pair = await fixture.another({ auditFile });
      writeFileSync(auditFile, '');
      chmodSync(auditFile, 0o644);
      const proof = join(directory, 'proof');
      const failure = await pair.failure('terminal/create', create(`touch ${proof}`));
      expect(failure.message).toMatch(/^cannot write the audit file .* is accessible to others/);
      expect(statSync(proof, { throwIfNoEntry: false })).toBeUndefined();
    });
  });
}
