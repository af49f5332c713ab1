export { forgetForward, forwardedSocket } from './forwarded-socket.ts';
