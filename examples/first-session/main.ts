import { LocalCoordinator } from 'vtr';

const coordinator = new LocalCoordinator();
const session = await coordinator.spawn({ program: 'sh' });

// A wait looks at output that comes after it, so it is asked for before the input is sent.
const greeted = coordinator.wait(session, { match: ['^hello'] });
await coordinator.sendText(session, 'echo hello\r');
console.log((await greeted).outcome); // matched

const { text, cursor } = await coordinator.screen(session);
console.log(text.join('\n'), cursor);

await coordinator.close(); // ends every session with all that it started
