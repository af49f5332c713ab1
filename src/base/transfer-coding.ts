/** What is read of a request of HTTP/1.1, as Node gives it. */
interface CodedRequest {
  readonly headers: { readonly 'transfer-encoding'?: string | undefined };
  /** Its connection. */
  readonly socket: object;
}

/** What is used of its answer. */
interface CodedResponse {
  writeHead(status: number, headers: Readonly<Record<string, string>>): CodedResponse;
  end(text: string): unknown;
}

/** The text of an answer with status 501 (Not Implemented). */
export const unknownCodingText = 'the only transfer coding is chunked';

/**
 * Finds requests of HTTP/1.1 whose body is in another transfer coding than chunked alone (RFC 9112, 6.1). A program in
 * between may see another end of such a body, and take what follows for another request than this server does.
 */
export class TransferCodings {
  readonly #refused = new WeakSet<object>();

  /**
   * Must be called once for each request. `unknown`: answer 501 and close the connection. `ignored`: the request
   * follows such a one on its connection; leave it without an answer.
   */
  check({ headers, socket }: CodedRequest): 'known' | 'unknown' | 'ignored' {
    if (this.#refused.has(socket)) return 'ignored';
    const coding = headers['transfer-encoding'];
    if (coding === undefined || coding.toLowerCase() === 'chunked') return 'known';
    this.#refused.add(socket);
    return 'unknown';
  }

  /** Answers such a request as text, and ignores what follows it. @returns whether the request may be handled */
  admit(request: CodedRequest, response: CodedResponse): boolean {
    const coding = this.check(request);
    if (coding === 'unknown') {
      const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };
      response.writeHead(501, headers).end(`${unknownCodingText}\n`);
    }
    return coding === 'known';
  }
}
