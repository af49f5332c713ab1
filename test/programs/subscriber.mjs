// Subscribes to a session and reads for ever; prints `subscribed`, and after each SIGUSR1 `resynced` once
// it has received a snapshot in place of missed events.
import { connect } from 'vtr';

const [, , socket, session] = process.argv;
let isAsked = false;
process.on('SIGUSR1', () => {
  isAsked = true;
});
const coordinator = await connect({ socket });
const subscription = await coordinator.subscribe(session);
let first = true;
for await (const { type } of subscription) {
  if (first) process.stdout.write('subscribed\n');
  if (!first && isAsked && type === 'snapshot') {
    process.stdout.write('resynced\n');
    isAsked = false;
  }
  first = false;
}
