// Two clients of one coordinator: one types, the other looks on. Start the coordinator first:
//   vtr serve --socket /tmp/vtr-example.sock
//   node build/examples/shared-session/main.js /tmp/vtr-example.sock
import { connect } from 'vtr';

const [socket = '/tmp/vtr-example.sock'] = process.argv.slice(2);
const typist = await connect({ socket });
const onlooker = await connect({ socket });

const script = 'read -r line; echo "got $line"; exec cat';
const session = await typist.spawn({ program: 'sh', args: ['-c', script] });
const seen = onlooker.wait(session, { match: ['^got .*'] });
// Order holds for the calls of one client; between two, wait until the other's call was answered.
await onlooker.info(session);
await typist.sendText(session, 'a message\r');
console.log((await seen).match?.matched);

for await (const event of await onlooker.subscribe(session)) {
  // First the state, then everything that happens after it; the exit is the last.
  if (event.type === 'snapshot') await typist.sendKeys(session, ['ctrl+d']);
  if (event.type === 'exit') console.log('exit', event.status.code);
}

const { matches } = await typist.search(session, { pattern: 'message$' });
console.log(matches.map(({ line, text }) => `${line}: ${text}`).join('\n'));

await typist.remove(session);
await Promise.all([typist.close(), onlooker.close()]); // the coordinator goes on
