import { defined, quoted } from '#base';
import {
  asVtrError,
  type Coordinator,
  isStillAsked,
  type Question,
  type RemoveOptions,
  replyText,
  type SendResult,
  type SessionInfo,
  type SessionRef,
  VtrError,
  watchLabel,
} from '#model';
import { nameFor } from '../attach/ways.ts';
import { problemText } from '../coordinator-link.ts';
import type { Entry, OverviewModel } from './model.ts';
import type { OverviewEffect, OverviewEvent } from './step.ts';

/** Sessions that are searched at the same time. */
const searchesAtOnce = 4;
/** The most lines that are found in a session. */
const maxMatches = 200;

/** The effects that calls of coordinators carry out. */
export type CallEffect = Extract<
  OverviewEffect,
  {
    readonly type:
      | 'reply'
      | 'kill'
      | 'remove'
      | 'discard'
      | 'rename'
      | 'watch'
      | 'spawn'
      | 'search';
  }
>;

export interface PerformContext {
  readonly model: () => OverviewModel;
  /** The name by which others know the person. */
  readonly person: string;
  /** @throws VtrError UNAVAILABLE if it does not answer */
  readonly coordinator: (link: number) => Coordinator;
  readonly started: (link: number) => Promise<Coordinator>;
  readonly tell: (event: OverviewEvent) => void;
}

/** Carries out an effect. What happened is told as an event. Never rejects. */
export async function perform(context: PerformContext, effect: CallEffect): Promise<void> {
  try {
    const act: (context: PerformContext, effect: never) => Promise<void> = actions[effect.type];
    await act(context, effect as never);
  } catch (thrown) {
    context.tell({ type: 'notice', text: asVtrError(thrown).message, isError: true });
  }
}

type Action<T extends CallEffect['type']> = (
  context: PerformContext,
  effect: CallEffect & { readonly type: T },
) => Promise<void>;

const actions: { readonly [T in CallEffect['type']]: Action<T> } = {
  reply,
  search,
  async kill(context, { key }) {
    const entry = entryOf(context, key);
    await context.coordinator(entry.link).end(entry.info);
    context.tell({ type: 'notice', text: `ended ${entry.info.name}`, isError: false });
  },
  async remove(context, { key }) {
    try {
      await removed(context, key, { keepsWork: true });
    } catch (thrown) {
      const { code, message } = asVtrError(thrown);
      if (code !== 'WORK_LEFT') throw thrown;
      context.tell({ type: 'workLeft', key, text: message });
    }
  },
  discard: (context, { key }) => removed(context, key, {}),
  async rename(context, { key, name }) {
    const entry = entryOf(context, key);
    await context.coordinator(entry.link).rename(entry.info, name);
    context.tell({ type: 'notice', text: `renamed to ${name}`, isError: false });
  },
  async watch(context, { key, label }) {
    const entry = entryOf(context, key);
    await context.coordinator(entry.link).setLabels(entry.info, { [watchLabel]: label });
  },
  async spawn(context, { link, cwd, name, opens }) {
    const coordinator = await context.started(link);
    // Only the person's own coordinator has the directories of this process.
    const directory = cwd ?? (link === 0 ? process.cwd() : null);
    const entries = [...context.model().entries.values()].filter((each) => each.link === link);
    const names = new Set(entries.map(({ info }) => info.name));
    const place = directory === null ? {} : { cwd: directory, name: nameFor(directory, names) };
    const info = await coordinator.spawn({ ...place, ...defined({ name }) });
    context.tell({ type: 'spawned', link, info, ...defined({ opens }) });
    // A new pane is seen.
    if (opens === undefined)
      context.tell({ type: 'notice', text: `started ${info.name}`, isError: false });
  },
};

async function removed(
  context: PerformContext,
  key: string,
  options: RemoveOptions,
): Promise<void> {
  const entry = entryOf(context, key);
  await context.coordinator(entry.link).remove(entry.info, options);
  context.tell({ type: 'notice', text: `removed ${entry.info.name}`, isError: false });
}

function entryOf(context: PerformContext, key: string): Entry {
  const entry = context.model().entries.get(key);
  if (entry !== undefined) return entry;
  throw new VtrError('SESSION_NOT_FOUND', 'the session has been removed');
}

/**
 * Sends an answer as this person, who drives the session meanwhile: nobody else can type between the
 * look at the question and the answer.
 */
async function reply(
  context: PerformContext,
  { question: { key, question }, reply: text, isLine }: CallEffect & { readonly type: 'reply' },
): Promise<void> {
  const { info: listed, link } = entryOf(context, key);
  const { name, id } = listed;
  const coordinator = context.coordinator(link);
  const refuse = (why: string) =>
    context.tell({ type: 'notice', text: `nothing was sent to ${name}: ${why}`, isError: true });
  const changed = 'the question has changed';
  const asking = await asks(coordinator, id, question);
  if (asking === null) {
    refuse(changed);
    return;
  }
  const { person } = context;
  const as = { name: person, kind: 'ui', size: asking.size, as: 'take' } as const;
  const viewing = await coordinator.view({ name, id }, as);
  try {
    const { value: state } = await viewing[Symbol.asyncIterator]().next();
    if (state?.drives !== true) {
      refuse(`${state?.driver?.name ?? 'another person'} drives it`);
    } else if ((await asks(coordinator, id, question)) === null) {
      refuse(changed);
    } else {
      const { answered } = await send(coordinator, { name, id }, viewing.id, question, {
        text,
        isLine,
      });
      await viewing.give({ note: noteOf(question, answered ?? text) });
      const done =
        answered === undefined
          ? `sent ${sentText(question, text)} to ${name}`
          : `answered ${name} with ${answered}`;
      context.tell({ type: 'notice', text: done, isError: false });
    }
  } finally {
    await viewing.dispose();
  }
}

/**
 * Sends an answer. One of several choices is chosen as their menu does.
 *
 * @throws VtrError also if there is no such choice, or another question is shown; nothing is typed then
 */
function send(
  coordinator: Coordinator,
  session: SessionRef,
  viewer: string,
  question: Question,
  { text, isLine }: { readonly text: string; readonly isLine: boolean },
): Promise<SendResult> {
  const { questionId } = question;
  if (questionId === undefined) {
    return coordinator.sendText(session, replyText(question, text, { isLine }), { viewer });
  }
  return coordinator.sendText(session, text, { viewer, answer: true, question: questionId });
}

/** Returns the session if it asks the question now. */
async function asks(
  coordinator: Coordinator,
  id: string,
  question: Question,
): Promise<SessionInfo | null> {
  const sessions = await coordinator.list({ activity: true });
  const info = sessions.find((each) => each.id === id);
  return info !== undefined && isStillAsked(question, info) ? info : null;
}

const sentText = ({ kind }: Question, text: string): string =>
  kind === 'password' ? 'the password' : text === '' ? 'Enter' : text;

/** Tells the agent that types next what the person did. */
const noteOf = (question: Question, text: string): string =>
  question.text === ''
    ? `typed ${sentText(question, text)}`
    : `answered ${quoted(question.text)} with ${sentText(question, text)}`;

async function search(
  context: PerformContext,
  { id, pattern, keys }: CallEffect & { readonly type: 'search' },
): Promise<void> {
  const left = [...keys];
  const isCurrent = () => {
    const { mode } = context.model();
    return mode.type === 'found' && mode.id === id;
  };
  const work = async () => {
    for (let key = left.shift(); key !== undefined && isCurrent(); key = left.shift()) {
      const finds = await findsIn(context, key, pattern);
      context.tell({ type: 'found', id, ...finds });
    }
  };
  await Promise.all(Array.from({ length: searchesAtOnce }, work));
}

async function findsIn(context: PerformContext, key: string, pattern: string) {
  try {
    const { info, link } = entryOf(context, key);
    const coordinator = context.coordinator(link);
    const { name, id } = info;
    const { matches, truncated } = await coordinator.search(
      { name, id },
      // A person sees what is there.
      { pattern, maxMatches, redact: false },
    );
    const finds = matches.map(({ line, text, start, end }) => ({ key, line, text, start, end }));
    return { finds, isCut: truncated };
  } catch (thrown) {
    context.tell({ type: 'notice', text: problemText(thrown), isError: true });
    return { finds: [], isCut: false };
  }
}
