import { defined } from '#base';
import { type FilePart, type FilePartAnswer, maxFilePartsBytes } from '#messages/page';
import {
  checkFileSize,
  filePartMs,
  type JsonConnection,
  type JsonMessage,
  KeptFile,
  VtrError,
  type WriterCalls,
} from '#model';

/** Files that one page sends at the same time. */
const maxFiles = 2;
/** The longest name that a page may give, in UTF-16 code units. */
const maxGivenName = 1024;
/** Of one file, in base64, that is not written yet: more than a page sends before an answer. */
const maxUnwritten = 2 * maxFilePartsBytes;

/** A file that a page has sent. */
export interface SentFile {
  readonly session: { readonly name: string; readonly id: string };
  /** As the page gave it: text of an attacker. */
  readonly name: string;
  readonly bytes: number;
  readonly path: string;
}

interface Begun {
  readonly file: KeptFile<string>;
  readonly facts: Omit<SentFile, 'path'>;
}

interface Upload {
  readonly begun: Promise<Begun>;
  /** Bytes that have not come. */
  left: number;
  /** In base64. */
  unwritten: number;
  isCancelled: boolean;
}

/** The files that a page sends to the machine of one coordinator, until it ends. */
export class SentFiles {
  readonly #calls: JsonConnection;
  /** By the ids of the page. */
  readonly #files = new Map<string, Upload>();
  #pending = 0;
  #isEnded = false;

  constructor(calls: JsonConnection) {
    this.#calls = calls;
  }

  /**
   * Takes a part of a file; further ones need not wait for the answer.
   *
   * @param by the person who sends it
   * @param sessionId the only session of the page; null: any
   * @returns the file, with its last part
   * @throws VtrError
   */
  async take(
    body: JsonMessage,
    { by, sessionId }: { readonly by: string | null; readonly sessionId: string | null },
  ): Promise<SentFile | null> {
    const part = checkedPart(body);
    const { id, file, isCancelled } = part;
    let upload = this.#files.get(id);
    if (upload === undefined && isCancelled) return null;
    if (upload === undefined) {
      if (file === undefined) throw invalid('this file is not being sent');
      if (this.#files.size >= maxFiles) throw tooMany();
      checkFileSize(file.bytes);
      const begun = this.#begin({ ...file, sessionId: sessionId ?? file.sessionId }, by);
      upload = { begun, left: file.bytes, unwritten: 0, isCancelled: false };
      this.#files.set(id, upload);
    }
    this.#pending++;
    try {
      if (isCancelled) {
        await this.#cancel(id, upload);
        return null;
      }
      const whole = await this.#add(upload, part.data ?? '');
      if (whole !== null) this.#files.delete(id);
      return whole;
    } catch (error) {
      await this.#cancel(id, upload);
      throw error;
    } finally {
      this.#pending--;
      this.#closeWhenDone();
    }
  }

  /** Removes what is not complete, and closes the connection to the coordinator. */
  end(): void {
    this.#isEnded = true;
    for (const [id, upload] of this.#files) {
      this.#pending++;
      void this.#cancel(id, upload).finally(() => {
        this.#pending--;
        this.#closeWhenDone();
      });
    }
    this.#closeWhenDone();
  }

  #closeWhenDone(): void {
    if (this.#isEnded && this.#pending === 0) this.#calls.close();
  }

  /** Removes what has come of a file. Never fails. */
  async #cancel(id: string, upload: Upload): Promise<void> {
    upload.isCancelled = true;
    if (this.#files.get(id) === upload) this.#files.delete(id);
    await upload.begun.then(
      ({ file }) => file.cancel(),
      () => {},
    );
  }

  async #begin(
    { sessionId, name, bytes }: NonNullable<FilePart['file']>,
    by: string | null,
  ): Promise<Begun> {
    const { session } = await this.#calls.unary('Info', { sessionId });
    const { name: sessionName = '', id = '', status } = session as Partial<Record<string, string>>;
    if (status === 'SESSION_STATUS_EXITED') throw invalid('the program of the session has ended');
    const about = { name, bytes, sessionId: id };
    const file = await KeptFile.begin(writerCalls(this.#calls, by), about);
    return { file, facts: { session: { name: sessionName, id }, name, bytes } };
  }

  /** Parts are written in the order of the calls. */
  async #add(upload: Upload, data: string): Promise<SentFile | null> {
    const { length } = Buffer.from(data, 'base64');
    if (length > upload.left) throw invalid('the file has more bytes than were announced');
    if (upload.unwritten + data.length > maxUnwritten)
      throw invalid('too many bytes of the file wait to be written');
    upload.left -= length;
    upload.unwritten += data.length;
    const isLast = upload.left === 0;
    const { file, facts } = await upload.begun;
    if (upload.isCancelled) throw new VtrError('CANCELLED', 'the file was cancelled');
    if (length > 0) await file.write(data);
    upload.unwritten -= data.length;
    return isLast ? { ...facts, path: await file.end() } : null;
  }
}

/** Returns what the page gets for a part. */
export const partAnswer = (file: SentFile | null): JsonMessage & FilePartAnswer =>
  file === null ? {} : { path: file.path };

function writerCalls(calls: JsonConnection, by: string | null): WriterCalls<string> {
  let session: JsonMessage = {};
  const timeout = `${filePartMs / 1000}s`;
  return {
    spawn: async ({ program, args, size, persist, record, lifetime }) => {
      const answer = await calls.unary('Spawn', {
        program,
        args,
        persist,
        record,
        environment: 'ENVIRONMENT_MODE_MINIMAL',
        ...size,
        lifetime: { idle: `${(lifetime?.idleMs ?? 0) / 1000}s` },
        ...defined({ by: by ?? undefined }),
      });
      session = { sessionId: (answer['session'] as { readonly id: string }).id };
    },
    find: async (pattern) => {
      const wait = { since: 'start', timeout, match: [pattern] };
      const { result } = await calls.unary('Wait', { ...session, wait });
      const { outcome, match } = result as {
        readonly outcome: string;
        readonly match?: { readonly groups?: readonly { readonly text?: string }[] };
      };
      return (outcome === 'WAIT_OUTCOME_MATCHED' && match?.groups?.[0]?.text) || null;
    },
    send: async (data) => void (await calls.unary('SendBytes', { ...session, data, timeout })),
    remove: async (force) => void (await calls.unary('Remove', { ...session, force })),
  };
}

/** @throws VtrError INVALID_ARGUMENT */
function checkedPart(body: JsonMessage): FilePart {
  const { id, file, data, isCancelled } = body;
  if (typeof id !== 'string' || id === '' || id.length > 64)
    throw invalid('id is not a short text');
  if (data !== undefined && !isBase64(data)) throw invalid('data is not in base64');
  if (file !== undefined && !isFile(file)) throw invalid('file has a sessionId, a name and bytes');
  return { id, ...defined({ file, data, isCancelled: isCancelled === true || undefined }) };
}

const isBase64 = (value: unknown): value is string =>
  typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value;

function isFile(value: unknown): value is NonNullable<FilePart['file']> {
  if (typeof value !== 'object' || value === null) return false;
  const { sessionId, name, bytes } = value as Partial<Record<string, unknown>>;
  const isNamed = typeof name === 'string' && name.length <= maxGivenName;
  return isNamed && typeof sessionId === 'string' && typeof bytes === 'number';
}

const invalid = (message: string): VtrError => new VtrError('INVALID_ARGUMENT', message);

const tooMany = (): VtrError =>
  invalid(`${maxFiles} files are being sent from this page; wait for them, or cancel one`);
