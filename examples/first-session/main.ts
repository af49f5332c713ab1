import { LocalCoordinator } from 'vtr';

const coordinator = new LocalCoordinator();
const session = await coordinator.spawn({ program: 'sh' });
await coordinator.wait(session, { prompt: true });

// The wait is registered before the input is sent, so it cannot miss the answer.
const hello = { match: ['^hello'] };
const { wait } = await coordinator.sendText(session, 'echo hello\r', { wait: hello });
console.log(wait?.outcome); // matched

const { text, cursor } = await coordinator.screen(session);
console.log(text.join('\n'), cursor);

await coordinator.close(); // ends every session and its descendants
