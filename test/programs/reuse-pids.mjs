// For a namespace of processes of its own. Starts a session whose program has a child, kills both, gives
// their ids to two other programs, removes the session, and counts those of them that were signalled; argv[2]
// times. Prints `{ "reused": N, "signalled": N }`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { LocalCoordinator } from '../../dist/index.js';

const rounds = Number(process.argv[2] ?? 1);
const coordinator = new LocalCoordinator();
let [reused, signalled] = [0, 0];

/** @param {number} pid */
const parentOf = (pid) => {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return null;
  }
};
const pids = () => readdirSync('/proc').map(Number).filter(Number.isInteger);

/** @param {readonly number[]} some */
async function gone(some) {
  while (some.some((pid) => parentOf(pid) !== null)) await pause(5);
}

/**
 * Starts a program with this process id. Threads of this process also take ids.
 *
 * @param {number} pid
 */
async function programWith(pid) {
  for (let tries = 0; tries < 100; tries++) {
    writeFileSync('/proc/sys/kernel/ns_last_pid', `${pid - 1}`);
    const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
    if (child.pid === pid) return child;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  throw new Error(`no program got the id ${pid}`);
}

for (let round = 0; round < rounds; round++) {
  const script = "trap '' HUP; sleep 1000 & echo ready; wait";
  const session = await coordinator.spawn({ program: 'sh', args: ['-c', script] });
  await coordinator.wait(session, { match: ['ready'], since: 'start' });
  // The session knows both of them.
  await coordinator.info(session);
  const { pid } = session;
  const both = [...pids().filter((each) => parentOf(each) === pid), pid];
  const exited = coordinator.wait(session, {});
  for (const each of both) process.kill(each, 'SIGKILL');
  await exited;
  await gone(both);
  // Start times are in hundredths of a second, and no system gives an id again within one.
  await pause(20);
  const others = [];
  for (const each of both) others.push(await programWith(each));
  reused += 1;
  await coordinator.kill(session, 'KILL').catch(() => {});
  await coordinator.remove(session, { force: true });
  await pause(50);
  for (const child of others) {
    if (child.exitCode !== null || child.signalCode !== null) signalled++;
    else child.kill('SIGKILL');
  }
}
await coordinator.close();
console.log(JSON.stringify({ reused, signalled }));
