// Starts a program under a lease, prints the name of its session, and runs until it is killed. Drives the
// session of the second argument, if it has one.
import { connect } from 'vtr';

const [, , socket, driven] = process.argv;
const coordinator = await connect({ socket });
const lease = await coordinator.openLease();
const { name } = await coordinator.spawn({
  program: 'sh',
  args: ['-c', 'setsid sleep 1000 & sleep 1000 & echo up; wait'],
  lease: lease.id,
});
if (driven !== undefined) {
  await coordinator.view(driven, { kind: 'attach', size: { cols: 90, rows: 20 }, as: 'take' });
}
process.stdout.write(`${name}\n`);
setInterval(() => {}, 60_000);
