// Subscribes to a session and reads for ever; prints `subscribed`, and after each SIGUSR1 `resynced` once
// it has received a snapshot in place of missed events.
import { connect } from 'vtr';

const [, , socket, session] = process.argv;
let asked = false;
process.on('SIGUSR1', () => {
  asked = true;
});
const coordinator = await connect({ socket });
const subscription = await coordinator.subscribe(session);
let first = true;
for await (const { type } of subscription) {
  if (first) process.stdout.write('subscribed\n');
  if (!first && asked && type === 'snapshot') {
    process.stdout.write('resynced\n');
    asked = false;
  }
  first = false;
}
