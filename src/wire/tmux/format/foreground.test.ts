import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { hasProc } from '../../../../test/support/pty/process-facts.ts';
import { provided } from '../../../../test/support/run/needs.ts';
import { foregroundOf } from './foreground.ts';

provided(hasProc, 'only with /proc')(
  'a program whose words the system does not have is named by its file',
  async () => {
    // As for a moment while the system loads a program.
    const program = spawn('sleep', ['1000'], { argv0: '', detached: true, stdio: 'ignore' });
    onTestFinished(() => void program.kill());
    await once(program, 'spawn');
    const words = ['make all'];
    const pane = { pid: program.pid ?? 0, file: '/bin/sh', program: { words, cwd: '/', env: {} } };
    expect(foregroundOf(pane).command).toBe('sh');
  },
);
