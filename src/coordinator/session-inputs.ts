import { type Clock, defined, ignored } from '#base';
import {
  type AgentInfo,
  driverName,
  type InputReceipt,
  type ObservedInput,
  type OwnActivity,
  type ReadRequest,
  type Sender,
  type SendOptions,
  type SendResult,
  type SendTextOptions,
  type SessionRef,
  type WaitOutcome,
  type WaitRequest,
  type WaitResult,
} from '#model';
import type { Session } from '#session';
import { markOffset, type WaitContext } from '#watch';
import type { Counts } from './counting.ts';
import type { Drivers } from './driving/drivers.ts';
import type { Lifetimes } from './lifetimes/lifetimes.ts';
import type { Recorders } from './recording/recorders.ts';
import { rawNotRedacted } from './redacting/redacted-raw.ts';
import type { Reading, Redactions } from './redacting/redactions.ts';
import type { SessionCalls } from './session-calls.ts';
import type { SessionInfos } from './session-infos.ts';
import type { SessionReads } from './session-reads.ts';
import { answerQuestion } from './submitting/answer-question.ts';
import { isTyped, whenStarted } from './submitting/program-start.ts';
import { submitText } from './submitting/submit-text.ts';
import { type SentInput, sendAndWait, waitInSession } from './waiting/send-and-wait.ts';
import type { SessionAgents } from './watching/session-agents.ts';
import type { SessionReports } from './watching/session-reports.ts';

export interface SessionInputsParts {
  readonly agents: SessionAgents;
  readonly calls: SessionCalls;
  readonly clock: Clock;
  readonly counts: Counts;
  readonly drivers: Drivers;
  readonly infos: SessionInfos;
  readonly lifetimes: Lifetimes;
  readonly recorders: Recorders;
  readonly redactions: Redactions;
  readonly reads: SessionReads;
  readonly reports: SessionReports;
}

/** The outcomes after which the activity is not asked for: they tell what the program does. */
const tellsActivity: ReadonlySet<WaitOutcome> = new Set([
  'finished',
  'prompt',
  'awaiting_input',
  'password',
  'exited',
]);

/** Input to sessions, the waits that are sent with it, and those without input. */
export class SessionInputs {
  readonly #parts: SessionInputsParts;

  constructor(parts: SessionInputsParts) {
    this.#parts = parts;
  }

  /** Contract: `Coordinator.sendText`. */
  async text(
    ref: SessionRef,
    text: string,
    options: SendTextOptions & ObservedInput,
  ): Promise<SendResult> {
    const { submit, answer } = options;
    const send = (live: Session): Promise<InputReceipt> => {
      if (!submit && !answer) return live.sendText(text, options);
      const { agents, clock, infos, redactions } = this.#parts;
      const act = answer ? answerQuestion : submitText;
      const onPrompt = (before: AgentInfo | null) => agents.onPrompt(live, before);
      const takesPieces = () => agents.takesPieces(live);
      const agent = { ...infos.agentSource(live), onPrompt, takesPieces };
      return act(live, text, options, clock, agent).catch((error) => {
        throw redactions.failure(live, error);
      });
    };
    if (answer) return this.#answer(ref, options, send);
    const prompt = submit ? text : undefined;
    return this.send(ref, options, send, { isText: isTyped(text), prompt });
  }

  /** The wait begins after the answer: before, the question itself would end it. */
  async #answer(
    ref: SessionRef,
    { wait, ...options }: SendTextOptions & ObservedInput,
    send: (session: Session) => Promise<InputReceipt>,
  ): Promise<SendResult> {
    const agentAfterMs = this.#parts.clock.wallMs() - 1;
    const result = await this.send(ref, options, send);
    if (wait === undefined) return result;
    const request = { since: result.mark, agentAfterMs, ...wait };
    return { ...result, wait: await this.wait(ref, request) };
  }

  /**
   * Sends input to a session, when its program has started, and waits if that is requested.
   *
   * @param isText whether it is text or Enter
   * @param prompt its text, if it is a prompt for an agent
   */
  send<Receipt extends InputReceipt>(
    ref: SessionRef,
    options: SendOptions & ObservedInput,
    write: (session: Session) => Promise<Receipt>,
    { isText = false, prompt }: { isText?: boolean; prompt?: string | undefined } = {},
  ): Promise<SendResult & Receipt> {
    const { calls, clock, drivers } = this.#parts;
    return calls.on(ref, async (session) => {
      const { epoch: driverEpoch } = drivers.of(session);
      const wait = (request: WaitRequest, written: Promise<unknown>) =>
        this.#waitIn(session, request, { written, prompt });
      const send = () => {
        this.noteCall(session, 'send', options);
        // A person sees whether the program has started.
        const waits = isText && options.viewer === undefined;
        return whenStarted(session, clock, waits, () => write(session));
      };
      const result = await sendAndWait(session, options, clock, send, wait);
      return { ...result, driverEpoch };
    });
  }

  /** Notes a call of an agent in the recordings, unless it is refused or repeated. */
  noteCall(session: Session, call: string, sender: Sender & { readonly inputId?: string }): void {
    if (sender.viewer !== undefined || !session.accepts(sender)) return;
    if (session.knowsInput(sender.inputId)) return;
    const name = driverName(sender.by, 'agent');
    // The command is named after what it does: `vtr run`.
    const isNamed = name.startsWith('vtr ');
    this.#parts.recorders.note(session, `agent: ${isNamed ? name : `${name} ${call}`}`);
  }

  /** Contract: `Coordinator.wait`. */
  async wait(ref: SessionRef, request: WaitRequest): Promise<WaitResult> {
    return this.#parts.calls.on(ref, (session) => {
      const wait = () => this.#waitIn(session, request);
      if (!request.raw || request.since === undefined) return wait();
      return session.view.withKeptOutput(markOffset(session.view, request.since), wait);
    });
  }

  /** @param input the next input of the session, if that is sent with the wait */
  #waitIn(session: Session, request: WaitRequest, input?: SentInput): Promise<WaitResult> {
    const { clock, counts, infos, lifetimes, redactions, reports } = this.#parts;
    if (request.raw && redactions.isOn(request)) throw rawNotRedacted();
    const { read } = request;
    let activity: Promise<OwnActivity> | undefined;
    // At once: while the PTY host looks at the program, this process makes the result of the wait.
    const onMet: WaitContext['onMet'] = (met) => {
      const { outcome } = met;
      if (read === undefined || met.activity !== undefined || tellsActivity.has(outcome)) return;
      activity = session.activity();
      ignored(activity, 'the read after the wait gets the error');
    };
    const wait = ({ shown, redaction }: Reading) =>
      waitInSession(session, request, clock, input, {
        agent: infos.agentSource(session),
        status: reports.sourceOf(session),
        onMet,
        ...(redaction !== null && { shown }),
      });
    // What is invalid fails before any input is written.
    const waiting = Promise.resolve(redactions.reading(session, request, wait, true));
    counts.wait(waiting);
    const answer = read
      ? waiting.then((each) => this.#readAfter(session, request, each, activity))
      : waiting;
    return lifetimes.attendedBy(session, answer);
  }

  /**
   * The activity comes first: if it is `exited`, the read has all output.
   *
   * @param atEnd the activity, if it was asked for when the wait ended
   */
  async #readAfter(
    session: Session,
    request: WaitRequest,
    result: WaitResult,
    atEnd: Promise<OwnActivity> | undefined,
  ): Promise<WaitResult> {
    const { infos, reads, redactions } = this.#parts;
    const { outcome, command } = result;
    const { until: _until, redact: _redact, ...view }: ReadRequest = request.read ?? {};
    const until = outcome === 'finished' && view.format !== 'raw' ? command?.to : null;
    const read = { ...view, ...defined({ until: until ?? undefined, redact: request.redact }) };
    try {
      const first = await atEnd;
      // The result of a wait may take turns of the event loop, in which the program goes on.
      const isOld = first !== undefined && first.revision !== session.revision;
      const activity = isOld ? await session.activity() : (first ?? result.activity);
      const info = redactions.info(session, request, infos.of(session));
      const text = await redactions.reading(session, read, (each) =>
        reads.read(read, session, each),
      );
      return { ...result, ...defined({ activity }), session: info, read: text };
    } catch {
      // Such as an invalid mark: the input was sent, and the wait has its result.
      return result;
    }
  }
}
