import { type Service, serveOnHttp } from '#wire/mcp';
import { checkToken, newToken, readTokenFile, tokenFileOf, writeTokenFile } from './http-token.ts';

/** Options of the HTTP server. */
export interface HttpRun {
  /** 0: any free port. */
  readonly port: number;
  /** From the environment. Without it and `tokenFile`, one is generated. */
  readonly token?: string;
  readonly tokenFile?: string;
  /** Whether the line on stdout is JSON. */
  readonly json: boolean;
  readonly out: (line: string) => void;
  readonly say: (line: string) => void;
}

interface Serving extends HttpRun {
  readonly socket: string;
  readonly stop: Promise<void>;
}

/** Serves until `stop` resolves. Prints one line on stdout, with the address, for programs. */
export async function runHttp(service: Service, run: Serving): Promise<void> {
  const { port, socket, stop, json, out, say } = run;
  const given = givenToken(run);
  const token = given ?? newToken();
  let removeTokenFile = () => {};
  const onListening = (url: string) => {
    const file = given === null ? tokenFileOf(socket, new URL(url).port) : run.tokenFile;
    if (given === null && file !== undefined) {
      removeTokenFile = writeTokenFile(file, token);
      say(`the token is ${token}, saved in ${file}`);
    }
    if (run.port === 0) say(`serving at ${url}`);
    const address = { url, ...(file === undefined ? {} : { token_file: file }) };
    out(`${json ? JSON.stringify(address) : url}\n`);
  };
  try {
    await serveOnHttp(service, { port, token, onListening, stop });
  } finally {
    removeTokenFile();
  }
}

/** @throws VtrError INVALID_ARGUMENT for an invalid token */
function givenToken({ token, tokenFile }: HttpRun): string | null {
  if (tokenFile !== undefined) return readTokenFile(tokenFile);
  return token === undefined ? null : checkToken(token, 'VTR_MCP_TOKEN');
}
