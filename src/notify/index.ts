// Which sessions a person is told of, when, and how often: for `vtr notify` and for the page's push messages.

export { type Channel, Refused } from './channel.ts';
export { Deliveries } from './deliveries.ts';
export { type Notice, Notices, type Told } from './notices.ts';
export { type Moment, Pace, type QuietHours, quietLeftMs } from './pace.ts';
