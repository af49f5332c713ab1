import { type Service, serveOnHttp } from '#wire/mcp';
import { checkToken, newToken, readTokenFile, tokenFileOf, writeTokenFile } from './http-token.ts';

/** How clients of this machine are served by HTTP. */
export interface HttpRun {
  /** 0 for a free one. */
  readonly port: number;
  /** Of the environment; one is made where neither is given. */
  readonly token?: string;
  readonly tokenFile?: string;
  /** Whether the one line on stdout is JSON. */
  readonly json: boolean;
  readonly out: (line: string) => void;
  readonly say: (line: string) => void;
}

interface Serving extends HttpRun {
  readonly socket: string;
  readonly stop: Promise<void>;
}

/** Serves until `stop` resolves. What a program has to know stands on stdout, in one line. */
export async function runHttp(service: Service, run: Serving): Promise<void> {
  const { port, socket, stop, json, out, say } = run;
  const given = givenToken(run);
  const token = given ?? newToken();
  let removeTokenFile = () => {};
  const onListening = (url: string) => {
    const file = given === null ? tokenFileOf(socket, new URL(url).port) : run.tokenFile;
    if (given === null && file !== undefined) {
      removeTokenFile = writeTokenFile(file, token);
      say(`the token is ${token}, and stands in ${file}`);
    }
    if (run.port === 0) say(`serving at ${url}`);
    const told = { url, ...(file === undefined ? {} : { token_file: file }) };
    out(`${json ? JSON.stringify(told) : url}\n`);
  };
  try {
    await serveOnHttp(service, { port, token, onListening, stop });
  } finally {
    removeTokenFile();
  }
}

/** @throws VtrError INVALID_ARGUMENT for one that cannot be used */
function givenToken({ token, tokenFile }: HttpRun): string | null {
  if (tokenFile !== undefined) return readTokenFile(tokenFile);
  return token === undefined ? null : checkToken(token, 'VTR_MCP_TOKEN');
}
