// Starts a program under a lease, prints the name of its session, and runs until it is killed.
import { connect } from 'vtr';

const [, , socket] = process.argv;
const coordinator = await connect({ socket });
const lease = await coordinator.openLease();
const { name } = await coordinator.spawn({
  program: 'sh',
  args: ['-c', 'setsid sleep 1000 & sleep 1000 & echo up; wait'],
  lease: lease.id,
});
process.stdout.write(`${name}\n`);
setInterval(() => {}, 60_000);
