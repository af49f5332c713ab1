// Two clients of one coordinator: one types, the other observes. Start the coordinator first:
//   vtr serve --socket /tmp/vtr-example.sock
//   node build/examples/shared-session/main.js /tmp/vtr-example.sock
import { connect } from 'vtr';

const [socket = '/tmp/vtr-example.sock'] = process.argv.slice(2);
const typist = await connect({ socket });
const onlooker = await connect({ socket });

const script = 'read -r line; echo "got $line"; exec cat';
const session = await typist.spawn({ program: 'sh', args: ['-c', script] });
const seen = onlooker.wait(session, { match: ['^got .*'] });
// The calls of one client are ordered. Between two clients, wait until the other's call is answered.
await onlooker.info(session);
await typist.sendText(session, 'a message\r');
console.log((await seen).match?.matched);

for await (const event of await onlooker.subscribe(session)) {
  // The first event is the state, the last one is the exit.
  if (event.type === 'snapshot') await typist.sendKeys(session, ['ctrl+d']);
  if (event.type === 'exit') console.log('exit', event.status.code);
}

const { matches } = await typist.search(session, { pattern: 'message$' });
console.log(matches.map(({ line, text }) => `${line}: ${text}`).join('\n'));

await typist.remove(session);
await Promise.all([typist.close(), onlooker.close()]); // the coordinator keeps running
