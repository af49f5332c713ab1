import type { Coordinator } from '#model';

/** Sends one call to a coordinator. */
type Send = <T>(call: (to: Coordinator) => Promise<T>) => Promise<T>;

export interface CallRoutes {
  /** For calls that create a session or a lease. */
  readonly first: Send;
  /** For all other calls: they need an existing session. */
  readonly later: Send;
  close(): Promise<void>;
}

/** Returns a coordinator that sends each call by one of the two routes. */
export const forwardedCalls = ({ first, later, close }: CallRoutes): Coordinator => ({
  spawn: (...args) => first((to) => to.spawn(...args)),
  publish: (...args) => first((to) => to.publish(...args)),
  openLease: () => first((to) => to.openLease()),
  list: (...args) => later((to) => to.list(...args)),
  info: (...args) => later((to) => to.info(...args)),
  rename: (...args) => later((to) => to.rename(...args)),
  setLabels: (...args) => later((to) => to.setLabels(...args)),
  revive: (...args) => later((to) => to.revive(...args)),
  sendText: (...args) => later((to) => to.sendText(...args)),
  sendKeys: (...args) => later((to) => to.sendKeys(...args)),
  sendBytes: (ref, bytes, options) => {
    // The caller may reuse its array once this returns.
    const copy = new Uint8Array(bytes);
    return later((to) => to.sendBytes(ref, copy, options));
  },
  sendMouse: (...args) => later((to) => to.sendMouse(...args)),
  sendFocus: (...args) => later((to) => to.sendFocus(...args)),
  resize: (...args) => later((to) => to.resize(...args)),
  kill: (...args) => later((to) => to.kill(...args)),
  end: (...args) => later((to) => to.end(...args)),
  remove: (...args) => later((to) => to.remove(...args)),
  screen: (...args) => later((to) => to.screen(...args)),
  frame: (...args) => later((to) => to.frame(...args)),
  readLines: (...args) => later((to) => to.readLines(...args)),
  follow: (...args) => later((to) => to.follow(...args)),
  search: (...args) => later((to) => to.search(...args)),
  read: (...args) => later((to) => to.read(...args)),
  mark: (...args) => later((to) => to.mark(...args)),
  record: (...args) => later((to) => to.record(...args)),
  setMarker: (...args) => later((to) => to.setMarker(...args)),
  startRecording: (...args) => later((to) => to.startRecording(...args)),
  stopRecording: (...args) => later((to) => to.stopRecording(...args)),
  recordings: () => later((to) => to.recordings()),
  removeRecording: (...args) => later((to) => to.removeRecording(...args)),
  wait: (...args) => later((to) => to.wait(...args)),
  activity: (...args) => later((to) => to.activity(...args)),
  commands: (...args) => later((to) => to.commands(...args)),
  commandOutput: (...args) => later((to) => to.commandOutput(...args)),
  run: (...args) => later((to) => to.run(...args)),
  take: (...args) => later((to) => to.take(...args)),
  give: (...args) => later((to) => to.give(...args)),
  view: (...args) => later((to) => to.view(...args)),
  subscribe: (...args) => later((to) => to.subscribe(...args)),
  watchSessions: (...args) => later((to) => to.watchSessions(...args)),
  close,
});
