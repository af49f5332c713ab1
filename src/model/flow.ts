import { maxWaitingBytes } from './screen.ts';

/**
 * How output flows from a program to those who watch it, and who waits for whom: the numbers that decide how
 * sessions share the PTY host, the coordinator and the line to a page. Times are in ms, sizes in bytes.
 *
 * A session floods if it has more output than others can wait for. Floods take turns among themselves, and come
 * after all others. Each stage stops the one before it: a page or subscriber that is slow gets the newest state,
 * a coordinator that is slow acknowledges late, the host then reads the program no more, and the program waits
 * in write(2).
 */
export const flow = {
  /** The PTY host reads programs: `src/pty/io/read-scheduler.ts`. */
  reading: {
    /** The time slice of one terminal. */
    sliceMs: 1,
    /**
     * The size of a read if no other terminal floods: all that Linux keeps for the reader, which is one byte
     * less than N_TTY_BUF_SIZE. Linux fills that buffer again, and wakes the program up, when it is empty: while
     * we handle the output, and not after we have read the other half. A larger read is never filled, so it would
     * not show whether more output may be available.
     */
    wholeReadBytes: 4_095,
    /**
     * The size of a read next to terminals that flood. The program of a whole read would run until the next slice
     * of its terminal, next to those of the others, and a slice ends up to one read too late.
     */
    sharedReadBytes: 2_048,
  },

  /**
   * Floods wait from an input until its echo was read and written: `EchoHold` in `src/pty/io/read-scheduler.ts`, in
   * the host and the coordinator.
   */
  echoes: {
    /** The longest time. A program that prints nothing at once has no echo to wait for. */
    maxHoldMs: 8,
    /** Floods wait for this part of the time at most, however often somebody types. */
    share: 1 / 3,
    /** Less than this is not worth a timer. */
    minHoldMs: 1,
    /** There is something to hold if a frame of a flood arrived within this time. */
    recentMs: 50,
  },

  /** The PTY host makes steps of the output, and keeps them: `src/app/ptyd/kept-session.ts`, `step-log.ts`. */
  steps: {
    /** A shorter read means that the program has no more output now. */
    fullReadBytes: 2 * 1024,
    /** The first output after this time without any is sent at once. */
    quietMs: 2,
    /** The most output of one step if no other session had input or output, and otherwise. */
    aloneStepBytes: 64 * 1024,
    sharedStepBytes: 4 * 1024,
    /** How long output waits for more. */
    maxGatherMs: 1,
    /** Output that is read within this time after the beginning of a step can join it. */
    joinedMs: 10,
    /**
     * The same as a part of the time for which no coordinator has taken steps: a program that prints a little many
     * times a second can go on for a day.
     */
    joinedShare: 1 / 10_000,
    /** What a step costs besides its bytes. */
    overheadBytes: 128,
    /** The most steps of one session, and of all. Beyond it the program, or none, is read. */
    maxSessionBytes: 8 * 1024 * 1024,
    maxAllBytes: 64 * 1024 * 1024,
    /**
     * The most steps of one session while a coordinator saves it and all sessions have less than `maxWideAllBytes`. A
     * state is complete when the lines above it are saved or dropped: 10,000 lines of 80 columns in 24-bit colour are
     * 15 MB, so with less the program waits while they are rendered and compressed. What is left of `maxAllBytes` is
     * for the others, should the coordinator end.
     */
    maxWideSessionBytes: 24 * 1024 * 1024,
    maxWideAllBytes: 48 * 1024 * 1024,
    /** A program that is not read for less than this time has not been paused. */
    minPauseMs: 1_000,
  },

  /** The PTY host sends steps while few are in flight, sent and not acknowledged: `src/app/ptyd/window.ts`. */
  window: {
    /** A session that does not flood may have this in flight at any time: an echo, a few lines. */
    expressBytes: 4 * 1024,
    /** A session floods if it sent more than this in about `floodMs`. */
    floodBytes: 16 * 1024,
    floodMs: 50,
    /** The most in flight of flooding sessions, if one floods and nothing else happens. */
    aloneBytes: 1024 * 1024,
    /**
     * The most in flight of all flooding sessions otherwise: what the coordinator handles in `sharedMs`, within
     * these limits. The output of any other session waits until it has handled them.
     */
    maxSharedBytes: 32 * 1024,
    minSharedBytes: 8 * 1024,
    sharedMs: 2,
    /**
     * The most in flight of a session whose kept output is replayed to a new coordinator, which is more than
     * that handles before it acknowledges. No session waits for another's replay: if they took turns with floods,
     * the coordinator would wait long for the last of many sessions.
     */
    replayBytes: 512 * 1024,
    /** How much of the newest measurement becomes part of the estimate of `sharedMs`. */
    weight: 0.2,
    /** A session is alone if no other whose program runs had input or output for this time. */
    aloneMs: 250,
  },

  /** The PTY host's connection: `src/app/ptyd/connection.ts`. */
  hostConnection: {
    /** How long a frame may wait for the next one. */
    soonMs: 1,
    /** While more than this was not read by the coordinator, its requests are not read either. */
    maxUnsentBytes: 64 * 1024 * 1024,
  },

  /** The coordinator receives frames of the host, and acknowledges them: `src/pty/hosted/received-frames.ts`. */
  receiving: {
    /**
     * The size of one read from the host. After a full one, other events get their turn: libuv would read 32
     * times in a row.
     */
    readBytes: 64 * 1024,
    /** While more output than this waits for its turn, the host is not read. */
    maxWaitingBytes: 64 * 1024,
    /** The host is waiting for acknowledgements if a read is shorter than this. */
    shortReadBytes: 8 * 1024,
    /** Less output of a session than this is not acknowledged. */
    minAckBytes: 2 * 1024,
    /** What is acknowledged together, when acknowledgements may be rare. */
    lazyAckBytes: 256 * 1024,
    /** How long an acknowledgement that may be rare is delayed. */
    maxAckDelayMs: 2,
  },

  /** Frames of sessions that flood come after those of others: `src/pty/hosted/received-frames.ts`. */
  frameTurns: {
    /** How long frames of sessions that flood are handled before others get their turn. */
    sliceMs: 0.5,
    /**
     * A slice is at least this part of the time that others took since the last one, up to `maxSliceMs`.
     * Otherwise calls that take 10 ms between two slices leave the floods a twentieth of the time, and each waits
     * for a second.
     */
    share: 0.5,
    maxSliceMs: 5,
  },

  /** The coordinator applies output to terminals: `src/session/output`. */
  session: {
    /** After this time, the rest of a chunk is left for later turns: observers take time, too. */
    turnMs: 5,
    /** The program waits when it is so far ahead of a reader, in bytes of text. */
    maxAheadBytes: 16 * 1024 * 1024,
    /** How long after its last call a reader holds the program. */
    readerMs: 60_000,
  },

  /** The coordinator saves states, so that the host can drop steps: `src/coordinator/saving`. */
  saving: {
    /**
     * The first unsaved change is saved within this time. The rest of the second that docs/reliability.md promises
     * is for the disk: changes are gathered for 100 ms, written and synced.
     */
    saveMs: 750,
    /** Sessions are saved at multiples of this time: those that are saved together cost less. */
    stepMs: 250,
    /** More output per `saveMs` is a flood: no lines are collected. */
    floodBytes: 192 * 1024,
    /** In a flood, a state is taken after this much output. */
    stateBytes: 1024 * 1024,
    /**
     * More unsaved output than this, of a session or of all, is saved at once: five sixths of that at which the
     * host stops reading, `steps.maxWideSessionBytes` or `steps.maxWideAllBytes`. Up to `window.aloneBytes` is on its
     * way.
     */
    maxUnsavedBytes: 20 * 1024 * 1024,
    maxAllUnsavedBytes: 40 * 1024 * 1024,
    /** States of a session that wait for their lines: one for each `stateBytes`, and more. */
    maxStates: 24,
    /** The time of one turn for states. */
    turnMs: 2,
    /** The pause after collecting some lines, for which others wait at most 1 ms. */
    linesPauseMs: 3,
    /** Lines as output that are made and compressed at once: less than 1 ms. */
    sliceBytes: 32 * 1024,
  },

  /** V8's memory in the daemon and the host: `src/app/client/start-daemon.ts`, `src/pty/hosted/start-pty-host.ts`. */
  heap: {
    /**
     * By how much the heap may grow before V8 marks all of it, in per cent. Pages of output and kept steps count as
     * heap. By its own estimate (20) V8 marked all after each 2 MB of a flood, which was a quarter of the daemon's time.
     */
    growingPercent: 100,
  },

  /** Subscribers get events, or the newest state instead: `src/watch/event-feed.ts`. */
  subscribers: {
    /** Output that waits for a subscriber that has not chosen less. */
    maxWaitingBytes,
    /** The same where states are one screen: it is sooner up to date with a new one. */
    maxViewerBytes: 1024 * 1024,
    /** Events of any kind that wait. */
    maxWaitingEvents: 100_000,
    /** How long one turn makes parts of a state. */
    turnMs: 4,
  },

  /** The calls of clients: `src/wire/service/server`. */
  calls: {
    /** How long calls may run before what else is ready gets its turn. */
    turnMs: 5,
    /** While more than this is not sent to a client, its further calls wait. */
    maxUnsentBytes: 4 * 1024 * 1024,
  },

  /** The line to a page: `src/wire/web/socket`. */
  page: {
    /** While more than this waits to be sent, streams do not go on, and calls are not read. */
    maxUnsentBytes: 256 * 1024,
    maxUnsentOfCallsBytes: 4 * 1024 * 1024,
    /** A payload is sent in parts, between which others get their turn. */
    streamPartBytes: 16 * 1024,
    leastTilePartBytes: 512,
    /** The most of a channel that the page has not shown: of one with a whole state or recording, and of others. */
    wideWindowBytes: 1024 * 1024,
    windowBytes: 256 * 1024,
    /** Output that waited for longer than this, or where more waits, is replaced by the state. */
    maxLagMs: 1000,
    maxLagBytes: 256 * 1024,
    /**
     * The line may need this long for what is under way, in addition to its delay: for tiles half the delay
     * within these bounds, so that a line with a long delay is soon in full use.
     */
    leastTileMs: 10,
    mostTileMs: 20,
    streamMs: 100,
    /** Under way at least, also on the slowest line. */
    leastTileBytes: 1024,
    leastStreamBytes: 32 * 1024,
    /** A rate is the greatest that was measured within this time. */
    rateWindowMs: 1000,
  },
};
