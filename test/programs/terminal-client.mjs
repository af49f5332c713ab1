// A client that is to be killed: creates the given number of terminals at a daemon, and prints their
// names.
import { connect } from 'vtr';
import { TerminalProvider } from 'vtr/acp';

const [, , socket = '', count = '1', line = 'cat'] = process.argv;
const provider = new TerminalProvider(await connect({ socket }));
const { signal } = new AbortController();
const params = { sessionId: 'conversation', command: 'sh', args: ['-c', line] };
const terminals = await Promise.all(
  Array.from({ length: Number(count) }, () => provider.answer('terminal/create', params, signal)),
);
console.log(terminals.map(({ terminalId }) => terminalId).join(' '));
