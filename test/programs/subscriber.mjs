// Subscribes to a session and reads for ever; says `subscribed`, and after each SIGUSR1 `resynced` as
// soon as it has been given a state in place of events that it missed.
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
