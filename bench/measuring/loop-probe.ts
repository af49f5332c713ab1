import { writeFileSync } from 'node:fs';
import { LoopDelays } from './loop-delays.ts';

// Loaded into a daemon that is measured (`Daemon.loopDelays`): SIGUSR2 begins to measure the delays of its event
// loop, and writes them at the next one. Other processes with the same environment get no signal.
let delays: LoopDelays | null = null;

process.on('SIGUSR2', () => {
  const path = process.env['VTR_BENCH_LOOP'];
  if (delays === null || path === undefined) delays = new LoopDelays();
  else {
    writeFileSync(path, JSON.stringify(delays.stop()));
    delays = null;
  }
});
