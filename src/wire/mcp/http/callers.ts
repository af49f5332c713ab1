import { Caller } from '../caller.ts';
import type { Service } from '../service.ts';

/** More are not kept: those that have not called for longest are forgotten first. */
const maxCallers = 1000;

/** Clients that are told apart by what they say of themselves, as nothing joins their requests. */
export class Callers {
  readonly #service: Service;
  readonly #callers = new Map<string, Caller>();

  constructor(service: Service) {
    this.#service = service;
  }

  of(name: string): Caller {
    const caller = this.#callers.get(name) ?? new Caller(this.#service);
    this.#callers.delete(name);
    this.#callers.set(name, caller);
    if (this.#callers.size > maxCallers) {
      for (const oldest of this.#callers.keys()) {
        this.#callers.delete(oldest);
        break;
      }
    }
    return caller;
  }
}
